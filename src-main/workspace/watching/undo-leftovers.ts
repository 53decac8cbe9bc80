import type { FileStatus } from '../handles/file-status.js';
import { isSameState } from '../handles/file-status.js';
import type { UndoRefusal } from './undo-refusals.js';

export interface ChangedFolder {
  readonly path: string;
  readonly isIgnored: boolean;
}

/** The folders that are never listed and still changed: those that came, went, or had something come or go in them. */
export const findChangedFolders = (
  before: ReadonlyMap<string, FileStatus>,
  after: ReadonlyMap<string, FileStatus>,
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => {
      const [was, is] = [before.get(path), after.get(path)];
      return was === undefined || is === undefined || !isSameState(was, is);
    })
    .toSorted();

const MAX_NAMED = 3;
const TOO_LARGE: ReadonlySet<UndoRefusal> = new Set<UndoRefusal>(['too-large', 'after-too-large', 'full', 'quota']);

/** Describes the effects of a command that undo leaves: commits, what Git ignores, what is too large. */
export function describeUndoLeftovers(
  commits: readonly string[],
  folders: readonly ChangedFolder[],
  why: ReadonlyMap<string, UndoRefusal>,
): readonly string[] {
  const large = [...why].filter(([, reason]) => TOO_LARGE.has(reason)).map(([path]) => path);
  const short = some(commits.map((id) => id.slice(0, 7)));
  return [
    ...(commits.length === 0 ? [] : [`${commits.length} ${commits.length === 1 ? 'commit' : 'commits'} (${short})`]),
    ...[true, false].flatMap((isIgnored) => {
      const paths = folders.filter((folder) => folder.isIgnored === isIgnored).map(({ path }) => path);
      return paths.length === 0 ? [] : [`${some(paths)} (${isIgnored ? 'ignored by Git' : 'made by tools'})`];
    }),
    ...(large.length === 0 ? [] : [`${some(large)} (too large)`]),
  ];
}

function some(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
