import type { StoredSignIn, SignInStore } from '../../../../domain/ports/sources/sign-in.js';

/** Keeps sign-ins as the key store does, for as long as a test goes on. */
export interface TestKeeper extends SignInStore {
  unavailable: string | null;
  readonly all: Map<string, StoredSignIn>;
  /** The lookup of keys that the only HTTP client uses. */
  readonly secret: (name: string) => string | null;
}

export function testKeeper(): TestKeeper {
  const all = new Map<string, StoredSignIn>();
  return {
    unavailable: null,
    all,
    find: (source) => all.get(source) ?? null,
    keep: (source, kept) => void all.set(source, kept),
    forget: (source) => void all.delete(source),
    reference: (source) => `secret:test-sign-in:${source}`,
    secret: (name) => (name.startsWith('test-sign-in:') ? (all.get(name.slice(13))?.access ?? null) : null),
  };
}
