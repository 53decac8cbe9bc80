import { type FolderSurroundings, mayOfferFolder } from '../../domain/policy/work-folders.js';
import { resolveRealPath } from '../../platform/data-folder/paths.js';
import { isFolder } from '../../platform/files/is-folder.js';
import { listFoldersUp, findRepositoryTop } from '../../platform/git/repository-top.js';

/** The folder of who was started in a place: open, to be asked about, or none that is offered. */
export type FoundFolder =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'closed'; readonly path: string }
  | { readonly kind: 'none' };

const NONE: FoundFolder = { kind: 'none' };

/**
 * The innermost open folder that holds the place, up to its repository's top; where none is open, that top (the place itself,
 * outside a repository), or the highest folder below it that may be opened.
 */
export async function findFolder(place: string | null, around: FolderSurroundings): Promise<FoundFolder> {
  const real = place === null ? null : await resolveRealPath(place);
  if (real === null || !(await isFolder(real))) return NONE;
  const above = listFoldersUp(real);
  const repository = findRepositoryTop(real);
  const within = repository === null ? above : above.slice(0, above.indexOf(repository) + 1);
  const open = within.find((folder) => around.open.includes(folder));
  if (open !== undefined) return around.mayUse(open) ? { kind: 'open', path: open } : NONE;
  const candidates = repository === null ? [real] : within.toReversed();
  const offered = candidates.find((folder) => mayOfferFolder(folder, around));
  return offered === undefined ? NONE : { kind: 'closed', path: offered };
}
