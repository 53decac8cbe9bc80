import { readPlainCommand } from '../shell/plain-command.js';
import type { Folder } from './folder.js';
import { readCommand } from './read-command.js';
import type { Reading } from './reading.js';

/** A reading of nothing in particular, with what a test wants it to say. */
export const readingThatSays = (said: Partial<Reading>): Reading => ({
  read: null,
  obstacles: [],
  dangers: [],
  notWhole: null,
  found: [],
  programs: [],
  onlyReads: false,
  files: [],
  hosts: [],
  anyHost: false,
  secrets: [],
  controlFiles: [],
  outside: [],
  git: 'none',
  leaves: { git: false, gitCommands: null, named: [] },
  neverRemembered: [],
  background: false,
  variables: [],
  leadsTo: '',
  ...said,
});

/** Reads a command as far as words go, without the parser, which has tests of its own. */
export function readPlainly(command: string, said: Partial<Reading> = {}): Reading {
  const reading = readPlainCommand(command);
  return readingThatSays({ read: reading.understood ? reading.commands : null, ...said });
}

const EMPTY_FOLDER: Folder = { roots: ['/work'], files: () => [], text: () => null, tracked: () => null };

/** Reads a command without the other reader, which has tests of its own. */
export const readAlone = (command: string, folder: Folder = EMPTY_FOLDER): Reading =>
  readCommand(command, folder, {
    read: null,
    obstacles: [],
    doubts: [],
    commands: [],
  });
