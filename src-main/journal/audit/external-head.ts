import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Clock } from '../../domain/ports/clock.js';
import type { SystemStore } from '../../domain/ports/system-store.js';
import type { ChainTip } from './audit-log.js';
import { GENESIS, hex } from './chain.js';
import { resolvePath } from '../../platform/files/resolve-path.js';

/** The system store's record of a history: how far it is known to reach. */
export interface ExternalHead {
  readonly journal: string;
  readonly folder: string;
  readonly seq: number;
  readonly hash: string;
  readonly signedFrom: number | null;
  /** Set where events after it were written by somebody else, and the person has not said that they go on from them. */
  readonly frozen?: true;
  /** When, and at which event, the store first heard of it. What came before proves nothing against a forger of then. */
  readonly since: number;
  readonly sinceSeq: number;
}

export type ExternalHeadState =
  /** There is no store, or it has not answered. In plain words. */
  | { readonly is: 'unknown'; readonly why: string }
  /** The history here goes on from the number. `behind`: why the last numbers could not be written. */
  | { readonly is: 'kept'; readonly number: ExternalHead; readonly behind: string | null }
  /** The history here is not the one that the store knows. Null where it knows only that another one was here. */
  | { readonly is: 'other'; readonly number: ExternalHead | null };

export interface ExternalHeadDeps {
  /** Null, and why, where the system has none. */
  readonly store: SystemStore | null;
  readonly missing: string;
  /** The folder as it was asked for: a link put in its place does not make it another one. */
  readonly folder: string;
  readonly db: Database;
  readonly clock: Clock;
  /** Called, in plain words, when a number that was kept is no longer kept. */
  readonly onTrouble: (words: string) => void;
}

const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 60 * 60_000;
const END_LIMIT_MS = 2000;

/**
 * The last signed number in the operating system's own store: what tells an older copy of the whole data folder, its
 * signed head put back with it, from what went on after. Asked and told beside everything else; an append never waits.
 */
export class ExternalHeadKeeper {
  readonly #parts: ExternalHeadDeps;
  #state: ExternalHeadState;
  #latest: { readonly tip: ChainTip; readonly signedFrom: number | null } | null = null;
  #asked: Promise<void> = Promise.resolve();
  #writing: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #retryMs = FIRST_RETRY_MS;
  #ended = false;
  #frozen = false;

  constructor(parts: ExternalHeadDeps) {
    this.#parts = parts;
    this.#state = { is: 'unknown', why: parts.store === null ? parts.missing : 'It has not answered yet.' };
  }

  get state(): ExternalHeadState {
    return this.#state;
  }

  /** Here, or as the store knows it from before. */
  get isFrozen(): boolean {
    return this.#frozen || (this.#state.is === 'kept' && this.#state.number.frozen === true);
  }

  /** Freezes the number as evidence: it stays where it is, and the store is told why. */
  freeze(): void {
    this.#frozen = true;
    void this.#write();
  }

  thaw(): void {
    this.#frozen = false;
  }

