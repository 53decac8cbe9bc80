import { safeStorage } from 'electron';

/** What the operating system offers to keep secrets with. */
export interface KeyStore {
  readonly available: boolean;
  /** In plain words what is missing and what to do; null where nothing is. */
  readonly warning: string | null;
  readonly encrypt: (text: string) => Uint8Array;
  readonly decrypt: (bytes: Uint8Array) => string;
}

/** Electron's safeStorage. Ask for it only after the app is ready. */
export function systemKeyStore(): KeyStore {
  // On Linux without a keyring Chromium “encrypts” with a password that everybody knows: that is no store.
  const pretended = process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text';
  const available = safeStorage.isEncryptionAvailable() && !pretended;
  return {
    available,
    warning: available ? null : NO_STORE,
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(Buffer.from(bytes)),
  };
}

const NO_STORE =
  'This system offers no key store (no keyring such as GNOME Keyring or KWallet is running). Keys you enter are kept in ' +
  'memory only, until Gatehouse quits; they are never written to a file in the clear. To have a key at every start, put it ' +
  'into an environment variable and name that in model.api_key_env.';
