/** The model of the settings, as it could be asked now. */
export interface ModelInfo {
  /** Where requests go; null where that is still to be said. */
  readonly address: string | null;
  /** Why nothing can be asked there; null where it can. */
  readonly problem: string | null;
  readonly key: 'variable' | 'kept' | 'none' | 'not-needed';
  /** The name that a key for this address is kept under, and for no other. */
  readonly keyName: string | null;
}

export interface ModelListing {
  readonly names: readonly string[];
  readonly problem: string | null;
}

export interface ModelTestResult {
  readonly answered: boolean;
  /** The answer, or why there was none and what to do. */
  readonly words: string;
}

export interface LocalServer {
  readonly name: string;
  readonly provider: 'ollama' | 'openai-compatible';
  readonly baseUrl: string;
  readonly models: readonly string[];
}
