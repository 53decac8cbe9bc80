import { TriangleAlert, Info } from 'lucide-react';
import { Fragment, type ReactNode, useRef } from 'react';
import type { CommandFinding, RuleOffer } from '#contract/vocabulary/effects.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { Visible } from '../../../ui/text/visible.js';
import { groupFindings } from './finding-groups.js';
import { segmentCommand, splitWords } from './command-segments.js';

/** The whole command, wrapped and never shortened, with what deserves a second look underlined and explained. */
export function CommandView({
  command,
  findings,
  rule,
  mayBeShared,
  children,
}: {
  readonly command: string;
  readonly findings: readonly CommandFinding[];
  readonly rule: RuleOffer;
  readonly mayBeShared: string | null;
  /** What is said of the call, after the command itself. */
  readonly children: ReactNode;
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
      <pre ref={text} className="gh-command-text" aria-label="Command">
        {segments.map((segment, index) => {
          const words = (
            <Words
              text={segment.text}
              before={segments[index - 1]?.text.at(-1) ?? ''}
              after={segments[index + 1]?.text.at(0) ?? ''}
            />
          );
          return segment.severity === null ? (
            <Fragment key={index}>{words}</Fragment>
          ) : (
            <span
              key={index}
              className={`gh-finding gh-finding-${segment.severity}`}
              data-findings={segment.findings.join(' ')}
              tabIndex={-1}
            >
              {words}
            </span>
          );
        })}
      </pre>
      <CopyButton text={command} label="Copy command" />
      {children}
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

/** A text of a command, broken between words where a line can hold the word. */
function Words({ text, before, after }: { readonly text: string; readonly before: string; readonly after: string }) {
  return splitWords(text, { before, after }).map((piece, index) =>
    piece.isWord ? (
      <span key={index} className="gh-word">
        <Visible text={piece.text} />
      </span>
    ) : (
      <Visible key={index} text={piece.text} />
    ),
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
