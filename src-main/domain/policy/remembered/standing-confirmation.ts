import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import { isCoveredByFirstWords } from '../../commands/programs/first-words.js';
import {
  type PlainCommand,
  type PlainReading,
  readPlainCommand,
  formatCommand,
} from '../../commands/shell/plain-command.js';
import { findLeadingCd, pinLeadingCd, dropTimeWords } from './transparent-words.js';
import { isPureFilter } from '../../commands/programs/known/reading-programs.js';
import { matchesEntry, type ToolIdentity } from '../../tool/tool-identity.js';

/** A yes that the person gave in advance. `workspace` limits it to one folder; absent, it holds everywhere. */
export type StandingConfirmation = Config['tools']['approval']['confirmed'][number];

/** A standing confirmation that may be for one session alone: such a rule is never written down. */
export type LiveRule = StandingConfirmation & { readonly session?: string };

/** The result of a real parse of a command; made by the command tool's analyzer. */
export interface CommandAnalysis {
  /** The commands it is made of, word by word; null where the reader is not certain of every bit of it. */
  readonly read: readonly PlainCommand[] | null;
  /** Why no rule may cover it, besides the dangers, in words; that it is not understood comes first. */
  readonly obstacles: readonly string[];
  /** Flagged dangers, in words; any of them takes the command out of reach of standing confirmations. */
  readonly dangers: readonly string[];
}

export interface AskedCall {
  readonly tool: ToolIdentity;
  /** Null for tools that run no command. */
  readonly analysis: CommandAnalysis | null;
  readonly workspace: string;
  /** The folder that a `cd` in front of it leads to; null where there is none, or that is not certain. */
  readonly leadsTo: string | null;
  /** The agent by its token; null where it has none of its own. */
  readonly agent: string | null;
  readonly session: string;
  /**
   * The confinement that a command would get now, and the one it gets by the person's own settings alone. Null where no
   * command is run.
   */
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

const NOT_COVERED: Coverage = { covered: false, why: null };

/** Whether the person's rules cover this call whole. */
export function findCoverage(rules: readonly LiveRule[], call: AskedCall, now: number): Coverage {
  const valid = rules.filter(
    (rule) =>
      matchesEntry(rule.tool, call.tool) &&
      !hasExpired(rule, now) &&
      (rule.agent === undefined || rule.agent === call.agent) &&
      (rule.session === undefined || rule.session === call.session),
  );
  if (valid.length === 0) return NOT_COVERED;
  if (call.analysis === null) {
    const rule = valid.find(
      (each) => each.command === undefined && each.prefix === undefined && appliesToFolder(each, call.workspace),
    );
    return rule === undefined
      ? NOT_COVERED
      : { covered: true, words: `Your rule lets ${call.tool.name} run.`, used: [rule], runs: null };
  }
  const { read, obstacles, dangers } = call.analysis;
  if (read === null || read.length === 0 || obstacles.length > 0 || dangers.length > 0) return NOT_COVERED;
  const holding = valid.filter((rule) => isConfinedEnough(rule, call));
  const used = findCoveringRules(holding, read, call);
  if (used === null) {
    return findCoveringRules(valid, read, call) === null
      ? NOT_COVERED
      : { covered: false, why: explainLessConfined(call) };
  }
  const runs = formatCommand(pinLeadingCd(read));
  return { covered: true, words: `Your rule “${describeRules(used)}” lets it run.`, used, runs };
}

const appliesToFolder = (rule: StandingConfirmation, folder: string): boolean => (rule.workspace ?? folder) === folder;

/** A rule with its words, read once as the command’s own are; null where they are not what it needs. */
interface ReadRule {
  readonly rule: StandingConfirmation;
  readonly whole: string | null;
  readonly words: readonly string[] | null;
  readonly prefix: readonly string[] | null;
}

/** More parts than a person would look through, each of them held against each rule. */
const MAX_PARTS = 50;

/** The rules that cover all of it: the whole, or each part that is more than a filter at the end of a pipe. */
function findCoveringRules(
  rules: readonly StandingConfirmation[],
  read: readonly PlainCommand[],
  { workspace, leadsTo }: Pick<AskedCall, 'workspace' | 'leadsTo'>,
): readonly StandingConfirmation[] | null {
  const leads = findLeadingCd(read) !== null;
  const folder = leads ? leadsTo : workspace;
  if (folder === null) return null;
  const known = rules.map(readRule);
  const text = formatCommand(read);
  // A rule for the whole command, `cd` and all, is of the folder that it begins in; one for a part, of the folder where that runs.
  const whole = known.find((each) => each.whole === text && appliesToFolder(each.rule, workspace));
  if (whole !== undefined) return [whole.rule];
  if (read.length > MAX_PARTS) return null;
  const there = known.filter(({ rule }) => appliesToFolder(rule, folder));
  const parts = leads ? read.slice(1) : read;
  const used = new Set<StandingConfirmation>();
  for (const [index, part] of parts.entries()) {
    const by = there.find((each) => coversPart(each, part));
    if (by !== undefined) used.add(by.rule);
    else if (parts[index - 1]?.joinedBy !== '|' || !isPureFilter(part.words)) return null;
  }
  return used.size === 0 ? null : [...used];
}

function readRule(rule: StandingConfirmation): ReadRule {
  const command = rule.command === undefined ? null : readPlainCommand(rule.command.trim());
  const prefix = rule.prefix === undefined ? null : readPlainCommand(rule.prefix.trim());
  return {
    rule,
    whole: command?.understood === true ? formatCommand(command.commands) : null,
    words: command === null ? null : onlyWords(command),
    prefix: prefix === null ? null : onlyWords(prefix),
  };
}

function onlyWords(reading: PlainReading): readonly string[] | null {
  if (!reading.understood || reading.commands.length !== 1) return null;
  const [command] = reading.commands;
  return command === undefined || command.variables.length > 0 || command.redirections.length > 0
    ? null
    : command.words;
}

const coversPart = (rule: ReadRule, { words }: PlainCommand): boolean =>
  coversWords(rule, words) || coversWords(rule, dropTimeWords(words));

const coversWords = ({ words: own, prefix }: ReadRule, words: readonly string[]): boolean =>
  (own !== null && sameWords(own, words)) || (prefix !== null && isCoveredByFirstWords(prefix, words));

const sameWords = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, index) => word === other[index]);

