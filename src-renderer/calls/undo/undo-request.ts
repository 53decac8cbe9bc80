import type { UndoPlan } from '#contract/vocabulary/undo.js';
import type { RequestOf } from '#contract/window/channels.js';

/**
 * Builds the request that undoes these files of a plan, as one call: the calls the latest first, with the files of
 * each. Null where there is none.
 */
export function buildUndoRequest(
  { files, callIds }: UndoPlan,
  chosen: ReadonlySet<string>,
): RequestOf<'undo.apply'> | null {
  const paths = new Map<string, string[]>();
  for (const file of files)
    if (chosen.has(file.path))
      for (const callId of file.callIds) paths.set(callId, [...(paths.get(callId) ?? []), file.path]);
  const [latest, ...earlier] = callIds.flatMap((callId) => {
    const own = paths.get(callId);
    return own === undefined ? [] : [{ callId, paths: own }];
  });
  if (latest === undefined) return null;
  return earlier.length === 0 ? latest : { ...latest, earlier };
}
