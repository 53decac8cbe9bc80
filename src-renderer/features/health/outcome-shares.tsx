import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { formatCount } from '../../ui/text/format.js';
import { computeShares } from './chart-data.js';

export function OutcomeShares({ telemetry }: { readonly telemetry: TelemetrySnapshot }) {
  const parts = computeShares(telemetry);
  return (
    <figure className="gh-shares" aria-label="How calls ended">
      <div className="gh-shares-bar" aria-hidden>
        {parts.map(({ state, part }) => (
          <span key={state} className={`gh-share gh-share-${state}`} style={{ flexGrow: part }} />
        ))}
      </div>
      <figcaption>
        <ul className="gh-shares-legend">
          {parts.map(({ state, count, part }) => (
            <li key={state}>
              <span className={`gh-share-dot gh-share-${state}`} aria-hidden />
              {DISPLAY_WORDS[state]} {formatCount(count)}{' '}
              <span className="secondary">({(part * 100).toFixed(part < 0.1 ? 1 : 0)} %)</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
