import { TriangleAlert, Info } from 'lucide-react';
import { useRef } from 'react';
import type { CommandFinding, RuleOffer } from '#contract/vocabulary/effects.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { Visible } from '../../../ui/text/visible.js';
import { groupFindings } from './finding-groups.js';
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
  readonly rule: RuleOffer;
  readonly mayBeShared: string | null;
}) {
  const segments = segmentCommand(command, findings);
  const text = useRef<HTMLPreElement>(null);
  /** Leads to the words that a finding is about: they are brought into sight, and have the focus. */
  const lead = (place: number) => {
    const words = text.current?.querySelector<HTMLElement>(`[data-findings~="${place + 1}"]`);
    words?.scrollIntoView({ block: 'nearest' });
    words?.focus();
  };
  return (
    <div className="gh-command">
      {findings.length === 0 ? null : (
        <ul className="gh-findings" aria-label="What deserves a second look">
          {groupFindings(findings).map(({ severity, explanation, places }) => (
            <li key={explanation} className={`gh-finding-line gh-finding-line-${severity}`}>
              {severity === 'danger' ? <TriangleAlert aria-hidden /> : <Info aria-hidden />}
              <span>
                {places.map((place) => (
                  <FindingWords
                    key={place}
                    words={shorten(command.slice(findings[place]?.start, findings[place]?.end))}
                    onLead={() => lead(place)}
                  />
                ))}{' '}
                <Visible text={explanation} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <pre ref={text} className="gh-command-text" aria-label="Command">
        {segments.map((segment, index) =>
          segment.severity === null ? (
            <Visible key={index} text={segment.text} />
          ) : (
            <span
              key={index}
              className={`gh-finding gh-finding-${segment.severity}`}
              data-findings={segment.findings.join(' ')}
              tabIndex={-1}
            >
              <Visible text={segment.text} />
            </span>
          ),
        )}
      </pre>
      <CopyButton text={command} label="Copy command" />
      {mayBeShared === null ? null : (
        <p className="secondary gh-command-rule">
          <Visible text={mayBeShared} />
        </p>
      )}
      {rule.impossible === null ? null : (
        <p className="secondary gh-command-rule">
          <Visible text={`No rule can cover this. ${rule.impossible}`} />
        </p>
      )}
    </div>
  );
}

/** The words themselves come from who asks: the button's name says first what it is. */
function FindingWords({ words, onLead }: { readonly words: string; readonly onLead: () => void }) {
  return (
    <button type="button" className="gh-finding-words" onClick={onLead}>
      <span className="sr-only">Show </span>
      <code>
        <Visible text={words} />
      </code>
    </button>
  );
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
