import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { realPathOf } from '../../platform/files/resolve-path.js';

/** Where systems keep their programs, and what these need. */
const NAMES: readonly string[] = ['/usr', '/bin', '/sbin', '/etc', '/opt', '/nix', '/gnu', '/snap'];

/** The system's own folders, as they are called. */
export const systemFolders = (): readonly string[] =>
  [...NAMES, ...libraries()].filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** `/lib64` and its like. */
const libraries = (): readonly string[] =>
  readdirSync('/')
    .filter((name) => /^lib\w*$/u.test(name))
    .map((name) => `/${name}`);

/** The same, and where they lead. */
export const systemPlaces = (): readonly string[] => [
  ...new Set(systemFolders().flatMap((path) => [path, realPathOf(path)])),
];

/** The mounts of the system's folders. On most systems all but `/usr` are links into it. */
export const systemMounts = (): readonly string[] =>
  systemFolders().flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );
