import { useId, useState } from 'react';
import { type AllowedNetwork, isNothingAllowed, type NetworkOffer } from '#contract/vocabulary/network.js';
import { Button } from '../../../ui/form/button.js';
import { Switch } from '../../../ui/form/switch.js';
import { Visible } from '../../../ui/text/visible.js';

export interface NetworkChoiceProps {
  readonly offer: NetworkOffer;
  readonly allowed: AllowedNetwork;
  readonly onChange: (allowed: AllowedNetwork) => void;
}

/**
 * The network for one command, this once: the hosts that it needs, each by name, and any host as a second step. Switches and
 * not more check boxes: what is ticked on a call is that it is approved, and the two must not be taken for each other.
 */
export function NetworkChoice({ offer, allowed, onChange }: NetworkChoiceProps) {
  const about = useId();
  const [asked, setAsked] = useState(false);
  const isAny = allowed === 'any';
  const isOpen = asked || isAny;
  const hosts = isAny ? [] : allowed;
  const flip = (host: string) =>
    onChange(hosts.includes(host) ? hosts.filter((each) => each !== host) : [...hosts, host]);
  return (
    <div className={isNothingAllowed(allowed) ? 'gh-ask-network' : 'gh-ask-network gh-ask-network-on'}>
      <span className="secondary">Network, for this call:</span>
      {offer.hosts.map((host) => (
        <Switch key={host} checked={isAny || hosts.includes(host)} disabled={isAny} onChange={() => flip(host)}>
          Allow <Visible text={host} />
        </Switch>
      ))}
      {offer.others ? (
        <span className="secondary">
          {offer.hosts.length === 0
            ? 'Which hosts it needs can’t be told.'
            : 'It may need others, which can’t be told.'}
        </span>
      ) : null}
      <Button size="small" aria-expanded={isOpen} disabled={isAny} onClick={() => setAsked(!asked)}>
        Any host…
      </Button>
      {isOpen ? (
        <div className="gh-ask-network-any">
          <Switch checked={isAny} onChange={() => onChange(isAny ? [] : 'any')} describedBy={about}>
            Allow any host
          </Switch>
          <p id={about} className="secondary">
            It can reach any host on the internet and your own networks, but no server on this computer. Programs that
            use no proxy have no network. Files stay sandboxed.
          </p>
        </div>
      ) : null}
    </div>
  );
}
