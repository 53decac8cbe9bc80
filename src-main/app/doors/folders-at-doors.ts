import { isAbsolute } from 'node:path';
import { mayUseFolder } from '../../domain/policy/client-rules.js';
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import { resolveRealPath } from '../../platform/data-folder/paths.js';
import type { ConfigStore } from '../../settings/config-store.js';
import type { Workspaces } from '../state/folders/workspaces.js';

/** Resolves which of the open folders a caller at a door means. */
export function foldersAtDoors(
  workspaces: Pick<Workspaces, 'current' | 'open' | 'openBeside'>,
  config: Pick<ConfigStore, 'own'>,
): DoorFolders {
  const may: DoorFolders['mayUse'] = (agent, folder) => mayUseFolder(config.own, { agent, client: null }, folder);
  const openByName = async (named: string): Promise<string | null> => {
    for (const path of asWritten(named)) {
      const real = isAbsolute(path) ? await resolveRealPath(path) : null;
      if (real !== null && workspaces.open.includes(real)) return real;
    }
    return null;
  };
  return {
    mayUse: may,
    resolveSessionFolder: async (named, agent) => {
      const folder = named === null ? workspaces.current : await openByName(named);
      return folder === '' || (folder !== null && may(agent, folder)) ? folder : null;
    },
    openBeside: async (path, agent) => {
      const real = await resolveRealPath(path);
      if (real === null || !may(agent, real)) return null;
      const problem = await workspaces.openBeside(real);
      return problem === null ? { path: real } : { problem };
    },
  };
}

/** Node reads each byte of a header as one character: a path in UTF-8 is put together again. */
const asWritten = (named: string): readonly string[] => [
  ...new Set([named, Buffer.from(named, 'latin1').toString('utf8')]),
];
