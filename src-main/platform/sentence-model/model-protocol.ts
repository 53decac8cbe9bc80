export interface EmbedRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type EmbedAnswer =
  /** Vectors one after another, each as long as `DIMENSIONS`. */
  | { readonly id: number; readonly ok: true; readonly vectors: Float32Array }
  | { readonly id: number; readonly ok: false; readonly reason: string };

export const DIMENSIONS = 384;
