import type { Config } from './config.js';

/** A yes that the person gave in advance. `workspace` limits it to one folder; absent, it holds everywhere. */
export type StandingConfirmation = Config['tools']['approval']['confirmed'][number];

/** What a real parse of a command tells; made by the command tool's analyzer. */
export interface CommandAnalysis {
  /** The simple commands it is made of; one for a plain command. */
  readonly parts: readonly string[];
  readonly hasRedirection: boolean;
  /** Flagged dangers, in words; any of them takes the command out of reach of standing confirmations. */
  readonly dangers: readonly string[];
}

export interface AskedCall {
  readonly tool: string;
  /** Null for tools that run no command. */
  readonly command: string | null;
  readonly analysis: CommandAnalysis | null;
  readonly workspace: string;
}

/** What covers a call whole: in words, and the rules themselves, which must still stand when it starts. */
export interface Confirmed {
  readonly words: string;
  readonly rules: readonly StandingConfirmation[];
}

/** The confirmation that covers this call whole, or null. */
export function confirmedBy(rules: readonly StandingConfirmation[], call: AskedCall, now: number): Confirmed | null {
  const valid = rules.filter(
    (rule) => rule.tool === call.tool && !expired(rule, now) && (rule.workspace ?? call.workspace) === call.workspace,
  );
  if (valid.length === 0) return null;
  if (call.command === null) {
    const rule = valid.find((each) => each.command === undefined && each.prefix === undefined);
    return rule === undefined ? null : { words: `You confirmed ${call.tool} in advance.`, rules: [rule] };
  }
  if (call.analysis === null || call.analysis.hasRedirection || call.analysis.dangers.length > 0) return null;
  if (call.analysis.parts.length === 0) return null;
  const covering = call.analysis.parts.map((part) => valid.find((rule) => covers(rule, part)));
  const used = [...new Set(covering.filter((rule) => rule !== undefined))];
  return covering.includes(undefined) ? null : { words: `You confirmed “${describe(used)}” in advance.`, rules: used };
}

function covers(rule: StandingConfirmation, part: string): boolean {
  if (rule.command !== undefined && part === rule.command.trim()) return true;
  if (rule.prefix === undefined || rule.prefix.trim() === '') return false;
  const words = part.split(/[ \t]+/);
  const first = rule.prefix.trim().split(/[ \t]+/);
  return first.every((word, index) => words[index] === word);
}

/** Whether a rule that let a call run does so still: it is there as it was, and not over. */
export const stillStands = (rule: StandingConfirmation, rules: readonly StandingConfirmation[], now: number): boolean =>
  !expired(rule, now) && rules.some((each) => sameRule(each, rule));

function sameRule(one: StandingConfirmation, other: StandingConfirmation): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof StandingConfirmation>;
  return [...names].every((name) => one[name] === other[name]);
}

// A date that can't be read is treated as over: a typing slip must not make a yes eternal.
function expired(rule: StandingConfirmation, now: number): boolean {
  if (rule.expires === undefined) return false;
  const until = Date.parse(rule.expires);
  return Number.isNaN(until) || now >= until;
}

const describe = (rules: readonly StandingConfirmation[]): string =>
  rules.map((rule) => rule.command ?? `${rule.prefix ?? rule.tool} …`).join('”, “');
