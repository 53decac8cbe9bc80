import { findHooks } from './repository-hooks.js';
import { decideLeaveAllowance } from '../../sensitive/command-allowance.js';
import { readScript } from '../shell/read-script.js';
import { UnreadableScript } from '../shell/syntax.js';
import type { Folder } from './folder.js';
import type { Finding, Reading } from './reading.js';
import { ReadingRecord, type TextRange } from './reading-record.js';
import type { ShellScope } from './judging/command-context.js';
import { ScriptWalk } from './script-walk.js';

/** What another reader makes of a text: it names programs, and says where it doubts. What they do is none of its business. */
export interface SecondOpinion {
  /** The words for rules, where both readers agree to the letter; null otherwise, and `obstacles` says why. */
  readonly read: Reading['read'];
  readonly obstacles: Reading['obstacles'];
  /** Where the text is not what it looks like, or is not certain, and why. */
  readonly doubts: readonly Omit<Finding, 'kind'>[];
  /** The commands that it saw, each with its program; null where only running it would tell. Where the whole can’t be read here, each is read by itself. */
  readonly commands: readonly (TextRange & { readonly program: string | null })[];
}

/** Characters of commands that are read one by one, those within others counted again. */
const MAX_READ_APART = 200_000;

/** Builds the reading of a command that could not be looked at: nothing is known of it. */
export const unreadableReading = (why: string, length: number, doubts: SecondOpinion['doubts']): Reading => ({
  read: null,
  obstacles: [],
  dangers: [why],
  notWhole: why,
  found: [{ kind: 'unread', start: 0, end: length, words: why }, ...doubts.map(asUnread)],
  programs: [],
  onlyReads: false,
  files: [],
  hosts: [],
  anyHost: true,
  secrets: [],
  controlFiles: [],
  outside: [],
  git: 'rewrites',
  leaves: { git: false, gitCommands: null, named: [] },
  neverRemembered: [],
  background: true,
  variables: [],
  leadsTo: null,
});

const asUnread = (doubt: Omit<Finding, 'kind'>): Finding => ({ kind: 'unread', ...doubt });

export function readCommand(command: string, folder: Folder, other: SecondOpinion): Reading {
  const record = new ReadingRecord(folder);
  const walk = new ScriptWalk(record);
  const whole = { start: 0, end: command.length };
  const scope: ShellScope = { variables: new Map(), cwds: [''], input: { kind: 'none' }, maybe: false, depth: 0 };
  try {
    walk.script(readScript(command), scope);
  } catch (error) {
    if (!(error instanceof UnreadableScript)) throw error;
    record.unread({ start: error.at, end: command.length }, error.why);
    // What can’t be read is looked at for what it names, and for the commands that can.
    record.text(command, [''], whole);
    const seen = new Set<string>();
    let left = MAX_READ_APART;
    for (const { program, ...at } of other.commands) {
      const text = command.slice(at.start, at.end);
      if (seen.has(text)) continue;
      seen.add(text);
      left -= text.length;
      if (left < 0) break;
      walk.text(text, at, { ...scope }, program);
    }
  }
  const missed = other.commands
    .map(({ program }) => program)
    .find((program) => program !== null && !record.programs.has(program.split('/').at(-1) ?? program));
  if (typeof missed === 'string') record.unread(whole, `“${missed.slice(0, 40)}” may be run, or not: shells differ`);
  for (const doubt of other.doubts) {
    record.notWhole ??= doubt.words;
    record.note('unread', doubt, doubt.words);
  }
  // Hooks, below, are none of it: a rule for a Git command is a yes to what they run.
  const dangers = record.dangers();
  const leaves = decideLeaveAllowance(isCertain(record) ? record.ran : null, [...record.controlFiles]);
  const elsewhere = record.ran.some(({ program, words }) => !program.endsWith('git') || words.includes('-C'));
  const hooks = findHooks(folder, leaves.gitCommands ?? [], elsewhere);
  if (hooks.length > 0)
    record.note(
      'unseen-program',
      whole,
      `runs hooks of this repository (${hooks.join(', ')}), which can change all that Git keeps`,
    );
  record.settle(walk.startsServer);
  return {
    read: other.read,
    obstacles: other.obstacles,
    dangers,
    notWhole: record.notWhole,
    found: record.found.toSorted((one, two) => one.start - two.start || two.end - one.end),
    programs: [...record.programs],
    onlyReads:
      record.onlyReads &&
      !record.reveals &&
      !record.computesText &&
      record.notWhole === null &&
      record.programs.size > 0,
    files: [...record.files.values()],
    hosts: [...record.hosts],
    anyHost: record.anyHost,
    secrets: [...record.secrets],
    controlFiles: [...record.controlFiles],
    outside: [...record.outside],
    git: record.git,
    leaves,
    neverRemembered: record.neverRemembered(),
    background: record.background,
    variables: [...record.variables.values()],
    leadsTo: scope.cwds?.length === 1 ? (scope.cwds[0] ?? null) : null,
  };
}

/** Whether the words are those that run, and nothing else is that they would obey. */
const isCertain = ({ notWhole, variables, computesText }: ReadingRecord): boolean =>
  notWhole === null && !computesText && [...variables.values()].every(({ harmless }) => harmless);
