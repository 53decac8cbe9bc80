import { SourceProblem } from '../../domain/ports/sources/source.js';
import type { SourceCatalog } from '../../tools/sources/catalog/catalog.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';

/** The packages that sources are started from. */
export const packageChannels = (catalog: SourceCatalog) =>
  ({
    'sources.fetchNewer': async ({ name }) => {
      const followed = catalog.find(name)?.followed ?? null;
      const its = followed?.source.package ?? null;
      if (followed === null || its === null || its.newer === null)
        return refuse('not-found', `There is no newer version of “${name}”.`);
      try {
        await its.fetchNewer();
      } catch (error) {
        if (!(error instanceof SourceProblem)) throw error;
        return refuse('unavailable', error.message);
      }
      await followed.refresh();
      return done(null);
    },
  }) satisfies Partial<Handlers>;
