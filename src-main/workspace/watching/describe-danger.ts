import type { ChangedFile } from '#contract/vocabulary/calls.js';
import { isControlFile, isMarked, explainSteering } from '../../domain/sensitive/sensitive-places.js';
import { MAY_STEER, findUnknownDot } from '../../domain/sensitive/unknown-dot-files.js';
import type { PathChange } from './compare-lists.js';

const SET_ID = 0o6000;

/** Why a change deserves a look before all others; null for most. */
export function describeDanger({ path, before, after }: PathChange): string | null {
  const bits = after?.kind === 'file' ? after.mode & SET_ID : 0;
  if (bits !== 0 && (before?.kind !== 'file' || (before.mode & SET_ID) !== bits)) {
    return 'whoever runs it has the rights of its owner (set-id)';
  }
  if (isMarked(path) && isControlFile(path)) return explainSteering(path);
  return before === null && findUnknownDot(path) !== null ? MAY_STEER : null;
}

export const describeNewRepository = (path: string): ChangedFile => ({
  path: path === '' ? '.' : path,
  change: 'created',
  undoable: false,
  note: 'It is a repository of Git, which undo never touches.',
  danger: 'a new repository: Git obeys its settings and hooks',
});
