import type { FileStatus } from '../handles/file-status.js';
import { sameState } from '../handles/file-status.js';
import type { WhyNot } from './why-not.js';

export interface ChangedFolder {
  readonly path: string;
  readonly isIgnored: boolean;
}

/** The folders that are never listed and still changed: those that came, went, or had something come or go in them. */
export const changedFolders = (
  before: ReadonlyMap<string, FileStatus>,
  after: ReadonlyMap<string, FileStatus>,
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => {
      const [was, is] = [before.get(path), after.get(path)];
      return was === undefined || is === undefined || !sameState(was, is);
    })
    .toSorted();

const MOST_NAMED = 3;
const TOO_LARGE: ReadonlySet<WhyNot> = new Set<WhyNot>(['too-large', 'after-too-large', 'full', 'quota']);

/** Describes the effects of a command that undo leaves: commits, what Git ignores, what is too large. */
export function leavesInWords(
  commits: readonly string[],
  folders: readonly ChangedFolder[],
  why: ReadonlyMap<string, WhyNot>,
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
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
