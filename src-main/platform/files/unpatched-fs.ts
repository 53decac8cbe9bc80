import type * as fileSystem from 'node:fs';

/**
 * The file system as it is. Electron changes `node:fs` so that a file called `x.asar` looks like a folder with the
 * archive's files in it. To a workspace that is a file like any other: patched, it could be neither read nor replaced,
 * and a path "through" it would resolve to bytes that no walk checked. All code that touches a workspace uses this.
 */
type FileSystem = typeof fileSystem;

const loadBuiltin = (name: string): FileSystem | undefined =>
  process.getBuiltinModule(name) as unknown as FileSystem | undefined;

const found = loadBuiltin('original-fs') ?? loadBuiltin('node:fs');
if (found === undefined) throw new Error('This runtime has no file system.');

export const unpatchedFs: FileSystem = found;
export const unpatchedFsPromises: FileSystem['promises'] = found.promises;
