import type { KeyLookupResult, KeyDestination } from '../domain/outside/key-destination.js';

/** Where keys are: the system's key store, and the app's own environment. */
export interface KeySources {
  readonly secret: (name: string) => string | null;
  readonly variable: (name: string) => string | null;
  /** Keys of sign-ins, by the names that their keeper gives them: no setting can name one. */
  readonly signIn?: (name: string) => string | null;
  /** Why that place doesn't get what the reference stands for, in words; null where it does. */
  readonly refusal?: (reference: string, place: KeyDestination) => string | null;
}

/**
 * Resolves `secret:<name>` or `env:<variable>` for one address. Nobody keeps the value: it is resolved at each request.
 */
export function resolveKey(reference: string, place: KeyDestination, sources: KeySources): KeyLookupResult {
  const [, kind, name = ''] = /^(secret|env|sign-in):(.+)$/su.exec(reference) ?? [];
  const refusal = kind === 'sign-in' ? null : (sources.refusal?.(reference, place) ?? null);
  if (refusal !== null) return { problem: refusal };
  const value = readKeySource(kind, name, sources);
  return value === null || value === '' ? { problem: describeMissingKey(kind, name) } : { value };
}

function readKeySource(kind: string | undefined, name: string, sources: KeySources): string | null {
  if (kind === 'secret') return sources.secret(name);
  if (kind === 'env') return sources.variable(name);
  return kind === 'sign-in' ? (sources.signIn?.(name) ?? null) : null;
}

function describeMissingKey(kind: string | undefined, name: string): string {
  if (kind === 'env') return `The variable ${name} is not set for Gatehouse, or is empty`;
  return kind === 'secret' ? `There is no key “${name}”` : 'There is no key';
}