  /** Asks the store what it knows. Resolves when it answered or can't, and never fails. */
  begin(tip: ChainTip, signedFrom: number | null): void {
    this.#latest ??= { tip, signedFrom };
    if (this.#parts.store === null) {
      if (this.#wasKept()) this.#parts.onTrouble(this.#parts.missing);
      return;
    }
    const store = this.#parts.store;
    this.#asked = this.#ask(store).catch((error: unknown) => this.#failed(error));
  }

  /** Waits until the store answered, but not for ever: for callers that must know. */
  async answered(limitMs: number): Promise<ExternalHeadState> {
    await waitAtMost(limitMs, this.#asked);
    return this.#state;
  }

  /** `tip` is on the disk, and so is the head that names it. */
  note(tip: ChainTip, signedFrom: number | null): void {
    this.#latest = { tip, signedFrom };
    if (this.#retry === null) void this.#write();
  }

  /** The person takes what is here for what it is: known anew, from here on. */
  async accept(tip: ChainTip, signedFrom: number | null): Promise<void> {
    this.#latest = { tip, signedFrom };
    const { store } = this.#parts;
    if (store === null) return;
    await this.#beginAnew(store, randomUUID());
  }

  /** The last number, if the store takes it in time. */
  async end(tip: ChainTip | null, signedFrom: number | null): Promise<void> {
    this.#ended = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (tip === null) return;
    this.#latest = { tip, signedFrom };
    await waitAtMost(END_LIMIT_MS, this.#write());
  }

  async #ask(store: SystemStore): Promise<void> {
    const here = parseObject(await store.get(folderEntryName(this.#parts.folder)));
    const stoodHere = typeof here?.['journal'] === 'string' ? here['journal'] : null;
    if (this.#ended) return;
    const own = this.#journalId();
    const number = parseExternalHead(await store.get(journalEntryName(stoodHere ?? own)));
    if (this.#ended) return;
    if (number === null) {
      // Another history stood here, and how far it went is not known any more.
      if (stoodHere !== null && stoodHere !== own) this.#state = { is: 'other', number: null };
      else await this.#beginAnew(store, own);
    } else if (!this.#matchesChain(number)) {
      this.#state = { is: 'other', number };
    } else if (stoodHere === null && !isSameFolder(number.folder, this.#parts.folder)) {
      // A copy, or moved here, and all that was known is in it. It goes on under a name of its own.
      await this.#beginAnew(store, randomUUID(), number);
    } else {
      if (stoodHere === null) await store.set(folderEntryName(this.#parts.folder), JSON.stringify({ journal: own }));
      if (this.#ended) return;
      this.#setJournalId(number.journal);
      this.#state = { is: 'kept', number, behind: null };
      await this.#write();
    }
  }

  async #beginAnew(store: SystemStore, journal: string, known?: ExternalHead): Promise<void> {
    const { clock, folder } = this.#parts;
    const { tip, signedFrom } = this.#latest ?? { tip: { seq: 0, hash: GENESIS }, signedFrom: null };
    const since = known ?? { since: clock.now(), sinceSeq: tip.seq };
    const number: ExternalHead = {
      journal,
      folder,
      seq: tip.seq,
      hash: hex(tip.hash),
      signedFrom,
      since: since.since,
      sinceSeq: since.sinceSeq,
    };
    await store.set(journalEntryName(journal), JSON.stringify(number));
    await store.set(folderEntryName(folder), JSON.stringify({ journal }));
    if (this.#ended) return;
    this.#setJournalId(journal);
    this.#state = { is: 'kept', number, behind: null };
    await this.#write();
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeLatest().finally(() => (this.#writing = null));
    return this.#writing;
  }

  async #writeLatest(): Promise<void> {
    const { store } = this.#parts;
    for (;;) {
      const latest = this.#latest;
      const state = this.#state;
      if (store === null || latest === null || state.is !== 'kept') return;
      const signedFrom = latest.signedFrom ?? state.number.signedFrom;
      const number: ExternalHead = this.isFrozen
        ? { ...state.number, frozen: true }
        : { ...state.number, seq: latest.tip.seq, hash: hex(latest.tip.hash), signedFrom };
      const isKnown = number.seq === state.number.seq && number.signedFrom === state.number.signedFrom;
      if (isKnown && number.frozen === state.number.frozen) return;
      try {
        await store.set(journalEntryName(number.journal), JSON.stringify(number));
      } catch (error) {
        this.#failed(error);
        return;
      }
      this.#state = { is: 'kept', number, behind: null };
      this.#retryMs = FIRST_RETRY_MS;
    }
  }

  #failed(error: unknown): void {
    if (this.#ended) return;
    const why = error instanceof Error ? error.message : String(error);
    const state = this.#state;
    const first = this.#retryMs === FIRST_RETRY_MS;
    this.#state = state.is === 'kept' ? { ...state, behind: why } : { is: 'unknown', why };
    if (first && (state.is === 'kept' || this.#wasKept())) this.#parts.onTrouble(why);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      if (this.#state.is === 'kept') void this.#write();
      else if (this.#latest !== null) this.begin(this.#latest.tip, this.#latest.signedFrom);
    }, this.#retryMs).unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  #matchesChain({ seq, hash }: ExternalHead): boolean {
    if (seq === 0) return hash === hex(GENESIS);
    const row = this.#parts.db
      .prepare<[number], { hash: Uint8Array }>('SELECT hash FROM events WHERE seq = ?')
      .get(seq);
    return row !== undefined && hex(row.hash) === hash;
  }

  #journalId(): string {
    const row = this.#parts.db
      .prepare<[], { value: string }>("SELECT value FROM marks WHERE name = 'journal-id'")
      .get();
    return row?.value ?? this.#setJournalId(randomUUID());
  }

  #setJournalId(id: string): string {
    this.#parts.db
      .prepare(
        `INSERT INTO marks (name, value) VALUES ('journal-id', ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
      )
      .run(id);
    return id;
  }

  #wasKept(): boolean {
    return this.#parts.db.prepare("SELECT 1 FROM marks WHERE name = 'journal-id'").get() !== undefined;
  }
}

const folderEntryName = (folder: string): string => `history at ${folder}`;
const journalEntryName = (journal: string): string => `history ${journal}`;

/** Whether two names are one folder: what is recorded under one is known under the other. */
function isSameFolder(one: string, other: string): boolean {
  const place = resolvePath(one);
  return place !== null && place === resolvePath(other);
}

async function waitAtMost(limitMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, limitMs);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function parseExternalHead(text: string | null): ExternalHead | null {
  const { journal, folder, seq, hash, signedFrom, since, sinceSeq, frozen } = parseObject(text) ?? {};
  const isText = [journal, folder, hash].every((value) => typeof value === 'string');
  const isNumber = [seq, since, sinceSeq, signedFrom ?? 0].every((value) => typeof value === 'number');
  return isText && isNumber
    ? ({
        journal,
        folder,
        seq,
        hash,
        signedFrom: signedFrom ?? null,
        since,
        sinceSeq,
        ...(frozen === true ? { frozen } : {}),
      } as ExternalHead)
    : null;
}
