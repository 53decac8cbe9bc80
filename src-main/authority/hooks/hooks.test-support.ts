import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import type { RefusedHook } from '#contract/window/hooks.js';
import type { HeldProgram, HeldProgramEnd, StartHeldProgram } from '../../domain/ports/sources/held-program.js';
import { HookFiles } from '../../platform/data-folder/hook-files.js';
import { systemClock } from '../../platform/clock.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { testOwnCode } from '../../process/programs/own-code.test-support.js';
import { PersonsHooks } from './persons-hooks.js';

export interface TestHooks {
  readonly hooks: PersonsHooks;
  readonly dataDir: string;
  /** The folder with their files. */
  readonly folder: string;
  /** The settings in force: changed by a test as the person changes their file. */
  settings: readonly HookSettings[];
  refused: readonly RefusedHook[];
  openFolders: readonly string[];
  readonly accepted: HookFiles;
  /** Writes a script there, and gives the settings of a hook that runs it. */
  script(name: string, text: string, more?: Partial<HookSettings>): HookSettings;
}

/** Opens the person's hooks as the app has them, with programs that are really confined. */
export function openTestHooks(start: StartHeldProgram): TestHooks {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'gh-hooks-')));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const folder = join(dataDir, 'hooks');
  mkdirSync(folder);
  const accepted = new HookFiles(join(dataDir, 'accepted-hook-files'));
  const made: TestHooks = {
    accepted,
    dataDir,
    folder,
    settings: [],
    refused: [],
    openFolders: [],
    hooks: new PersonsHooks({
      start,
      code: testOwnCode({
        homes: () => [homedir()],
        hidden: () => [dataDir, ...made.openFolders],
        writable: () => made.openFolders,
        copies: join(dataDir, 'program-copies'),
      }),
      redactor: openTestRedactor(),
      clock: systemClock,
      inForce: () => ({ hooks: made.settings, refused: made.refused }),
      files: accepted,
      folder: () => folder,
      mayBeWritten: (path) => made.openFolders.some((open) => path === open || path.startsWith(`${open}/`)),
    }),
    script: (name, text, more = {}) => {
      writeFileSync(join(folder, `${name}.sh`), text);
      return { name, when: 'before', command: ['sh', `${name}.sh`], timeout_seconds: 60, ...more };
    },
  };
  return made;
}

const ENDED_WELL: HeldProgramEnd = { code: 0, signal: null, limit: null, unstartable: null };

/** A program that a test plays, for what falls between two moments; real ones run in persons-hooks.integration.test.ts. */
export function playProgram(stdout: readonly string[] = [], stderr: readonly string[] = []) {
  const ended = Promise.withResolvers<HeldProgramEnd>();
  const ends: number[] = [];
  async function* says(texts: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
    await ended.promise;
  }
  const program: HeldProgram = {
    pid: 1,
    confinement: 'confined',
    write: async () => undefined,
    endInput: () => undefined,
    stdout: says(stdout),
    stderr: says(stderr),
    side: says([]),
    ended: ended.promise,
    end: async (graceMs) => {
      ends.push(graceMs);
      ended.resolve({ ...ENDED_WELL, code: null, signal: 'SIGKILL' });
    },
  };
  return { program, ends, endsWith: (end: Partial<HeldProgramEnd>) => ended.resolve({ ...ENDED_WELL, ...end }) };
}
