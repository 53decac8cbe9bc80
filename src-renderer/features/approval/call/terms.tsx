import type { ApprovalCall } from '#contract/window/approvals.js';
import { type AllowedNetwork, buildNetworkTerm, addAllowedNetwork } from '#contract/vocabulary/network.js';
import { formatLimit } from '../../../calls/card/elapsed.js';
import { joinClassNames } from '../../../ui/style/join-class-names.js';
import { Visible } from '../../../ui/text/visible.js';

/** The terms of a call, a chip each: its confinement, its reach, how far it can be undone and how long it may take. */
export function Terms({ call, network }: { readonly call: ApprovalCall; readonly network: AllowedNetwork }) {
  const { network: offer } = call;
  const terms = call.terms.map((chip) =>
    offer !== null && chip.about === 'network' ? buildNetworkTerm(addAllowedNetwork(offer.bySettings, network)) : chip,
  );
  return (
    <ul className="gh-terms" aria-label="Terms">
      {terms.map(({ words, detail, warns }) => (
        <li
          key={words}
          className={warns ? 'gh-term-warns' : undefined}
          title={warns ? undefined : (detail ?? undefined)}
        >
          <span className={joinClassNames('gh-term', warns && 'gh-term-warning')}>
            <Visible text={words} />
          </span>
          {detail === null ? null : (
            <span className={warns ? 'secondary' : 'sr-only'}>
              {' '}
              <Visible text={detail} />
            </span>
          )}
        </li>
      ))}
      <li>
        <span className="gh-term">{formatLimit(call.timeoutMs)} limit</span>
      </li>
    </ul>
  );
}
