import { Mono } from '../../../ui/text/code-block.js';
import type { NetworkUse } from '#contract/vocabulary/calls.js';
import { Visible } from '../../../ui/text/visible.js';

/** The hosts that a command reached, and those that it asked for in vain. */
export function NetworkSection({ use }: { readonly use: NetworkUse }) {
  return (
    <section>
      <h3 className="gh-call-title">Network</h3>
      <ul className="gh-changes" aria-label="Network">
        {use.reached.map((host) => (
          <Host key={host} sign="→" host={host} words="reached" />
        ))}
        {use.refused.map((host) => (
          <Host key={host} sign="×" host={host} words="refused: not among the hosts this command may reach" />
        ))}
      </ul>
    </section>
  );
}

function Host({ sign, host, words }: { readonly sign: string; readonly host: string; readonly words: string }) {
  return (
    <li>
      <span className="gh-change-sign" aria-hidden>
        {sign}
      </span>
      <Mono>
        <Visible text={host} />
      </Mono>
      <span className="secondary">{words}</span>
    </li>
  );
}
