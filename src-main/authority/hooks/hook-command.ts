import { resolve } from 'node:path';
import type { HookFile } from '#contract/window/hooks.js';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import type { InspectedCode, UnpinnedReason, CodeInspector } from '../../domain/ports/sources/code-inspector.js';
import { digestJson } from '../../platform/digest.js';
import { type HookFiles, resolveMissingFile } from '../../platform/data-folder/hook-files.js';

/** A hook’s command as it may run now. */
export interface HookCommand {
  readonly code: InspectedCode;
  /** The places that it loads from, of those that tools may change, or could once. */
  readonly files: readonly HookFile[];
  /** Why the code that runs can be another than was accepted. */
  readonly notPinned: readonly UnpinnedReason[];
  /**
   * The digest of the reasons that tools could use, for the person's yes, where nobody said yes to these. Null where
   * nothing asks.
   */
  readonly asks: string | null;
}

export interface HookCommandDeps {
  readonly look: CodeInspector['inspect'];
  readonly kept: HookFiles;
  /** The folder where relative paths begin; null where there is no such folder. */
  readonly folder: string | null;
  readonly mayBeWritten: (path: string) => boolean;
}

type HookCommandSettings = Pick<HookSettings, 'name' | 'command'>;

/**
 * Compares a hook's files with those that were accepted. Files where tools may write count by the digest of all that
 * the hook can load from there, and go on to count when their folder is closed. A copy of what was accepted is run.
 */
export function inspectHookCommand(
  hook: HookCommandSettings,
  { look, kept, folder, mayBeWritten }: HookCommandDeps,
): HookCommand {
  const { name, command } = hook;
  const accepted = kept.places(name, command);
  const [first = '', ...args] = command;
  const code = look({
    command: first,
    args,
    cwd: folder,
    seesFolder: true,
    counts: (place) => Object.hasOwn(accepted, place) || mayBeWritten(place),
  });
  const files = Object.entries(code.files).map(([path, digest]): HookFile => ({
    path,
    state: accepted[path] === digest ? 'accepted' : 'changed',
    digest,
  }));
  const gone = Object.entries(accepted).filter(
    ([path, digest]) => digest !== null && !Object.hasOwn(code.files, path) && !isPartOfLargerPlace(path, code),
  );
  const { notPinned } = code;
  const byTools = notPinned.filter((reason) => reason.byTools).map(({ words }) => words);
  const digest = digestJson(byTools);
  return {
    code,
    files: [...files, ...gone.map(([path]): HookFile => ({ path, state: 'missing', digest: null }))],
    notPinned,
    asks: byTools.length === 0 || kept.unpinned(name, command) === digest ? null : digest,
  };
}

/** Whether a folder is a part of a larger one by now, and is compared with that. */
const isPartOfLargerPlace = (path: string, { files }: InspectedCode): boolean =>
  Object.keys(files).some((place) => path.startsWith(`${place}/`));

/**
 * Accepts a hook's files as they are now, when the setting was read, or a folder opened: they are what the person wrote
 * the hook with.
 */
export function acceptHookFiles(hook: HookCommandSettings, parts: HookCommandDeps): void {
  const { files } = inspectHookCommand(hook, parts);
  const now = files.flatMap(({ path, digest }) => (digest === null ? [] : [[path, digest] as const]));
  parts.kept.take(hook.name, hook.command, { ...Object.fromEntries(now), ...findMissingFiles(hook, parts) });
}

/** Finds files that the hook names and that are not there: whoever puts one there later is not the person. */
function findMissingFiles(
  { command }: HookCommandSettings,
  { folder, mayBeWritten }: HookCommandDeps,
): Readonly<Record<string, null>> {
  const words = command.filter((word, at) => (at === 0 ? word.includes('/') : !word.startsWith('-')));
  const paths = words.map((word) => resolve(folder ?? '/nonexistent', word));
  return Object.fromEntries(
    paths.flatMap((path) => {
      const place = resolveMissingFile(path);
      return place !== null && mayBeWritten(place) ? [[place, null] as const] : [];
    }),
  );
}
