import { splitVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { Visible } from '../../../ui/text/visible.js';
import { splitMarkedText } from './instruction-marks.js';

interface MarkedTextProps {
  readonly text: string;
  readonly otherNames: readonly string[];
}

/** Text as somebody else wrote it: what can’t be seen is shown, and what seems to instruct a model is marked. */
export function MarkedText({ text, otherNames }: MarkedTextProps) {
  const parts = splitMarkedText(text, otherNames);
  const whys = [...new Set(parts.flatMap(({ why }) => why ?? []))];
  const hidden = splitVisibleText(text).filter(({ escape }) => escape).length;
  const said = [
    ...whys,
    ...(hidden === 0 ? [] : [`Has ${hidden === 1 ? 'a character' : `${hidden} characters`} that can’t be seen`]),
  ];
  return (
    <>
      <p className="gh-marked-text">
        {parts.map((part, at) =>
          part.why === null ? (
            <Visible key={at} text={part.text} />
          ) : (
            <mark key={at} title={part.why}>
              <Visible text={part.text} />
            </mark>
          ),
        )}
      </p>
      {said.length === 0 ? null : (
        <ul className="gh-marked-why" aria-label="Read closely">
          {said.map((why) => (
            <li key={why}>{why}</li>
          ))}
        </ul>
      )}
    </>
  );
}
