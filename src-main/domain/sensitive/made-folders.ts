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

/** Whether a path from the root is such a folder, or in one. */
export const isMadeFolder = (path: string): boolean => path.split('/').some((name) => MADE.has(name));
