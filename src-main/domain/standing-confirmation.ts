import type { Confinement } from '../../src-preload/contract/calls.js';
import type { Config } from './config.js';
import { coveredByFirstWords } from './policy/harmless-options.js';
import { type PlainCommand, readPlainCommand, writtenAnew } from './policy/plain-command.js';
import { isPureFilter } from './policy/pure-filters.js';

/** A yes that the person gave in advance. `workspace` limits it to one folder; absent, it holds everywhere. */
export type StandingConfirmation = Config['tools']['approval']['confirmed'][number];

/** What a real parse of a command tells; made by the command tool's analyzer. */
export interface CommandAnalysis {
  /** The commands it is made of, word by word; null where the reader is not certain of every bit of it. */
  readonly read: readonly PlainCommand[] | null;
  /** Why no rule may cover it, besides the dangers, in words; that it is not understood comes first. */
  readonly obstacles: readonly string[];
  /** Flagged dangers, in words; any of them takes the command out of reach of standing confirmations. */
  readonly dangers: readonly string[];
}

export interface AskedCall {
  readonly tool: string;
  /** Null for tools that run no command. */
  readonly analysis: CommandAnalysis | null;
  readonly workspace: string;
  /** By its token; null where it has none of its own. */
  readonly agent: string | null;
  /** What a command would get now, and what it gets by the person's own settings alone. Null where none is run. */
  readonly confinement: { readonly inForce: Confinement; readonly bySettings: Confinement } | null;
}

export type Coverage =
  /** `used` are the rules that cover it, `runs` the words that were read, quoted anew: what they let run. */
  | {
      readonly covered: true;
      readonly words: string;
      readonly used: readonly StandingConfirmation[];
      readonly runs: string | null;
    }
  /** Why not, where a rule would have covered it but for that. */
  | { readonly covered: false; readonly why: string | null };

const NOT: Coverage = { covered: false, why: null };

/** Whether the person's rules cover this call whole. */
export function coverageOf(rules: readonly StandingConfirmation[], call: AskedCall, now: number): Coverage {
  const valid = rules.filter(
    (rule) =>
      rule.tool === call.tool &&
      !expired(rule, now) &&
      (rule.workspace ?? call.workspace) === call.workspace &&
      (rule.agent === undefined || rule.agent === call.agent),
  );
  if (valid.length === 0) return NOT;
  if (call.analysis === null) {
    const rule = valid.find(({ command, prefix }) => command === undefined && prefix === undefined);
    return rule === undefined
      ? NOT
      : { covered: true, words: `You confirmed ${call.tool} in advance.`, used: [rule], runs: null };
  }
  const { read, obstacles, dangers } = call.analysis;
  if (read === null || read.length === 0 || obstacles.length > 0 || dangers.length > 0) return NOT;
  const holding = valid.filter((rule) => holdsHere(rule, call));
  const used = covering(holding, read);
  if (used === null) {
    return covering(valid, read) === null ? NOT : { covered: false, why: lessConfined(call) };
  }
  return { covered: true, words: `You confirmed “${describe(used)}” in advance.`, used, runs: writtenAnew(read) };
}

/** The rules that cover all of it: the whole, or each part that is more than a filter at the end of a pipe. */
function covering(
  rules: readonly StandingConfirmation[],
  read: readonly PlainCommand[],
): readonly StandingConfirmation[] | null {
  const whole = rules.find((rule) => rule.command !== undefined && isWhole(rule.command, read));
  if (whole !== undefined) return [whole];
  const used = new Set<StandingConfirmation>();
  for (const [index, part] of read.entries()) {
    const rule = rules.find((each) => coversPart(each, part));
    if (rule !== undefined) used.add(rule);
    else if (read[index - 1]?.joinedBy !== '|' || !isPureFilter(part.words)) return null;
  }
  return used.size === 0 ? null : [...used];
}

function isWhole(command: string, read: readonly PlainCommand[]): boolean {
  const own = readPlainCommand(command.trim());
  return own.understood && writtenAnew(own.commands) === writtenAnew(read);
}

function coversPart(rule: StandingConfirmation, { words }: PlainCommand): boolean {
  if (rule.command !== undefined) {
    const own = onlyCommand(rule.command);
    if (own !== null && sameWords(own, words)) return true;
  }
  const prefix = rule.prefix === undefined ? null : onlyCommand(rule.prefix);
  return prefix !== null && coveredByFirstWords(prefix, words);
}

/** The words of a rule, read as the command’s own are; null where it is more than one plain command. */
function onlyCommand(text: string): readonly string[] | null {
  const own = readPlainCommand(text.trim());
  if (!own.understood || own.commands.length !== 1) return null;
  const [command] = own.commands;
  return command === undefined || command.variables.length > 0 || command.redirections.length > 0
    ? null
    : command.words;
}

/** The words of each command that a rule names; none where they can’t be read for certain, and the rule never applies. */
export function commandsOf({
  command,
  prefix,
}: Pick<StandingConfirmation, 'command' | 'prefix'>): readonly (readonly string[])[] {
  const own = readPlainCommand((command ?? prefix ?? '').trim());
  return own.understood ? own.commands.map(({ words }) => words) : [];
}

const sameWords = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, index) => word === other[index]);

const LEVEL: Readonly<Record<Confinement, number>> = { unconfined: 0, network: 1, confined: 2 };

/** Whether this confinement holds a command at least as closely as that one. */
export const isAtLeast = (confinement: Confinement, least: Confinement): boolean => LEVEL[confinement] >= LEVEL[least];

/** The least confinement that a rule holds under: what it says, else what the person's settings give, else confined. */
export const leastConfinement = (rule: StandingConfirmation, bySettings: Confinement): Confinement =>
  rule.confinement ?? bySettings;

function holdsHere(rule: StandingConfirmation, { confinement }: AskedCall): boolean {
  return confinement === null || isAtLeast(confinement.inForce, leastConfinement(rule, confinement.bySettings));
}

const lessConfined = ({ confinement }: AskedCall): string =>
  `You confirmed this in advance for commands that are held more closely than they are now (${confinement?.inForce ?? ''}), so it asks.`;

// A date that can't be read is treated as over: a typing slip must not make a yes eternal.
function expired(rule: StandingConfirmation, now: number): boolean {
  if (rule.expires === undefined) return false;
  const until = Date.parse(rule.expires);
  return Number.isNaN(until) || now >= until;
}

const describe = (rules: readonly StandingConfirmation[]): string =>
  rules.map((rule) => rule.command ?? `${rule.prefix ?? rule.tool} …`).join('”, “');
