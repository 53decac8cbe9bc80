import type { Failure } from '#contract/vocabulary/outcomes.js';

/** The surroundings of a folder that an agent was started in. All by real paths. */
export interface FolderSurroundings {
  readonly home: string;
  readonly dataDir: string;
  readonly open: readonly string[];
  /** Whether this agent may use a folder, as far as the person limits it to some. */
  readonly mayUse: (folder: string) => boolean;
}

/** The system's own: nothing in them is a project. */
const SYSTEM_WHOLE = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'etc', 'boot', 'dev', 'proc', 'sys'];
/** The system's own, in which people have folders all the same. */
const SYSTEM_TOPS = [
  'home',
  'media',
  'mnt',
  'opt',
  'root',
  'run',
  'run/media',
  'run/user',
  'srv',
  'tmp',
  'var',
  'var/tmp',
];
const MAC_WHOLE = ['System', 'Library', 'Applications', 'private/etc', 'nix', 'gnu', 'snap'];
const MAC_TOPS = ['Users', 'Volumes', 'private', 'private/var', 'private/tmp', 'cores'];
const WINDOWS_WHOLE = /^[A-Z]:\\(?:Windows|Program Files(?: \(x86\))?|ProgramData)(?:\\|$)/i;
const WINDOWS_TOPS = /^[A-Z]:\\(?:Users)?\\?$/i;

const rooted = (names: readonly string[]): readonly string[] => names.map((name) => `/${name}`);
const whole = rooted([...SYSTEM_WHOLE, ...MAC_WHOLE]);
const tops = new Set(['/', ...rooted([...SYSTEM_TOPS, ...MAC_TOPS])]);

const isBelowAny = (inner: string, outer: string): boolean =>
  inner === outer ||
  inner.startsWith(
    outer.endsWith('/') || outer.endsWith('\\') ? outer : `${outer}${outer.includes('\\') ? '\\' : '/'}`,
  );

/** Whether the person is asked about opening a folder for who was started in it. */
export function mayOfferFolder(folder: string, { home, dataDir, open, mayUse }: FolderSurroundings): boolean {
  if (tops.has(folder) || whole.some((system) => isBelowAny(folder, system))) return false;
  if (WINDOWS_TOPS.test(folder) || WINDOWS_WHOLE.test(folder)) return false;
  if ([home, dataDir, ...open].some((inner) => isBelowAny(inner, folder)) || isBelowAny(folder, dataDir)) return false;
  return mayUse(folder);
}

/** Where no folder is offered to who was started there. */
export const startElsewhere: Failure = {
  code: 'NotPermitted',
  message:
    'This agent was not started in a folder that Gatehouse opens for agents, so nothing was done. Ask the user to start the agent in a project folder.',
};
