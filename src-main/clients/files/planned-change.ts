import type { FileEffect } from '#contract/vocabulary/effects.js';
import { digestBytes, type StoredUndo } from './client-undo-store.js';
import { type ConfigFile, openConfigFile, replaceConfigFile } from './config-file.js';

/** A settings file as it was seen, and the text that it is to get. */
export interface PlannedFileChange {
  readonly seen: ConfigFile;
  readonly text: string;
}

export function buildFileEffects({
  seen: { path, real, bytes, text: before },
  text,
}: PlannedFileChange): readonly FileEffect[] {
  if (before === text) return [];
  return [
    {
      path,
      change: bytes === null ? 'created' : 'modified',
      before: bytes === null ? null : before,
      after: text,
      note: real === path ? null : `It is a link to ${real}, which is changed.`,
    },
  ];
}

export const isAsWritten = ({ path, after }: StoredUndo['files'][number]): boolean => {
  const found = openConfigFile(path);
  return found.ok && found.file.bytes !== null && digestBytes(found.file.bytes) === after;
};

/** The record of what is kept of files that were written: with an earlier write of ours, what there was before that one. */
export function buildUndo(done: readonly PlannedFileChange[], earlier: StoredUndo | null): StoredUndo {
  const others = (earlier?.files ?? []).filter(({ path }) => !done.some(({ seen }) => seen.path === path));
  const written = done.map(({ seen, text }) => {
    const stood = earlier?.files.find(({ path }) => path === seen.path);
    const isUnbroken = stood === undefined || (seen.bytes !== null && digestBytes(seen.bytes) === stood.after);
    return {
      path: seen.path,
      before: stood === undefined ? (seen.bytes?.toString('base64') ?? null) : stood.before,
      after: isUnbroken ? digestBytes(Buffer.from(text)) : null,
    };
  });
  return { files: [...others, ...written] };
}

/** Puts files back to what they were, when another of them could not be written. */
export function restoreFiles(done: readonly PlannedFileChange[]): string {
  const stuck = done.flatMap(({ seen }) => {
    const found = openConfigFile(seen.path);
    const problem = found.ok ? replaceConfigFile(found.file, seen.bytes) : found.problem;
    return problem === null ? [] : [problem];
  });
  return stuck.length === 0 ? '' : ` ${stuck.join(' ')}`;
}
