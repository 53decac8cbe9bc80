import type { BigIntStats } from 'node:fs';
import type { Config } from '#contract/vocabulary/config.js';
import { isMadeByTools, secretColumn } from '../../domain/sensitive/sensitive-places.js';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';
import { hasHonestTimes, isSettled } from '../handles/change-times.js';
import { DeniedPatterns } from '../sandbox/denied-patterns.js';
import { type IsTracked, createTrackedTest } from './keeping/tracked-files.js';

const { lstatSync, readdirSync } = unpatchedFs;

/** More is no folder that anybody works in whole; what is past that is not looked for. */
const MAX_ENTRIES = 200_000;
/** Every mount makes a program begin a little later. Past that the folders that hold them are covered whole. */
const MAX_HIDDEN = 300;
/** The number of hidden files in one folder past which the whole folder is hidden. */
const MANY_IN_ONE = 20;
const MAX_CACHED = 20_000;

interface FolderListing {
  readonly stood: string;
  readonly folders: readonly string[];
  readonly others: readonly string[];
}

/**
 * Finds the files of a folder to hide from whatever nobody approved: files of secrets, and what the person's patterns
 * deny to tools. The listing of each folder is cached until it changes, where its times tell that, so that another
 * search costs one status a folder.
 */
export class HiddenFiles {
  readonly #known = new Map<string, FolderListing>();
  #patterns: { readonly of: Config['tools']['sandbox']; readonly denied: DeniedPatterns } | null = null;

  /**
   * The hidden paths from the root. For Git's own commands tracked files are left visible: covered, they would look
   * changed.
   */
  find(root: string, { tools: { sandbox } }: Config, gitsOwn: boolean): readonly string[] {
    const denied = this.#deniedBy(sandbox);
    const isTracked: IsTracked | null = gitsOwn ? createTrackedTest() : null;
    const cached = hasHonestTimes(root);
    const found: string[] = [];
    let looked = 0;
    const look = (folder: string): void => {
      const known = this.#look(`${root}${folder === '' ? '' : `/${folder}`}`, cached);
      looked += known.others.length + known.folders.length;
      const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
      const isHidden = (path: string): boolean =>
        secretColumn(path) === 'yes' || denied.findDenying(root, path) !== null;
      const here = known.others.map(at).filter((path) => isHidden(path) && isTracked?.(`${root}/${path}`) !== true);
      if (folder !== '' && here.length > MANY_IN_ONE && isTracked === null) {
        found.push(folder);
        return;
      }
      found.push(...here);
      for (const path of known.folders.map(at)) {
        if (looked > MAX_ENTRIES) return;
        if (isTracked === null && isHidden(path)) found.push(path);
        else look(path);
      }
    };
    look('');
    return coarsen(found);
  }

  #look(path: string, cached: boolean): FolderListing {
    try {
      const status = lstatSync(path, { bigint: true });
      const stood = stampOf(status);
      const known = this.#known.get(path);
      if (cached && known?.stood === stood) return known;
      const settled = isSettled(status.ctimeNs);
      const entries = readdirSync(path, { withFileTypes: true });
      const isEntered = (name: string): boolean => name !== '.git' && !isMadeByTools(name);
      const now: FolderListing = {
        stood,
        folders: entries.flatMap((each) => (each.isDirectory() && isEntered(each.name) ? [each.name] : [])),
        others: entries.flatMap((each) => (each.isDirectory() ? [] : [each.name])),
      };
      if (this.#known.size >= MAX_CACHED) this.#known.clear();
      if (settled) this.#known.set(path, now);
      return now;
    } catch {
      return NOTHING;
    }
  }

  #deniedBy(sandbox: Config['tools']['sandbox']): DeniedPatterns {
    if (this.#patterns?.of !== sandbox)
      this.#patterns = {
        of: sandbox,
        denied: new DeniedPatterns(sandbox.denied_patterns, sandbox.include_default_denies),
      };
    return this.#patterns.denied;
  }
}

const NOTHING: FolderListing = { stood: '', folders: [], others: [] };

const stampOf = ({ dev, ino, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, mtimeNs, ctimeNs].join(' ');

/** Where there are many, the folders that hold them, and where these are many, the topmost. */
function coarsen(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_HIDDEN) return paths;
  const holding = [...new Set(paths.map((path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path)))];
  return holding.length <= MAX_HIDDEN
    ? holding
    : [...new Set(paths.map((path) => path.split('/', 1)[0] ?? path))].slice(0, MAX_HIDDEN);
}
