/**
 * The operating system's own store of secrets, in no file of ours: Secret Service, Keychain, Credential Manager. Every
 * answer may come late or never: nothing that a person waits for may wait for one.
 */
export interface SystemStore {
  /** Null where nothing is kept under that name. Rejects with plain words where the store does not answer. */
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
}
