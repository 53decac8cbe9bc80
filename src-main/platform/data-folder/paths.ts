import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { findOpenAncestor, revokeOthersRights } from './others-rights.js';

export type UsableFolder =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly problem: string };

/** A folder that exists and can be read, by its real name, and is none of the app's own. */
export function checkWorkspace(path: string, dataDir: string | null = null): UsableFolder {
  const absolute = resolve(path);
  try {
    if (!statSync(absolute).isDirectory()) {
      return { ok: false, problem: `The workspace ${JSON.stringify(absolute)} is not a folder.` };
    }
    accessSync(absolute, constants.R_OK | constants.X_OK);
    const canonical = realpathSync(absolute);
    if (dataDir !== null && isWithin(realOr(dataDir), canonical))
      return {
        ok: false,
        problem: `The workspace ${JSON.stringify(absolute)} lies in Gatehouse’s own data folder, which tools can’t use.`,
      };
    return { ok: true, path: canonical };
  } catch (error) {
    return { ok: false, problem: `The workspace ${JSON.stringify(absolute)} can’t be used: ${reason(error)}.` };
  }
}

/** Null where there is nothing. */
export async function resolveRealPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

export function isWithin(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A data folder that is not there yet holds nothing. */
function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

export const workspaceName = (path: string): string => basename(path) || path;

type UsableDataDir =
  | {
      readonly ok: true;
      readonly path: string;
      /** A folder above in which everybody may write: the person has to know. */
      readonly openAbove?: string;
    }
  | { readonly ok: false; readonly problem: string };

/** Makes the data folder where it is missing, proves that it can be written by writing to it, and that it is the person’s alone. */
export function prepareDataDir(path: string): UsableDataDir {
  const absolute = resolve(path);
  try {
    makeFolders(absolute);
    const probe = join(absolute, `.probe-${process.pid}`);
    const handle = openSync(probe, 'wx', 0o600);
    try {
      // A full disk lets a file be made but not written.
      writeSync(handle, Buffer.alloc(4096));
    } finally {
      closeSync(handle);
      rmSync(probe, { force: true });
    }
    const real = realpathSync(absolute);
    const open = revokeOthersRights(real, (inside) => Object.values(listDataPaths(real)).includes(inside));
    if (open !== null)
      return {
        ok: false,
        problem: `The data folder ${JSON.stringify(absolute)} can’t be used: ${open}. Who writes there decides for you.`,
      };
    const above = findOpenAncestor(real);
    return { ok: true, path: real, ...(above === null ? {} : { openAbove: above }) };
  } catch (error) {
    return { ok: false, problem: `The data folder ${JSON.stringify(absolute)} can’t be written: ${reason(error)}.` };
  }
}

/** Level by level: Node's own recursive mkdir never returns where the system says “not found” of the last name (/proc). */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolders(parent);
  mkdirSync(path, { mode: 0o700 });
}

export interface DataPaths {
  readonly root: string;
  /** Chromium's own profile: cache, local storage, its lock. */
  readonly chromium: string;
  readonly config: string;
  readonly secrets: string;
  /** The places that keys were entered for. */
  readonly keyPlaces: string;
  readonly logs: string;
  readonly windowState: string;
  readonly recentWorkspaces: string;
  /** While the app runs: which folders are open. */
  readonly openWorkspaces: string;
  /** The folders that tools could write to, ever. */
  readonly writtenFolders: string;
  /**
   * The folders that the person opened for agents that were started in them, and those that they don't want to be asked
   * about.
   */
  readonly agentFolders: string;
  /** The tools that each agent was told of last, for a pipe that can't wait for the app. */
  readonly pipeLists: string;
  /** The agents that have a token, by its hash. */
  readonly agents: string;
  readonly pausedAgents: string;
  /** The last day on which commands could be confined here. */
  readonly confinementSeen: string;
  /** Copies of the workspace, made before commands run. Empty, to look at. */
  readonly copies: string;
  /** The checks that are still due after a crash. */
  readonly owedLooks: string;
  /** Whether names of accepted addresses resolved to this computer. */
  readonly ledAddresses: string;
  /** While programs of sources run: which. */
  readonly runningPrograms: string;
  /** While there are containers of workers. */
  readonly containers: string;
  /** Ids of the images that were built for workers. */
  readonly builtImages: string;
  /** Packages that programs of sources are started from, a folder a source. */
  readonly packages: string;
  /** The folders of their own that sources have which run here. */
  readonly sources: string;
  /** Copies of programs of sources and hooks, by their digests: they are started from them. */
  readonly programCopies: string;
  /** The texts that runners ran when rules for them were first used. */
  readonly runnerTexts: string;
  /** The instruction files of folders that the person accepted. */
  readonly acceptedInstructions: string;
  readonly acceptedSources: string;
  /** Where relative paths of hooks begin. */
  readonly hooks: string;
  /** Files of hooks that lie in folders, as the person accepted them. */
  readonly acceptedHookFiles: string;
  /** Our own code as the engine last compiled it, where no build left that beside the code. */
  readonly compileCache: string;
  /** Settings of folders that wait for the person's yes. */
  readonly unacceptedSettings: string;
  /** Vectors that tools are found by, as they were last made. */
  readonly toolVectors: string;
  /** Copies of domain packages, by their digests: workers run from them. */
  readonly domainCopies: string;
  /** The domain package that was taken last. */
  readonly domainTaken: string;
}

export const listDataPaths = (root: string): DataPaths => ({
  root,
  chromium: join(root, 'chromium'),
  config: join(root, 'config.toml'),
  secrets: join(root, 'secrets.json'),
  keyPlaces: join(root, 'key-places.json'),
  logs: join(root, 'logs'),
  windowState: join(root, 'window-state.json'),
  recentWorkspaces: join(root, 'recent-workspaces.json'),
  openWorkspaces: join(root, 'open-workspaces.json'),
  writtenFolders: join(root, 'written-folders.json'),
  agentFolders: join(root, 'agent-folders.json'),
  pipeLists: join(root, 'pipe-lists'),
  agents: join(root, 'agents.json'),
  pausedAgents: join(root, 'paused-agents.json'),
  confinementSeen: join(root, 'confinement-seen'),
  copies: join(root, 'copies'),
  owedLooks: join(root, 'owed-looks'),
  ledAddresses: join(root, 'led-addresses.json'),
  runningPrograms: join(root, 'running-programs'),
  containers: join(root, 'containers'),
  builtImages: join(root, 'built-images.json'),
  packages: join(root, 'packages'),
  sources: join(root, 'sources'),
  programCopies: join(root, 'program-copies'),
  runnerTexts: join(root, 'runner-texts.json'),
  acceptedInstructions: join(root, 'accepted-instructions.json'),
  acceptedSources: join(root, 'accepted-sources'),
  hooks: join(root, 'hooks'),
  acceptedHookFiles: join(root, 'accepted-hook-files'),
  compileCache: join(root, 'compiled'),
  unacceptedSettings: join(root, 'unaccepted-settings.json'),
  toolVectors: join(root, 'tool-vectors'),
  domainCopies: join(root, 'domain-packages'),
  domainTaken: join(root, 'domain-package.json'),
});

export const workspaceConfigFile = (workspace: string): string => join(workspace, '.gatehouse', 'config.toml');

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is nothing there',
  ENOTDIR: 'a part of the path is not a folder',
  EACCES: 'you may not read or write it',
  EPERM: 'the system does not permit it',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EEXIST: 'a file is in the way',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
};

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
