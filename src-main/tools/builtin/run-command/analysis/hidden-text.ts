import type { SecondOpinion } from '../../../../domain/commands/reading/read-command.js';
import { findHiddenCharacters } from '#contract/vocabulary/text/visible-text.js';

/** Finds what in the text itself misleads the eye, whatever it means: without a parse. */
export function findHiddenText(command: string): SecondOpinion['doubts'] {
  return [...invisible(command), ...lineEnds(command), ...mixedScripts(command), ...farAway(command)];
}

/** A shell takes it for a letter like any other: a backslash before it goes on with nothing, and the line ends. */
function lineEnds(command: string): SecondOpinion['doubts'] {
  return [...command.matchAll(/\r\n?/gu)].slice(0, MAX_DOUBTS).map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    words: 'has an invisible carriage return, which a shell takes for a letter',
  }));
}

const MAX_DOUBTS = 20;

function invisible(command: string): SecondOpinion['doubts'] {
  return findHiddenCharacters(command)
    .slice(0, MAX_DOUBTS)
    .map(({ at, shown }) => ({
      start: at,
      end: at + ((command.codePointAt(at) ?? 0) > 0xffff ? 2 : 1),
      words: `has a character that is invisible or reorders the text (${shown})`,
    }));
}

const LOOKALIKES =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}]/u;

/** A word of Latin letters with some of another alphabet among them: `сurl` with a Cyrillic с. */
function mixedScripts(command: string): SecondOpinion['doubts'] {
  return [...command.matchAll(/[\p{L}\p{N}_.-]+/gu)]
    .filter(([word]) => LOOKALIKES.test(word) && /[A-Za-z]/u.test(word))
    .slice(0, MAX_DOUBTS)
    .map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      words: `mixes letters of different alphabets that look alike in “${match[0]}”`,
    }));
}

/** So many blanks or so many line ends in a row push what follows out of sight. */
const FAR_BLANKS = 40;
const FAR_LINES = 8;

/** Text pushed out of sight by a long run of blanks or empty lines. Each run is looked at once, whatever it ends with. */
function farAway(command: string): SecondOpinion['doubts'] {
  const starts: number[] = [];
  for (const { 0: run, index } of command.matchAll(/[ \t\n]+/gu)) {
    const end = index + run.length;
    // At the end of the text, or before another kind of space, there is nothing to overlook.
    if (!/^\S/u.test(command.slice(end, end + 2))) continue;
    const lastLine = run.lastIndexOf('\n') + 1;
    if (run.split('\n').length > FAR_LINES) starts.push(index + lastLine);
    if (run.length - lastLine >= FAR_BLANKS) starts.push(end);
    if (starts.length >= MAX_DOUBTS) break;
  }
  return starts.slice(0, MAX_DOUBTS).map((start) => ({
    start,
    end: command.length,
    words: 'continues here, after a long gap that is easy to overlook',
  }));
}
