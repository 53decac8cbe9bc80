/**
 * What the operating system itself keeps for the app, in no file of ours: Secret Service, Keychain, Credential Manager.
 * Every answer may come late or never come to be: nothing that a person waits for may wait for one.
 */
export interface SystemStore {
  /** Null where nothing is kept under that name. Rejects with plain words where the store does not answer. */
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
}
