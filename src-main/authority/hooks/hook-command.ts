import { resolve } from 'node:path';
import type { HookFile } from '#contract/window/hooks.js';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import { type HookFiles, placeOfFile } from '../../platform/data-folder/hook-files.js';

/** A hook’s command as it may run now. */
export interface HookCommand {
  readonly words: readonly string[];
  /** That lie in open folders, where tools may change them. */
  readonly files: readonly HookFile[];
}

interface Where {
  /** Relative paths begin there. */
  readonly hooks: string;
  /** By their real paths. */
  readonly openFolders: readonly string[];
}

/**
 * What lies in an open folder counts by its digest: what runs is a copy of what the person accepted, which is what stood there when the
 * hook was first looked at, or what they said yes to since.
 */
export function hookCommand(
  { name, command }: Pick<HookSettings, 'name' | 'command'>,
  kept: HookFiles,
  { hooks, openFolders }: Where,
): HookCommand {
  const files: HookFile[] = [];
  const words = command.map((word, at) => {
    // The name of a program is looked up in PATH, which has nothing of the folder.
    if (at === 0 && !word.includes('/')) return word;
    const place = placeOfFile(resolve(hooks, word));
    if (place === null || !openFolders.some((folder) => place.path.startsWith(`${folder}/`))) return word;
    const { path, digest } = place;
    if (kept.accepted(name, path) === undefined) kept.accept(name, path, digest);
    const accepted = kept.accepted(name, path);
    const state = digest === null ? 'missing' : digest === accepted ? 'accepted' : 'changed';
    files.push({ path, state, digest });
    return (state === 'accepted' && digest !== null ? kept.copyOf(path, digest) : null) ?? path;
  });
  return { words, files };
}
