import { useId } from 'react';
import { Switch } from '../../../ui/form/switch.js';
import { Visible } from '../../../ui/text/visible.js';

export interface ReadGrantProps {
  /** A folder outside, or a file that was hidden in this one. */
  readonly path: string;
  readonly allowed: boolean;
  readonly onToggle: () => void;
}

/** Reading one place that was hidden from a command, this once; a switch, as the network is. */
export function ReadGrant({ path, allowed, onToggle }: ReadGrantProps) {
  const about = useId();
  return (
    <div className={allowed ? 'gh-ask-network gh-ask-network-on' : 'gh-ask-network'}>
      <Switch checked={allowed} onChange={onToggle} describedBy={about}>
        This call may read <Visible text={path} />
      </Switch>
      <p id={about} className="secondary">
        It failed without it. It can read what is there and change nothing. What it prints counts as private.
      </p>
    </div>
  );
}
