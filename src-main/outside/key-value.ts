/** Where keys are: the system's key store, and the app's own environment. */
export interface KeySources {
  readonly secret: (name: string) => string | null;
  readonly variable: (name: string) => string | null;
}

/** The value of `secret:<name>` or `env:<variable>`; null where there is none. Kept by nobody: it is asked for at each request. */
export function keyValue(reference: string, sources: KeySources): string | null {
  const [, kind, name = ''] = /^(secret|env):(.+)$/su.exec(reference) ?? [];
  if (kind === undefined) return null;
  const value = kind === 'secret' ? sources.secret(name) : sources.variable(name);
  return value === null || value === '' ? null : value;
}
