/** Everything the sentence model's process is asked. */
export interface ModelService {
  /** Vectors one after another, each as long as `DIMENSIONS`. */
  embed(texts: readonly string[]): Promise<Float32Array>;
}

export const DIMENSIONS = 384;
