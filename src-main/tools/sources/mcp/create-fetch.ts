import type { FetchLike } from '@modelcontextprotocol/client';
import type { OutsideKey } from '../../../domain/ports/outside.js';

/** Where a request may go, and which keys go with it. */
export interface FetchTarget {
  readonly within: string;
  /** Set where somebody else wrote the address. */
  readonly chosenBy?: 'document';
  readonly keys: readonly OutsideKey[];
}

/** Asked anew for each request. */
export type CreateFetch = (placeOf: (url: URL) => FetchTarget) => FetchLike;
