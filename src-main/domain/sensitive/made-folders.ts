/**
 * Folders of dependencies, build outputs and caches, which tools make anew from the rest. A command that runs unasked may
 * write in them though no copy of what is there is kept; what Git tracks in them is no such thing.
 */
const MADE: ReadonlySet<string> = new Set([
  'node_modules',
  '.venv',
  'venv',
  'target',
  'dist',
  'build',
  '.cache',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.parcel-cache',
  '.vite',
  '.gradle',
  '.eslintcache',
]);

/** Those of them that are never listed: what came and went in them is not known. */
const UNLISTED: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__', '.tox', '.cache']);

export const isUnlistedFolder = (name: string): boolean => UNLISTED.has(name);

/** Whether a path lies in a folder that is never listed. */
export const isBelowUnlisted = (path: string): boolean => path.split('/').slice(0, -1).some(isUnlistedFolder);

/** Whether a path from the root is such a folder, or in one. */
export const isMadeFolder = (path: string): boolean => path.split('/').some((name) => MADE.has(name));
