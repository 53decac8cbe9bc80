import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { SourceProblem } from '../../domain/ports/sources/source.js';
import type { SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';

/** Signing in at a source, by the person's own presses. The browser is opened by another one, for the address that they then see. */
export const signInChannels = (catalog: SourceCatalog) => {
  const at = (name: string) => catalog.find(name)?.followed?.source.signIn ?? null;
  const none = (name: string) => refuse('not-found', `There is nothing to sign in at “${name}”.`);
  return {
    'sources.signIn': async ({ name }) => {
      const signIn = at(name);
      if (signIn === null) return none(name);
      try {
        await signIn.begin();
        return done(null);
      } catch (error) {
        if (!(error instanceof SourceProblem)) throw error;
        return refuse('unavailable', error.message);
      }
    },
    'sources.cancelSignIn': async ({ name }) => {
      at(name)?.cancel();
      return done(null);
    },
    'sources.signOut': async ({ name }) => {
      const signIn = at(name);
      return signIn === null ? none(name) : done(await signIn.signOut());
    },
  } satisfies Partial<Handlers>;
};
