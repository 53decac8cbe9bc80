import { SourceHomes } from '../../platform/data-folder/source-homes.js';
import type { Front } from '../front.js';
import type { Shell } from '../shell.js';

export type OpenSourceHomes = ReturnType<typeof openSourceHomes>;

/** The folders that sources have to themselves, with the settings followed. */
export function openSourceHomes({ config, paths }: Shell, front: Front) {
  const homes = new SourceHomes(paths.sources, (error) =>
    front.problem(
      'The folder of a source is left',
      `What a source kept that is gone could not be put aside: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
  return {
    of: homes.of,
    sizeOf: (name: string) => homes.measureHome(name),
    clear: (name: string) => homes.clear(name),
    follow(): void {
      // Settings that can’t be read say of no source that it is gone.
      if (config.problem !== null) return;
      const wrong = config.refusedSources.map(({ name }) => [name, null] as const);
      homes.follow({ ...Object.fromEntries(wrong), ...config.own.sources });
    },
  };
}
