import type { Door } from '../../src-preload/contract/calls.js';

/** Who asks for a call, as far as it decides what there is for them. It stays with the call for as long as that lives. */
export interface Asker {
  readonly door: Door;
}
