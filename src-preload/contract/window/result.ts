/** Handlers return results; nothing is thrown across the border. */
export type BridgeResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: BridgeError };

export interface BridgeError {
  readonly code: 'bad-request' | 'not-found' | 'stale' | 'refused' | 'unavailable' | 'internal';
  /** The message for a person: what happened and what to do. */
  readonly message: string;
}
