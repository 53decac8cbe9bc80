import type { CarriedByGit } from '../ports/workspace/carried-by-git.js';

/** Limit of files that the words name; the call itself lists all. */
export const MAX_NAMED_FILES = 20;
const MAX_COMMITS = 3;

/** Says what Git would hand on of such files: to the next checkout, clone or push. For caller and person. */
export function describeCarriedFiles(carried: CarriedByGit | undefined): readonly string[] {
  if (carried === undefined) return [];
  const { index, commits, complete } = carried;
  const outOfIndex =
    index.length === 0
      ? []
      : [`Taken out of Git’s index, since such files can make other programs run code: ${listPaths(index)}.`];
  const held = commits.slice(0, MAX_COMMITS).map(({ id, parent, paths }) => {
    const undo =
      parent === null ? '' : ` Undo: git reset ${shortId(parent)}, where it is the last commit of its branch.`;
    return `Commit ${shortId(id)} holds ${listPaths(paths)}, which can make other programs run code; a checkout, a clone or a push takes it along.${undo}`;
  });
  const more = commits.length - MAX_COMMITS;
  return [
    ...outOfIndex,
    ...held,
    ...(more > 0 ? [`${more} more ${more === 1 ? 'commit holds' : 'commits hold'} such files.`] : []),
    ...(complete ? [] : ['Not all that it left in Git could be checked for such files.']),
  ];
}

const listPaths = (paths: readonly string[]): string =>
  `${paths.slice(0, MAX_NAMED_FILES).join(', ')}${paths.length > MAX_NAMED_FILES ? `, and ${paths.length - MAX_NAMED_FILES} more` : ''}`;

const shortId = (id: string): string => id.slice(0, 7);
