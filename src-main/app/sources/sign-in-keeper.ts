import type { SignInStore } from '../../domain/ports/sources/sign-in.js';
import type { Secrets } from '../../keys/secrets.js';

const PARTS = ['facts', 'access', 'refresh', 'client'] as const;

/** Stores the results of sign-ins in the system's key store and nowhere else. */
export function signInKeeper(secrets: Secrets, onChange: () => void): SignInStore {
  const set = (source: string, parts: Readonly<Record<(typeof PARTS)[number], string | null>>): void => {
    secrets.setSignIn(source, parts);
    onChange();
  };
  return {
    get unavailable() {
      return secrets.noSignIns;
    },
    find(source) {
      const [facts, access, refresh, clientSecret] = PARTS.map((part) => secrets.signIn(source, part));
      if (facts === null || facts === undefined || access === null || access === undefined) return null;
      return { facts, access, refresh: refresh ?? null, clientSecret: clientSecret ?? null };
    },
    keep: (source, { facts, access, refresh, clientSecret }) =>
      set(source, { facts, access, refresh, client: clientSecret }),
    forget: (source) => set(source, { facts: null, access: null, refresh: null, client: null }),
    // No setting can name it: it is no `secret:` and no `env:`.
    reference: (source) => `sign-in:${source}`,
  };
}
