import { SourceProblem } from '../../domain/ports/sources/source.js';
import type { SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import { done, refuse } from '../../window/border/answers.js';
import type { OpenSourceHomes } from './source-homes.js';
import type { Handlers } from '../../window/border/border.js';

/** The channels for the packages that sources are started from: newer versions, and their removal. */
export const packageChannels = (catalog: SourceCatalog, homes: OpenSourceHomes) =>
  ({
    'sources.fetchNewer': async ({ name }) => {
      const followed = catalog.find(name)?.followed ?? null;
      const its = followed?.source.package ?? null;
      if (followed === null || its === null || its.newer === null)
        return refuse('not-found', `There is no newer version of “${name}”.`);
      try {
        await followed.fetchNewer();
      } catch (error) {
        if (!(error instanceof SourceProblem)) throw error;
        return refuse('unavailable', error.message);
      }
      return done(null);
    },
    'sources.stop': async ({ name }) => {
      if (catalog.find(name) === null) return refuse('not-found', `There is no source “${name}” in your settings.`);
      await catalog.stop(name);
      return done(null);
    },
    'sources.clearHome': async ({ name }) => {
      if (catalog.find(name) === null) return refuse('not-found', `There is no source “${name}” in your settings.`);
      await catalog.stop(name);
      try {
        homes.clear(name);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return refuse('unavailable', `What “${name}” keeps could not be removed: ${why}`);
      }
      return done(null);
    },
  }) satisfies Partial<Handlers>;
