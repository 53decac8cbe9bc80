import type { Domain } from '../domain/ports/sources/domain.js';

export const NO_DOMAIN: Domain = {
  served: () => null,
};
