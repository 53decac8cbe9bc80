import { readScript } from './read-script.js';
import { type PipelineStep, type ShellCommand, type SimpleCommand, UnreadableScript } from './syntax.js';
import { literalText } from './word-text.js';

/** A command of which every shell reads each word alike. */
export interface PlainCommand {
  /** Variables set before the program: names of the listed few. */
  readonly variables: readonly PlainVariable[];
  /** The program's words, its own name first, as the shell gives them to it. */
  readonly words: readonly [string, ...string[]];
  /** Redirections as they are written anew: `2>&1`, `>/dev/null`. */
  readonly redirections: readonly string[];
  /** The operator between this command and the next; null at the end. */
  readonly joinedBy: Joint | null;
}

interface PlainVariable {
  readonly name: string;
  readonly value: string;
}

type Joint = '&&' | '||' | ';' | '|';

export type PlainReading =
  | { readonly understood: true; readonly commands: readonly PlainCommand[] }
  /** Why it is not understood: “a glob”. */
  | { readonly understood: false; readonly why: string };

/** Reads a text in the strict mode: what all shells read alike. */
export function readPlainCommand(text: string): PlainReading {
  try {
    const script = readScript(text, { isStrict: true });
    const commands = script.flatMap((step, index) => plainCommands(step, index === script.length - 1));
    const [first] = commands;
    if (first === undefined) return { understood: false, why: 'nothing but empty space' };
    if (first.words[0] === 'cd' && !decidesForAll(first, commands))
      return { understood: false, why: 'a cd that may lead elsewhere, or nowhere' };
    return { understood: true, commands };
  } catch (error) {
    if (!(error instanceof UnreadableScript)) throw error;
    return { understood: false, why: error.why };
  }
}

const plainCommands = ({ pipeline, joint }: PipelineStep, isLast: boolean): readonly PlainCommand[] =>
  pipeline.map((command, index) =>
    plainCommand(command, index < pipeline.length - 1 ? '|' : isLast ? null : (joint as Joint)),
  );

/** Strict mode reads no other commands than simple ones, and no other words than literal ones. */
function plainCommand(command: ShellCommand, joinedBy: Joint | null): PlainCommand {
  const { assignments, words, redirects, start } = command as SimpleCommand;
  const [first, ...rest] = words.map((word) => literalText(word) ?? '');
  if (first === undefined) throw new UnreadableScript(start, 'variables with no command after them');
  if (first === 'time' && rest.length === 0) throw new UnreadableScript(start, 'nothing after time');
  return {
    variables: assignments.map(({ name, value }) => ({ name, value: literalText(value) ?? '' })),
    words: [first, ...rest],
    redirections: redirects.map(
      ({ fd, operator, target }) => `${fd === 1 ? '' : (fd ?? '')}${operator}${literalText(target) ?? ''}`,
    ),
    joinedBy,
  };
}

/** `cd a && x | y`: to a folder that is said as it is, and all the rest runs there or not at all. */
function decidesForAll(cd: PlainCommand, commands: readonly PlainCommand[]): boolean {
  const [, folder = '', ...more] = cd.words;
  const others = cd.variables.length + cd.redirections.length + more.length;
  return (
    cd.joinedBy === '&&' &&
    others === 0 &&
    /^[^-+~]/u.test(folder) &&
    !folder.split('/').includes('..') &&
    commands.slice(0, -1).every(({ joinedBy }) => joinedBy === '&&' || joinedBy === '|')
  );
}

/** The same commands, each word between quotes in which nothing has a meaning: what a rule lets run. */
export function formatCommand(commands: readonly PlainCommand[]): string {
  return commands
    .map(({ variables, words, redirections, joinedBy }) => {
      const simple = [
        ...variables.map(({ name, value }) => `${name}=${quoted(value)}`),
        // The one is a word of the shell’s own only where it is bare; the other is the same either way.
        ...words.map((word, index) => (index === 0 && (word === 'time' || word === 'cd') ? word : quoted(word))),
        ...redirections,
      ].join(' ');
      return joinedBy === null ? simple : joinedBy === ';' ? `${simple}; ` : `${simple} ${joinedBy} `;
    })
    .join('');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
