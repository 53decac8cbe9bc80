import { useId } from 'react';
import { Switch } from '../../../ui/form/switch.js';

/** Writing to `.git` for one command that is not Git, this once; a switch, as the network is. */
export function GitGrant({ allowed, onToggle }: { readonly allowed: boolean; readonly onToggle: () => void }) {
  const about = useId();
  return (
    <div className={allowed ? 'gh-ask-network gh-ask-network-on' : 'gh-ask-network'}>
      <Switch checked={allowed} onChange={onToggle} describedBy={about}>
        This call may write .git
      </Switch>
      <p id={about} className="secondary">
        It can then commit and rewrite history. Changes to Git’s settings and hooks are still put aside.
      </p>
    </div>
  );
}
