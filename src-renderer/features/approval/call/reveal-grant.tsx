import { useId } from 'react';
import { Switch } from '../../../ui/form/switch.js';
import { Visible } from '../../../ui/text/visible.js';

export interface RevealGrantProps {
  /** The files whose values it is about. */
  readonly secrets: readonly string[];
  readonly allowed: boolean;
  readonly onToggle: () => void;
}

/** The values of secrets for one call, this once; a switch, as the network is. */
export function RevealGrant({ secrets, allowed, onToggle }: RevealGrantProps) {
  const about = useId();
  return (
    <div className={allowed ? 'gh-ask-network gh-ask-network-on' : 'gh-ask-network'}>
      <Switch checked={allowed} onChange={onToggle} describedBy={about}>
        Reveal for this call
      </Switch>
      <p id={about} className="secondary">
        Whoever asked gets names from <Visible text={secrets.join(', ')} /> without their values. Revealed, it gets the
        values as well, in this result alone; history keeps none.
      </p>
    </div>
  );
}
