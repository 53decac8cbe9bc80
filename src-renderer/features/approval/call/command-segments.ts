import type { CommandFinding } from '#contract/vocabulary/effects.js';

export interface CommandSegment {
  readonly text: string;
  readonly severity: CommandFinding['severity'] | null;
  /** 1-based numbers of the findings that cover it, as they are listed beneath. */
  readonly findings: readonly number[];
}

/**
 * Cuts a command where findings begin and end, so that overlapping ones are all marked. Findings that lie outside the
 * command are ignored rather than trusted.
 */
export function segmentCommand(command: string, findings: readonly CommandFinding[]): readonly CommandSegment[] {
  const valid = findings.map(({ start, end, severity }) => ({
    start: Math.max(0, Math.min(start, command.length)),
    end: Math.max(0, Math.min(end, command.length)),
    severity,
  }));
  const cuts = [...new Set([0, command.length, ...valid.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  const segments: CommandSegment[] = [];
  for (const [at, from] of cuts.entries()) {
    const to = cuts[at + 1];
    if (to === undefined) break;
    const covering = valid.flatMap((finding, index) =>
      finding.start <= from && finding.end >= to ? [{ number: index + 1, severity: finding.severity }] : [],
    );
    segments.push({
      text: command.slice(from, to),
      severity: covering.some(({ severity }) => severity === 'danger') ? 'danger' : (covering[0]?.severity ?? null),
      findings: covering.map(({ number }) => number),
    });
  }
  return segments;
}

/** A piece of a command's text; `isWord`: no line is broken in it, where one can hold it. */
export interface CommandPiece {
  readonly text: string;
  readonly isWord: boolean;
}

/** A word in which a line could be broken, at a hyphen or a slash. */
const BREAKABLE = /[^\s\w.]/u;
/** More pieces are slow to lay out, and nobody reads so much word by word. */
const MOST_TEXT = 20_000;

/**
 * Splits a text into the words that are to be kept together, and what lies between them. A word that goes on beyond the
 * text, `before` or `after` it, is none: a box around a part of it would be a place to break.
 */
export function splitWords(
  text: string,
  { before, after }: { readonly before: string; readonly after: string },
): readonly CommandPiece[] {
  if (text === '') return [];
  if (text.length > MOST_TEXT) return [{ text, isWord: false }];
  const parts = text.split(/(\s+)/u);
  const pieces: CommandPiece[] = [];
  for (const [at, part] of parts.entries()) {
    const goesOn = (at === 0 && /\S$/u.test(before)) || (at === parts.length - 1 && /^\S/u.test(after));
    const isWord = !goesOn && /\w/u.test(part) && BREAKABLE.test(part.trim());
    const last = pieces.at(-1);
    if (isWord || last === undefined || last.isWord) pieces.push({ text: part, isWord });
    else pieces[pieces.length - 1] = { text: last.text + part, isWord };
  }
  return pieces.filter((piece) => piece.text !== '');
}
