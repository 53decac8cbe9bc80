import { readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { auditUnsignedRange } from './audit-event.js';
import type { AuditLog, ChainTip } from './audit-log.js';
import { GENESIS, hex } from './chain.js';
import { buildHeadPayload, type HeadSigner, type SignedHead } from './head-signing.js';
import type { ExternalHeadKeeper } from './external-head.js';
import { replaceSmallFile } from '../../platform/files/small-file.js';

export const HEAD_FILE = 'audit-head.json';
const DELAY_MS = 2000;
/** The mark of a history to whose end somebody else wrote, while the person has not said that they go on from it. */
export const FROZEN_MARK = 'head-frozen';

/**
 * Keeps, outside the database, the signed end of the chain: what catches a cut tail or an older copy put back. It is
 * written at most every two seconds, beside the appends and not in them, so it costs them nothing; then the same number
 * is given to the system's own store, where it does not lie beside what it proves. Honestly: what was appended in the
 * last two seconds before a crash is not yet in either, and cutting exactly that goes unseen.
 */
export class HeadKeeper {
  readonly #folder: string;
  readonly #file: string;
  readonly #signer: HeadSigner;
  readonly #kept: ExternalHeadKeeper;
  #signedFrom: number | null = null;
  /** The head that is on the disk. */
  #last: ChainTip | null = null;
  /** The head that is yet to be signed. */
  #tip: ChainTip | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing = false;
  /** Frozen at this start or before; it stays so until the person accepts the history as it is. */
  #frozen = false;
  #keyAway = false;
  #db: Database | null = null;

  constructor(dataDir: string, signer: HeadSigner, kept: ExternalHeadKeeper) {
    this.#folder = dataDir;
    this.#file = join(dataDir, HEAD_FILE);
    this.#signer = signer;
    this.#kept = kept;
  }

  /**
   * Looks at the head that is there, before the first append. One that the database does not agree with is evidence
   * and is left as it is, so that `verify` goes on saying so. Otherwise there is a head from here on, and what was
   * recorded without a key is said to be so, in the chain itself.
   */
  begin(db: Database, log: AuditLog, now: number): void {
    const marked = db.prepare("SELECT 1 FROM marks WHERE name = 'head-signed'").get() !== undefined;
    this.#db = db;
    this.#frozen = db.prepare(`SELECT 1 FROM marks WHERE name = '${FROZEN_MARK}'`).get() !== undefined;
    if (this.#signer.available) this.#beginSigned(db, log, now, marked);
    else this.#keyAway = marked;
    this.#last = log.tip();
    this.#kept.begin(this.#last, this.#signedFrom);
  }

  #beginSigned(db: Database, log: AuditLog, now: number, marked: boolean): void {
    const tip = log.tip();
    const head = readSignedHead(this.#folder, this.#signer);
    const end = log.endSignature();
    const isForged = end === 'wrong' || (typeof head === 'object' && head !== null && log.hasForged(head.seq));
    // What stands in the chain is covered by what is recorded next: it is remembered. A head file says for itself that it is wrong.
    if (isForged || this.#frozen) this.#markFrozen(db);
    this.#frozen ||=
      isForged ||
      (head === null
        ? marked || (end === 'right' && tip.seq > 0)
        : head === 'forged' || readHash(db, head.seq) !== head.hash);
    if (this.#frozen || head === 'forged') return;
    this.#signedFrom = head?.signedFrom ?? tip.seq + 1;
    const current = head?.seq === tip.seq && end === 'right';
    if (current && marked) return;
    this.#tip =
      end === 'right' ? tip : recordUnsignedRange(db, log, tip, now, head === null ? 1 : log.lastSigned(head.seq) + 1);
    this.#writeNow();
    db.prepare("INSERT OR IGNORE INTO marks (name, value) VALUES ('head-signed', '1')").run();
  }

  #markFrozen(db: Database): void {
    db.prepare(`INSERT OR IGNORE INTO marks (name, value) VALUES ('${FROZEN_MARK}', '1')`).run();
    this.#kept.freeze();
  }

  /** `tip` must be on the disk: a head that is ahead of a database after a power cut would be a false alarm. */
  note(tip: ChainTip): void {
    this.#last = tip;
    this.#tip = tip;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, DELAY_MS).unref();
  }

  /**
   * Whether anything may be erased. Evidence is not; and an erasure that can’t be signed would look forged wherever
   * there is a key.
   */
  get mayErase(): boolean {
    return !this.#isFrozen && !this.#keyAway && this.#kept.state.is !== 'other';
  }

  /** Whether the history is frozen. The system’s store knows, too, where the mark was taken away. */
  get #isFrozen(): boolean {
    return this.#frozen || this.#kept.isFrozen;
  }

  /** The person takes what is here for what it is. `tip` is the event that says so. */
  async accept(tip: ChainTip): Promise<void> {
    this.#frozen = false;
    this.#kept.thaw();
    this.#db?.prepare(`DELETE FROM marks WHERE name = '${FROZEN_MARK}'`).run();
    this.#last = tip;
    this.#tip = tip;
    if (this.#signer.available) {
      this.#signedFrom = tip.seq;
      this.#writeNow();
    }
    await this.#kept.accept(tip, this.#signedFrom);
  }

  /** The file at once; the number in the system's store as soon as it takes it, which is what is waited for. */
  end(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#tip !== null && this.#signer.available && !this.#isFrozen) this.#writeNow();
    this.#tip = null;
    return this.#kept.end(this.#isFrozen ? null : this.#last, this.#signedFrom);
  }

  #writeNow(): void {
    if (this.#tip === null) return;
    replaceSmallFile(this.#file, this.#serializeHead(this.#tip));
    this.#tip = null;
  }

  async #write(): Promise<void> {
    const tip = this.#tip;
    if (tip === null || this.#writing || this.#isFrozen) return;
    if (!this.#signer.available) {
      this.#tip = null;
      return this.#kept.note(tip, null);
    }
    this.#writing = true;
    const temporary = `${this.#file}.new`;
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(this.#serializeHead(tip));
        await file.datasync();
      } finally {
        await file.close();
      }
      // Closed meanwhile: the last head is written, and this one is older.
      if (this.#tip === null) rmSync(temporary, { force: true });
      else {
        await rename(temporary, this.#file);
        this.#kept.note(tip, this.#signedFrom);
      }
    } catch {
      // A disk that can't take it fails the next append, which is where it is said. The old head stays true.
    } finally {
      this.#writing = false;
      if (this.#tip !== null && this.#tip !== tip) this.note(this.#tip);
    }
  }

  #serializeHead(tip: ChainTip): string {
    const signedFrom = this.#signedFrom;
    if (signedFrom === null) throw new Error('Nothing is signed before it is known from where on.');
    const head: SignedHead = { seq: tip.seq, hash: hex(tip.hash), signedFrom };
    const signature = Buffer.from(this.#signer.sign(buildHeadPayload(head))).toString('base64');
    return `${JSON.stringify({ ...head, signature })}\n`;
  }
}

function recordUnsignedRange(db: Database, log: AuditLog, tip: ChainTip, now: number, from: number): ChainTip {
  const say = db.transaction(() => log.add(tip, now, [{ call: null, body: auditUnsignedRange(from, tip.seq) }]));
  return say.immediate();
}

/** Null when there is none; 'forged' when the signature is not ours. */
export function readSignedHead(dataDir: string, signer: HeadSigner): SignedHead | 'forged' | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, HEAD_FILE), 'utf8');
  } catch {
    return null;
  }
  try {
    const { seq, hash, signedFrom, signature } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof seq !== 'number' || typeof hash !== 'string' || typeof signature !== 'string') return 'forged';
    if (typeof signedFrom !== 'number') return 'forged';
    const head = { seq, hash, signedFrom };
    return signer.verify(buildHeadPayload(head), Buffer.from(signature, 'base64')) ? head : 'forged';
  } catch {
    return 'forged';
  }
}

function readHash(db: Database, seq: number): string | null {
  if (seq === 0) return hex(GENESIS);
  const row = db.prepare<[number], { hash: Uint8Array }>('SELECT hash FROM events WHERE seq = ?').get(seq);
  return row === undefined ? null : hex(row.hash);
}
