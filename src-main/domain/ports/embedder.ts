/** Turns texts into vectors by which their meanings are compared. */
export interface Embedder {
  /** The model that the vectors are of: those of another model can’t be compared with them. */
  readonly model: string;
  /** The cosine below which two meanings have nothing to do with each other; 0 where that is not known of the model. */
  readonly threshold: number;
  /** A vector of length 1 for each text, in their order. Rejects, with words for a person, where they can’t all be had. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}
