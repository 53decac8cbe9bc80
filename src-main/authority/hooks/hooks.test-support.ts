import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import type { RefusedHook } from '#contract/window/hooks.js';
import type { StartHeldProgram } from '../../domain/ports/sources/held-program.js';
import { HookFiles } from '../../platform/data-folder/hook-files.js';
import { systemClock } from '../../platform/clock.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { ownFiles } from '../../process/programs/own-files.js';
import { PersonsHooks } from './persons-hooks.js';

export interface TestHooks {
  readonly hooks: PersonsHooks;
  readonly dataDir: string;
  /** Where their files are. */
  readonly folder: string;
  /** What is in force: changed by a test as the person changes their file. */
  settings: readonly HookSettings[];
  refused: readonly RefusedHook[];
  openFolders: readonly string[];
  /** Writes a script there, and gives the settings of a hook that runs it. */
  script(name: string, text: string, more?: Partial<HookSettings>): HookSettings;
}

/** The person's hooks as the app has them, with programs that are really held. */
export function openTestHooks(start: StartHeldProgram): TestHooks {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'gh-hooks-')));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const folder = join(dataDir, 'hooks');
  mkdirSync(folder);
  const made: TestHooks = {
    dataDir,
    folder,
    settings: [],
    refused: [],
    openFolders: [],
    hooks: new PersonsHooks({
      start,
      ownFiles: (command, args, cwd) =>
        ownFiles(command, args, cwd, { homes: [homedir()], hidden: [dataDir, ...made.openFolders] }),
      redactor: openTestRedactor(),
      clock: systemClock,
      inForce: () => ({ hooks: made.settings, refused: made.refused }),
      files: new HookFiles(join(dataDir, 'accepted-hook-files')),
      folder: () => folder,
      openFolders: () => made.openFolders,
    }),
    script: (name, text, more = {}) => {
      writeFileSync(join(folder, `${name}.sh`), text);
      return { name, when: 'before', command: ['sh', `${name}.sh`], timeout_seconds: 60, ...more };
    },
  };
  return made;
}
