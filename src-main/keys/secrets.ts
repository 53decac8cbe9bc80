import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import type { SettingsView } from '#contract/window/settings.js';
import { isReservedKeyName } from '../domain/outside/references.js';
import type { KeyStore } from './key-store.js';
import { keptJson } from '../platform/files/kept-json.js';

/** Names that begin so are the app's own, and shown to nobody. */
const OWN = 'gatehouse:';
/** The prefix of the keys for models. */
const OF_MODELS = 'model:';
/**
 * The prefix, among our own, of tokens that others issued for the person: redacted for others, as the person's own keys
 * are.
 */
const SIGN_IN = `${OWN}sign-in:`;
const MAX_VALUE = 10_000;
const KEPT_BY_GATEHOUSE = 'A name that begins with “gatehouse:” is Gatehouse’s own.';

/**
 * API keys and the app's own keys. On disk they are only ever encrypted by the operating system's key store; where
 * there is none they live in memory until the app quits.
 */
export class Secrets {
  readonly #file;
  readonly #store: KeyStore;
  /** Base64 of what the key store made, by name. */
  readonly #sealed: Map<string, string>;
  readonly #inMemory = new Map<string, string>();

  constructor(file: string, store: KeyStore) {
    this.#file = keptJson(file, Type.Record(Type.String(), Type.Unknown()));
    this.#store = store;
    // An entry that is none takes no other with it: the key that proves the record may stand beside it.
    this.#sealed = new Map(Object.entries(this.#file.read() ?? {}).filter(isEntry));
  }

  get view(): SettingsView['secrets'] {
    const names = [...new Set([...this.#sealed.keys(), ...this.#inMemory.keys()])].filter(
      (name) => !name.startsWith(OWN),
    );
    return { available: this.#store.available, warning: this.#store.warning, names: names.toSorted() };
  }

  /** All values that the person keeps here, to redact them from what others see. */
  values(): readonly string[] {
    const ofSignIns = [...this.#sealed.keys()].filter((name) => name.startsWith(SIGN_IN));
    return [...this.view.names, ...ofSignIns].flatMap((name) => this.#open(name) ?? []);
  }

  /** Why nothing of a sign-in can be kept: never in memory, never in the clear. Null where it can. */
  get noSignIns(): string | null {
    if (this.#store.available) return null;
    return `Signing in needs the system’s key store, and there is none. ${this.#store.warning ?? ''}`.trim();
  }

  signIn(name: string, part: string): string | null {
    return this.#open(signInName(name, part));
  }

  /** Opens a secret that a setting names as `secret:<name>`: none of the app’s own keys, and none of a model’s. */
  referred(name: string): string | null {
    return isReservedKeyName(name) ? null : this.#open(name);
  }

  /** Opens a model's key, and no other. */
  ofModel(name: string): string | null {
    return name.startsWith(OF_MODELS) ? this.#open(name) : null;
  }

  /**
   * Stores the parts of a sign-in at once; null removes one. Throws where they can't be written, and then nothing
   * changed.
   */
  setSignIn(name: string, parts: Readonly<Record<string, string | null>>): void {
    const before = new Map(this.#sealed);
    try {
      for (const [part, value] of Object.entries(parts)) {
        if (value !== null && (value === '' || value.length > MAX_VALUE || !this.#store.available))
          throw new Error('What was given for signing in can’t be kept.');
        if (value === null) this.#sealed.delete(signInName(name, part));
        else this.#sealed.set(signInName(name, part), Buffer.from(this.#store.encrypt(value)).toString('base64'));
      }
      this.#write();
    } catch (error) {
      this.#sealed.clear();
      for (const [each, sealed] of before) this.#sealed.set(each, sealed);
      throw error;
    }
  }

  /** Keys were kept that nobody can open now: the store that kept them is not there. */
  get shut(): boolean {
    return !this.#store.available && this.#sealed.size > 0;
  }

  /** Null where there is none, or where the key store can't open it any more (another user, another machine). */
  #open(name: string): string | null {
    const kept = this.#inMemory.get(name);
    if (kept !== undefined) return kept;
    const sealed = this.#sealed.get(name);
    if (sealed === undefined || !this.#store.available) return null;
    try {
      return this.#store.decrypt(Buffer.from(sealed, 'base64'));
    } catch {
      return null;
    }
  }

  /** Throws where the file can't be written; then the secret is kept in memory all the same. */
  set(name: string, value: string): void {
    if (name.toLowerCase().startsWith(OWN)) throw new Error(KEPT_BY_GATEHOUSE);
    this.#set(name, value);
  }

  #set(name: string, value: string): void {
    if (!isName(name) || value === '' || value.length > MAX_VALUE)
      throw new Error('This is no name or value of a key.');
    this.#inMemory.set(name, value);
    if (!this.#store.available) return;
    this.#sealed.set(name, Buffer.from(this.#store.encrypt(value)).toString('base64'));
    this.#write();
    this.#inMemory.delete(name);
  }

  remove(name: string): void {
    if (name.toLowerCase().startsWith(OWN)) throw new Error(KEPT_BY_GATEHOUSE);
    this.#inMemory.delete(name);
    if (this.#sealed.delete(name)) this.#write();
  }

  /** A random key of the app's own, made the first time; null where it could not be kept. */
  ownKey(purpose: string): Uint8Array | null {
    if (!this.#store.available) return null;
    const name = `${OWN}${purpose}`;
    const existing = this.#open(name);
    if (existing !== null) return Buffer.from(existing, 'base64');
    // A key that is there, or may be, but can't be opened is not replaced: what it signed would look forged.
    if (this.#sealed.has(name) || this.#file.broken) return null;
    const made = randomBytes(32);
    try {
      this.#set(name, made.toString('base64'));
    } catch {
      this.#inMemory.delete(name);
      return null;
    }
    return made;
  }

  #write(): void {
    this.#file.write(Object.fromEntries(this.#sealed));
  }
}

const signInName = (name: string, part: string): string => `${SIGN_IN}${name}:${part}`;

const isName = (name: string): boolean => /^[\w:.-]{1,200}$/.test(name) && name !== '__proto__';

const isEntry = (entry: readonly [string, unknown]): entry is [string, string] =>
  isName(entry[0]) && typeof entry[1] === 'string';
