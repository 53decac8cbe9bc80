import { secretColumn } from '../../domain/sensitive/sensitive-places.js';

/** Denied to tools, or where keys are kept by custom: what Gatehouse has no business with, it keeps no copy of. */
export const isSecretPath = (path: string, place: { readonly isDenied: (relative: string) => boolean }): boolean =>
  secretColumn(path) === 'yes' || place.isDenied(path);