/**
 * The commands that a rule names, and the folder that it goes to itself; none where they can’t be read for certain, and the
 * rule never applies.
 */
export function readRuleCommands({ command, prefix }: Pick<StandingConfirmation, 'command' | 'prefix'>): {
  readonly commands: readonly (readonly string[])[];
  readonly folder: string | null;
} {
  const own = readPlainCommand((command ?? prefix ?? '').trim());
  return own.understood
    ? { commands: own.commands.map(({ words }) => dropTimeWords(words)), folder: findLeadingCd(own.commands) }
    : { commands: [], folder: null };
}

const CONFINEMENT_LEVEL: Readonly<Record<Confinement, number>> = { unconfined: 0, network: 1, confined: 2 };

/** Whether this confinement holds a command at least as closely as that one. */
export const isConfinementAtLeast = (confinement: Confinement, least: Confinement): boolean =>
  CONFINEMENT_LEVEL[confinement] >= CONFINEMENT_LEVEL[least];

/** The least confinement that a rule holds under: what it says, else what the person's settings give, else confined. */
export const leastConfinement = (rule: StandingConfirmation, bySettings: Confinement): Confinement =>
  rule.confinement ?? bySettings;

function isConfinedEnough(rule: StandingConfirmation, { confinement }: AskedCall): boolean {
  return (
    confinement === null || isConfinementAtLeast(confinement.inForce, leastConfinement(rule, confinement.bySettings))
  );
}

const CONFINEMENT_WORDS: Readonly<Record<Confinement, string>> = {
  confined: 'sandboxed',
  network: 'sandboxed, with network',
  unconfined: 'unconfined',
};

const explainLessConfined = ({ confinement }: AskedCall): string =>
  `Your rule doesn’t apply while commands run with less sandboxing than when you made it (now: ${CONFINEMENT_WORDS[confinement?.inForce ?? 'unconfined']}).`;

// A date that can't be read is treated as over: a typing slip must not make a yes eternal.
export function hasExpired(rule: StandingConfirmation, now: number): boolean {
  if (rule.expires === undefined) return false;
  const until = Date.parse(rule.expires);
  return Number.isNaN(until) || now >= until;
}

/** Names the rules between quotation marks. */
export const describeRules = (rules: readonly StandingConfirmation[]): string =>
  rules.map((rule) => rule.command ?? `${rule.prefix ?? rule.tool} …`).join('”, “');
