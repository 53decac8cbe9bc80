import { resolve } from 'node:path';
import type { HookFile } from '#contract/window/hooks.js';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import type { CodeNow, NotPinned, OwnCode } from '../../domain/ports/sources/own-code.js';
import { digestOf } from '../../platform/digest.js';
import { type HookFiles, placeOfMissing } from '../../platform/data-folder/hook-files.js';

/** A hook’s command as it may run now. */
export interface HookCommand {
  readonly code: CodeNow;
  /** Of what tools may change, or could once: the places that it loads from. */
  readonly files: readonly HookFile[];
  /** Why what runs can be another than was accepted. */
  readonly notPinned: readonly NotPinned[];
  /** Of the reasons that are tools’ to use, where nobody said yes to these: what a yes is for. Null where nothing asks. */
  readonly asks: string | null;
}

export interface HookCode {
  readonly look: OwnCode['look'];
  readonly kept: HookFiles;
  /** Relative paths begin there; null where there is no such folder. */
  readonly folder: string | null;
  readonly mayBeWritten: (path: string) => boolean;
}

type Hook = Pick<HookSettings, 'name' | 'command'>;

/**
 * What lies where tools may write counts by the digest of all that it can load from there, and goes on to count when its folder is closed.
 * What runs is a copy of what was accepted.
 */
export function hookCommand(hook: Hook, { look, kept, folder, mayBeWritten }: HookCode): HookCommand {
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
    ([path, digest]) => digest !== null && !Object.hasOwn(code.files, path) && !isNamedBeside(path, code),
  );
  const { notPinned } = code;
  const byTools = notPinned.filter((reason) => reason.byTools).map(({ words }) => words);
  const digest = digestOf(byTools);
  return {
    code,
    files: [...files, ...gone.map(([path]): HookFile => ({ path, state: 'missing', digest: null }))],
    notPinned,
    asks: byTools.length === 0 || kept.unpinned(name, command) === digest ? null : digest,
  };
}

/** A folder that is a part of a larger one by now is compared with that. */
const isNamedBeside = (path: string, { files }: CodeNow): boolean =>
  Object.keys(files).some((place) => path.startsWith(`${place}/`));

/** The setting was read, or a folder opened: what stands there is what the person wrote the hook with. */
export function takeHook(hook: Hook, parts: HookCode): void {
  const { files } = hookCommand(hook, parts);
  const now = files.flatMap(({ path, digest }) => (digest === null ? [] : [[path, digest] as const]));
  parts.kept.take(hook.name, hook.command, { ...Object.fromEntries(now), ...missingIn(hook, parts) });
}

/** Files that it names and that are not there: who puts one there later is not the person. */
function missingIn({ command }: Hook, { folder, mayBeWritten }: HookCode): Readonly<Record<string, null>> {
  const words = command.filter((word, at) => (at === 0 ? word.includes('/') : !word.startsWith('-')));
  const paths = words.map((word) => resolve(folder ?? '/nonexistent', word));
  return Object.fromEntries(
    paths.flatMap((path) => {
      const place = placeOfMissing(path);
      return place !== null && mayBeWritten(place) ? [[place, null] as const] : [];
    }),
  );
}
