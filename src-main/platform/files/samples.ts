import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { copyFolder } from './copy-folder.js';
import { readSmallFile } from './small-file.js';
import { listNames } from './resolve-path.js';

/**
 * The samples that come with the app, each with what its `sample.json` says, in a copy below `home`: what is in an archive can't be started, and
 * what is the person's may be changed. A copy that is there stays.
 */
export function listSamples(
  appPath: string,
  home: string,
): readonly { readonly folder: string; readonly text: string }[] {
  const root = join(appPath, 'resources', 'samples');
  return listFolders(root).flatMap((name) => {
    const text = readSmallFile(join(root, name, 'sample.json'));
    if (text === null) return [];
    const folder = join(home, name);
    if (!existsSync(folder)) copyFolder(join(root, name), folder);
    return [{ folder, text }];
  });
}

const listFolders = (root: string): readonly string[] => listNames(root).toSorted();
