import { TriangleAlert, Info } from 'lucide-react';
import type { CommandFinding, RuleOffer } from '#contract/vocabulary/effects.js';
import { Visible } from '../../../ui/text/visible.js';
import { segmentCommand } from './command-segments.js';

/** The whole command, wrapped and never shortened, with what deserves a second look underlined and explained. */
export function CommandView({
  command,
  findings,
  rule,
  mayBeShared,
}: {
  readonly command: string;
  readonly findings: readonly CommandFinding[];
  readonly rule: RuleOffer | null;
  readonly mayBeShared: string | null;
}) {
  const segments = segmentCommand(command, findings);
  return (
    <div className="gh-command">
      <pre className="gh-command-text" aria-label="Command">
        {segments.map((segment, index) =>
          segment.severity === null ? (
            <Visible key={index} text={segment.text} />
          ) : (
            <span key={index} className={`gh-finding gh-finding-${segment.severity}`}>
              <Visible text={segment.text} />
            </span>
          ),
        )}
      </pre>
      {findings.length === 0 ? null : (
        <ul className="gh-findings" aria-label="What deserves a second look">
          {findings.map((finding, index) => (
            <li key={index} className={`gh-finding-line gh-finding-line-${finding.severity}`}>
              {finding.severity === 'danger' ? <TriangleAlert aria-hidden /> : <Info aria-hidden />}
              <span>
                <code className="gh-finding-words">
                  <Visible text={short(command.slice(finding.start, finding.end))} />
                </code>{' '}
                <Visible text={finding.explanation} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayBeShared === null ? null : (
        <p className="secondary gh-command-rule">
          <Visible text={mayBeShared} />
        </p>
      )}
      {rule === null || rule.impossible === null ? null : (
        <p className="secondary gh-command-rule">
          <Visible text={`No rule can cover it. ${rule.impossible}`} />
        </p>
      )}
    </div>
  );
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
