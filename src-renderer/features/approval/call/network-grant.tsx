import { useId } from 'react';
import { Switch } from '../../../ui/form/switch.js';

export interface NetworkGrantProps {
  readonly allowed: boolean;
  readonly onToggle: () => void;
}

/**
 * The network for one command, this once. A switch and not a second check box: what is ticked on a call is that it is
 * approved, and the two must not be taken for each other.
 */
export function NetworkGrant({ allowed, onToggle }: NetworkGrantProps) {
  const about = useId();
  return (
    <div className={allowed ? 'gh-ask-network gh-ask-network-on' : 'gh-ask-network'}>
      <Switch checked={allowed} onChange={onToggle} describedBy={about}>
        Allow network for this call
      </Switch>
      <p id={about} className="secondary">
        It can then reach any host on the internet and in your networks, but no server on this computer. Programs that
        use no proxy have no network. Files stay confined.
      </p>
    </div>
  );
}
