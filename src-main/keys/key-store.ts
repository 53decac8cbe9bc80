import { existsSync } from 'node:fs';
import { safeStorage } from 'electron';

/** The operating system's store for secrets. */
export interface KeyStore {
  readonly available: boolean;
  /** A warning of what is missing and what to do, in plain words; null where nothing is. */
  readonly warning: string | null;
  readonly encrypt: (text: string) => Uint8Array;
  readonly decrypt: (bytes: Uint8Array) => string;
}

export interface SystemKeyStore extends KeyStore {
  /** Why the system's own store is not to be asked for anything else either; null where it may be. */
  readonly missing: string | null;
}

/** Long enough to type the password that unlocks it, where the desktop asks for that. */
const ANSWER_LIMIT_MS = 15_000;

/** Electron's safeStorage. Ask for it only after the app is ready. */
export async function openSystemKeyStore(): Promise<SystemKeyStore> {
  // Asked so that nothing waits for it: a keyring that hangs would otherwise hold the main thread, and with it the window.
  if (!(await answers())) return without(SILENT, SILENT);
  // Chromium “encrypts” with a password that everybody knows on Linux without a keyring: that is no store.
  const pretended = process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text';
  if (pretended || !safeStorage.isEncryptionAvailable())
    return without(NO_STORE, pretended && hasSessionBus() ? null : NO_STORE);
  return {
    available: true,
    warning: null,
    missing: null,
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(Buffer.from(bytes)),
  };
}

async function answers(): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ANSWER_LIMIT_MS);
  const answered = safeStorage.isAsyncEncryptionAvailable().then(
    () => true,
    () => true,
  );
  return await Promise.race([answered, late.promise]).finally(() => clearTimeout(timer));
}

/** Chromium goes by the desktop's name: under one that it does not know, there may be a Secret Service all the same. */
const hasSessionBus = (): boolean =>
  Boolean(process.env['DBUS_SESSION_BUS_ADDRESS']) || existsSync(`${process.env['XDG_RUNTIME_DIR'] ?? ''}/bus`);

function without(reason: string, missing: string | null): SystemKeyStore {
  const refuse = (): never => {
    throw new Error(reason);
  };
  return { available: false, warning: `${reason} ${KEPT_IN_MEMORY}`, missing, encrypt: refuse, decrypt: refuse };
}

const KEPT_IN_MEMORY =
  'Keys you enter are kept in memory only, until Gatehouse quits; they are never written to a file in the clear. To have ' +
  'a key at every start, put it into an environment variable and name that in model.api_key_env.';

const NO_STORE = 'This system offers no key store (no keyring such as GNOME Keyring or KWallet is running).';

const SILENT =
  'The system’s key store (GNOME Keyring, KWallet) did not answer. Unlock it or start it, then start Gatehouse again.';
