import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { UndoFile } from '#contract/vocabulary/undo.js';

const CHANGES = { restore: 'modified', delete: 'deleted', recreate: 'created' } as const;
const WORDS = { restore: 'will be restored', delete: 'will be deleted', recreate: 'will be recreated' } as const;

export const describeUndo = (file: UndoFile): string => WORDS[file.action];

export const formatRights = (mode: number): string => mode.toString(8).padStart(3, '0');

const describeRightsUndo = ({ rights }: UndoFile): string | null =>
  rights === null
    ? null
    : `Its permissions change back from ${formatRights(rights.after)} to ${formatRights(rights.before)}.`;

/** Shows an undo of a file as an effect: from what it is now to what it was before the call. */
export const buildUndoEffect = (file: UndoFile): FileEffect => ({
  path: file.path,
  change: CHANGES[file.action],
  before: file.current,
  after: file.action === 'delete' ? null : file.before,
  note: file.problem ?? describeRightsUndo(file),
});
