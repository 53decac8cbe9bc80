import { readPlainCommand } from '../policy/plain-command.js';
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
  neverRemembered: [],
  background: false,
  variables: [],
  leadsTo: '',
  ...said,
});

/** As far as words go, without the parser, which has tests of its own. */
export function readPlainly(command: string, said: Partial<Reading> = {}): Reading {
  const reading = readPlainCommand(command);
  return readingThatSays({ read: reading.understood ? reading.commands : null, ...said });
}
