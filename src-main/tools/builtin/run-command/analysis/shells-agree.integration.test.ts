import { expect, it } from 'vitest';
import { type PlainCommand, formatCommand } from '../../../../domain/commands/shell/plain-command.js';
import type { Reading } from '../../../../domain/commands/reading/reading.js';
import { findUnattendedObstacles } from '../../../../domain/commands/reading/verdicts.js';
import { createCommandReader } from './command-reader.js';
import { commandFrom, numbersFrom, PROGRAMS } from './command-samples.test-support.js';
import { type ShellEffects, type Shell, ShellRuns, shellsHere, UNIT } from './shell-runs.test-support.js';

// `npm run fuzz` looks for longer, from a seed that it prints.
const SEED = Number(process.env['GATEHOUSE_FUZZ_SEED'] ?? 12);
const COMMANDS = Number(process.env['GATEHOUSE_FUZZ_COMMANDS'] ?? 1000);
const BATCH = 150;

/** Lists what the words say is started, whatever the shell: by what joins them, and who fails. */
function toBeStarted(commands: readonly PlainCommand[]): readonly string[] {
  const started: string[] = [];
  let runs = true;
  let succeeded = true;
  for (const [index, { variables, words, joinedBy }] of commands.entries()) {
    const before = commands[index - 1]?.joinedBy ?? ';';
    if (before !== '|') runs = before === '&&' ? succeeded : before === '||' ? !succeeded : true;
    if (runs) {
      const seen = (name: string): string =>
        `${name}=${variables.findLast((variable) => variable.name === name)?.value ?? ''}`;
      const [program, ...args] = words;
      if (PROGRAMS.includes(program)) started.push([program, seen('CI'), seen('NODE_ENV'), ...args].join(UNIT));
      // Of a pipe, the last one counts; what is skipped changes nothing.
      if (joinedBy !== '|') succeeded = PROGRAMS.includes(program) && !program.startsWith('bad');
    }
  }
  return started.sort();
}

/** A program that is not there fails; those within a shell have their own mind, so such a command is left out. */
const isForeseen = (commands: readonly PlainCommand[]): boolean =>
  commands.every(({ words: [program] }) => PROGRAMS.includes(program) || /[@%,^\d]/u.test(program));

interface Sample {
  readonly text: string;
  readonly anew: string;
  readonly started: readonly string[] | null;
}

async function samples(count: number, seed: number): Promise<readonly Sample[]> {
  const reader = createCommandReader();
  const random = numbersFrom(seed);
  const found: Sample[] = [];
  for (let made = 0; made < count; made += 1) {
    const text = commandFrom(random);
    const { read } = await reader.analyze(text);
    if (read === null) continue;
    found.push({ text, anew: formatCommand(read), started: isForeseen(read) ? toBeStarted(read) : null });
  }
  return found;
}

/** Lists what is wrong, in words that can be tried again. */
function complaints(shell: Shell, sample: Sample, asText: ShellEffects, asWords: ShellEffects): readonly string[] {
  const says = (what: string, one: unknown, other: unknown): string =>
    `${shell.name}: ${what}\n  text  ${JSON.stringify(sample.text)}\n  words ${JSON.stringify(sample.anew)}\n  ${JSON.stringify(one)}\n  ${JSON.stringify(other)}`;
  const differ = (one: readonly string[], other: readonly string[]): boolean => one.join('\0') !== other.join('\0');
  return [
    ...(differ(asText.started, asWords.started) ? [says('starts otherwise', asText.started, asWords.started)] : []),
    ...(sample.started !== null && differ(asWords.started, sample.started)
      ? [says('starts what was not read', asWords.started, sample.started)]
      : []),
    ...(differ(asText.said, asWords.said) ? [says('says otherwise', asText.said, asWords.said)] : []),
    ...([...asText.left, ...asWords.left].length > 0 ? [says('leaves files', asText.left, asWords.left)] : []),
  ];
}

it(`what is understood is the same to every shell, as text and as words (seed ${SEED}, ${COMMANDS} commands)`, async () => {
  const shells = shellsHere();
  expect(shells.map(({ name }) => name)).toEqual(['dash', 'bash --posix', 'busybox sh']);
  const all = await samples(COMMANDS, SEED);
  // Enough of it is understood for the rest to mean something, and much is not.
  expect(all.length).toBeGreaterThan(COMMANDS / 10);
  expect(all.length).toBeLessThan(COMMANDS * 0.7);
  using runs = new ShellRuns(PROGRAMS);
  const wrong: string[] = [];
  for (let at = 0; at < all.length; at += BATCH) {
    const batch = all.slice(at, at + BATCH);
    for (const shell of shells) {
      const texts = batch.flatMap(({ text, anew }) => [text, anew]);
      const seen = await runs.seen(shell, texts);
      for (const [index, sample] of batch.entries()) {
        const [asText, asWords] = [seen[2 * index], seen[2 * index + 1]];
        if (asText !== undefined && asWords !== undefined) wrong.push(...complaints(shell, sample, asText, asWords));
      }
    }
  }
  expect(wrong.slice(0, 10).join('\n')).toBe('');
}, 600_000);

/** An empty folder: there is nothing in it but what is Git’s or a tool’s. */
const EMPTY_FOLDER = { roots: ['/w'], files: () => [], text: () => null, tracked: () => ({ top: '', files: [] }) };

it(`what may run unasked starts and leaves nothing that was not read (seed ${SEED}, ${COMMANDS} commands)`, async () => {
  const reader = createCommandReader(undefined, undefined, () => EMPTY_FOLDER);
  const random = numbersFrom(SEED + 1);
  const all: { readonly text: string; readonly reading: Reading }[] = [];
  for (let made = 0; made < COMMANDS; made += 1) {
    const text = commandFrom(random);
    const reading = await reader.analyze(text, EMPTY_FOLDER.roots);
    // What `.` takes in has the shell’s own name; what asks is looked at by a person.
    const against = findUnattendedObstacles(reading, { confinement: 'confined', copiesKept: true, withoutCopy: [] });
    if (against.length === 0 && !reading.programs.includes('.')) all.push({ text, reading });
  }
  expect(all.length).toBeGreaterThan(COMMANDS / 10);
  using runs = new ShellRuns(PROGRAMS);
  const wrong: string[] = [];
  for (let at = 0; at < all.length; at += BATCH) {
    const batch = all.slice(at, at + BATCH);
    for (const shell of shellsHere()) {
      const seen = await runs.seen(
        shell,
        batch.map(({ text }) => text),
      );
      for (const [index, { text, reading }] of batch.entries())
        wrong.push(...unread(shell, text, reading, seen[index]));
    }
  }
  expect(wrong.slice(0, 10).join('\n')).toBe('');
}, 600_000);

/** Lists what was started or left that the reading does not name. */
function unread(shell: Shell, text: string, reading: Reading, seen: ShellEffects | undefined): readonly string[] {
  const says = (what: string): string =>
    `${shell.name}: ${what}\n  text  ${JSON.stringify(text)}\n  read  ${JSON.stringify([reading.programs, reading.files])}`;
  const started = (seen?.started ?? []).map((each) => each.split(UNIT)[0] ?? '');
  const named = new Set(reading.files.map(({ path }) => path));
  return [
    ...started.filter((program) => !reading.programs.includes(program)).map((program) => says(`starts ${program}`)),
    ...(seen?.left ?? []).filter((file) => !named.has(file)).map((file) => says(`leaves ${file}`)),
  ];
}
