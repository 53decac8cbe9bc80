import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClearAbandonedFolders } from '../../domain/ports/workspace/clear-abandoned-folders.js';
import { buildSeccompFilter } from '../confinement/seccomp/seccomp-filter.js';
import { clearAbandonedFolders, isOurs, makePrivateFolder } from '../start/private-folder.js';

/** Files of ours for one program, and its folder for temporary files where nothing holds it. */
export interface ProgramPlace extends AsyncDisposable {
  readonly notesPath: string;
  readonly filterPath: string;
  readonly networkPath: string;
  /** Where the server of a worker is reached. */
  readonly serverPath: string;
  /** Writes a file that replaces one of the system there. */
  readonly file: (name: 'hosts' | 'passwd' | 'empty', text: string) => string;
  /** Where an engine writes which process a container is. */
  readonly pidPath: string;
  /** Made where it is asked for. */
  temporary(): string;
}

export interface ProgramPlaces {
  /** Null before the first. */
  readonly folder: string | null;
  next(): Promise<ProgramPlace>;
  /** Writes a file for all of them, and as long as the app runs. */
  shared(name: 'conf' | 'seccomp' | 'runsc', text: string): Promise<string>;
  dispose(): Promise<void>;
}

const OUR_FILES = /^p\d+\.(?:notes|calls|net|http|hosts|passwd|empty|pid|conf|seccomp|runsc)$/u;

/**
 * Clears at start the folders of apps that are gone. Files that an unconfined program left in its own are its business,
 * and stay.
 */
export const clearAbandonedPrograms = (clear: ClearAbandonedFolders): Promise<void> =>
  clearAbandonedFolders(clear, (name) => OUR_FILES.test(name));

export function createProgramPlaces(): ProgramPlaces {
  let folder: Promise<string> | null = null;
  let made: string | null = null;
  let count = 0;
  const filter = buildSeccompFilter();

  const folderNow = async (): Promise<string> => {
    // Somebody may have cleared the folder for temporary files.
    if (folder === null || (made !== null && !isOurs(made))) {
      made = null;
      folder = makePrivateFolder();
    }
    made = await folder;
    return made;
  };

  return {
    get folder() {
      return made;
    },
    async next() {
      const at = join(await folderNow(), `p${(count += 1)}`);
      writeFileSync(`${at}.calls`, filter ?? '', { mode: 0o600 });
      writeFileSync(`${at}.notes`, '', { mode: 0o600 });
      return {
        notesPath: `${at}.notes`,
        filterPath: `${at}.calls`,
        networkPath: `${at}.net`,
        serverPath: `${at}.http`,
        pidPath: `${at}.pid`,
        file(name, text) {
          writeFileSync(`${at}.${name}`, text, { mode: 0o644 });
          return `${at}.${name}`;
        },
        temporary() {
          mkdirSync(`${at}.tmp`, { mode: 0o700 });
          return `${at}.tmp`;
        },
        async [Symbol.asyncDispose]() {
          const all = ['notes', 'calls', 'net', 'http', 'hosts', 'passwd', 'empty', 'pid', 'tmp'].map(
            (kind) => `${at}.${kind}`,
          );
          await Promise.all(all.map((path) => rm(path, { recursive: true, force: true }).catch(() => undefined)));
        },
      };
    },
    async shared(name, text) {
      const path = join(await folderNow(), `p0.${name}`);
      writeFileSync(path, text, { mode: 0o700 });
      return path;
    },
    async dispose() {
      const at = made;
      made = null;
      folder = null;
      if (at !== null && isOurs(at)) await rm(at, { recursive: true, force: true });
    },
  };
}
