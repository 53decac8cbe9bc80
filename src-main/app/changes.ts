import type { ChangedPath, ChangesScope } from '#contract/vocabulary/activity/changes.js';
import { JournalUnavailableError } from '../domain/ports/journal.js';
import type { RemainingChanges } from '../domain/ports/workspace/undo-store.js';
import type { ChangingCalls } from '../journal/reading/queries/changing-calls.js';
import { done, nothing, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { ComposedGate } from './gate/gate.js';
import type { Record } from './record.js';

/** The window's channels for the changes that calls made in a folder, as one, and for what undoing them would do. */
export function changeChannels({ during }: Pick<ComposedGate, 'during'>, { reader, undo, journal }: Record) {
  const readAll = async (scope: ChangesScope) => {
    const { calls, complete } = await reader.changing(scope);
    const changing = calls.map(({ call: { callId }, undoes }) => ({ callId, undoes }));
    const standing = await undo.listRemainingChanges(changing);
    return { calls, complete, changing, standing, lasting: lastingOf(calls, standing) };
  };
  return {
    'changes.get': async (scope) => {
      const { calls, complete, standing, lasting } = await readAll(scope);
      const files = [...standing.files.map((file) => ({ ...file, lasting: null })), ...lasting].toSorted(byPath);
      const stands = new Set(files.flatMap(({ callIds }) => callIds));
      const shown = new Set(files.map(({ path }) => path));
      // Where more changed than was listed, none of it is shown one by one.
      const foreign = journal.given.foreignIn(scope.workspace).filter((path) => shown.has(path) || path.endsWith('/'));
      return done({
        files,
        calls: calls.flatMap(({ call }) => (stands.has(call.callId) ? [call] : [])),
        complete,
        foreign,
      });
    },
    'changes.lookedThrough': async ({ workspace, paths }) => {
      try {
        journal.append([{ type: 'files-looked-through', workspace, paths }]);
        return nothing;
      } catch (error) {
        if (error instanceof JournalUnavailableError) return refuse('unavailable', error.message);
        throw error;
      }
    },
    'changes.plan': async ({ paths, ...scope }) => {
      const { changing, lasting } = await readAll(scope);
      try {
        return await during(scope.workspace, async ({ sandbox }) =>
          done({
            files: await undo.plan(changing, paths ?? null, sandbox),
            lasting: lasting
              .filter(({ path }) => paths === undefined || paths.includes(path))
              .map(({ path, lasting: why }) => ({ path, why: why ?? '' })),
            leaves: await undo.describeRemainders(changing.map(({ callId }) => callId)),
            callIds: changing.map(({ callId }) => callId),
          }),
        );
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return refuse('refused', `${scope.workspace} can’t be used now: ${why}`);
      }
    },
  } satisfies Partial<Handlers>;
}

/** The changed paths of which nothing is kept: they are named, and stay. An undo leaves none of these. */
function lastingOf(calls: ChangingCalls['calls'], { files, kept }: RemainingChanges): readonly ChangedPath[] {
  const undoable = new Set(files.map(({ path }) => path));
  const found = new Map<string, ChangedPath>();
  for (const { call, files: changed } of calls) {
    for (const { path, change, undoable: wasKept, note } of changed) {
      if ((wasKept && kept.has(call.callId)) || undoable.has(path)) continue;
      const known = found.get(path);
      const why = wasKept ? 'No copy from before is kept any more.' : (note ?? 'It can’t be undone.');
      found.set(path, {
        path,
        folder: call.workspace,
        change: known?.change === 'deleted' ? 'deleted' : change,
        before: null,
        after: null,
        callIds: [...(known?.callIds ?? []), call.callId],
        between: false,
        lasting: known?.lasting ?? why,
      });
    }
  }
  return [...found.values()];
}

const byPath = (one: ChangedPath, other: ChangedPath): number =>
  one.path < other.path ? -1 : one.path === other.path ? 0 : 1;
