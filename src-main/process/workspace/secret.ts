import { basename } from 'node:path';

/** Denied to tools, or where keys are kept by custom: what Gatehouse has no business with, it keeps no copy of. */
export function isSecret(path: string, place: { readonly isDenied: (relative: string) => boolean }): boolean {
  const name = basename(path);
  const isEnvironment = /^\.env(?:\..+)?$/i.test(name) && !/\.(?:example|sample|template|dist)$/i.test(name);
  return isEnvironment || place.isDenied(path);
}
