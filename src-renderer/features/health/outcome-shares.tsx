import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { formatCount } from '../../ui/text/format.js';
import { shares } from './chart-data.js';

export function OutcomeShares({ telemetry }: { readonly telemetry: TelemetrySnapshot }) {
  const parts = shares(telemetry);
  return (
    <figure className="gh-shares" aria-label="How calls ended">
      <div className="gh-shares-bar" aria-hidden>
        {parts.map(({ name, part }) => (
          <span key={name} className={`gh-share gh-share-${name.toLowerCase()}`} style={{ flexGrow: part }} />
        ))}
      </div>
      <figcaption>
        <ul className="gh-shares-legend">
          {parts.map(({ name, count, part }) => (
            <li key={name}>
              <span className={`gh-share-dot gh-share-${name.toLowerCase()}`} aria-hidden />
              {name} {formatCount(count)}{' '}
              <span className="secondary">({(part * 100).toFixed(part < 0.1 ? 1 : 0)} %)</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
