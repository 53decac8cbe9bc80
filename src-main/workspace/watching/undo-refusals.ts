import type { MissingReason } from './snapshot/held-snapshot.js';
import { KEPT_OF_A_FILE, inMib } from '../../domain/size-bounds.js';

/** Why a change can't be undone, as the person reads it after “can’t be undone: ”. */
export type UndoRefusal =
  | MissingReason
  | 'in-git'
  | 'not-listed'
  | 'unnamable'
  | 'hard-links'
  | 'shared'
  | 'by-a-tool'
  | 'changed-after'
  | 'after-too-large'
  | 'only-times'
  | 'in-the-way'
  | 'quota'
  | 'not-kept';

export const UNDO_REFUSALS: Readonly<Record<UndoRefusal, string>> = {
  secret: 'It may hold secrets, so Gatehouse keeps no copy of it.',
  special: 'It is a device, pipe or socket, not a regular file.',
  'too-large': `It was larger than ${inMib(KEPT_OF_A_FILE)}, so no copy of it was kept.`,
  full: 'The workspace is larger than what is copied before a command, so no copy of it was kept.',
  'disk-full': 'The disk is full, or almost, so no copy of it was kept.',
  failed: 'No copy of it could be kept; the log says why.',
  'not-yet': 'No copy of it had been made when the command started.',
  'in-git': 'It is inside .git, which undo never touches.',
  'not-listed': 'It is a folder of dependencies or a cache, of which no copies are kept.',
  unnamable: 'Its name is not valid text.',
  'hard-links': 'It has, or had, other names (hard links), which may lie outside.',
  shared: 'Another command ran in this workspace at the same time, so whose change it is can’t be told.',
  'by-a-tool': 'A file tool changed it while the command ran. What that call did can be undone there.',
  'changed-after': 'Something changed it again right after the command.',
  'after-too-large': 'It is too large to be looked at after the command.',
  'only-times': 'Its content and rights are as they were; only its times were touched.',
  'in-the-way': 'A file or a folder stands in its way now.',
  quota: 'It is too large for what may be kept for undo.',
  'not-kept': 'What it was could not be kept for undo; the log says why.',
};
