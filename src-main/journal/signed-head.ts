import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { canonicalJson, GENESIS, hex } from './chain.js';
import type { ChainTip } from './audit-log.js';

/** Signs with a key that is not in the data folder (the operating system's key store). */
export interface HeadSigner {
  /** False where the system has no key store: then the head is not signed, and verify says so. */
  readonly available: boolean;
  sign(bytes: Uint8Array): Uint8Array;
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
}

export interface SignedHead {
  readonly seq: number;
  readonly hash: string;
}

export const HEAD_FILE = 'audit-head.json';
const DELAY_MS = 2000;

/**
 * Keeps, outside the database, the signed end of the chain: what catches a cut tail or an older copy put back. It is
 * written at most every two seconds, beside the appends and not in them, so it costs them nothing. Honestly: what was
 * appended in the last two seconds before a crash is not yet under the signature, and cutting exactly that goes unseen.
 */
export class HeadKeeper {
  readonly #folder: string;
  readonly #file: string;
  readonly #signer: HeadSigner;
  #tip: ChainTip | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing = false;
  #frozen = false;

  constructor(dataDir: string, signer: HeadSigner) {
    this.#folder = dataDir;
    this.#file = join(dataDir, HEAD_FILE);
    this.#signer = signer;
  }

  /**
   * Looks at the head that is there, before the first append. One that the database does not agree with is evidence
   * and is left as it is, so that `verify` goes on saying so. Otherwise there is a head from here on.
   */
  begin(db: Database, tip: ChainTip): void {
    if (!this.#signer.available) return;
    const head = readSignedHead(this.#folder, this.#signer);
    const marked = db.prepare("SELECT 1 FROM marks WHERE name = 'head-signed'").get() !== undefined;
    this.#frozen = head === null ? marked : head === 'forged' || hashAt(db, head.seq) !== head.hash;
    const current = typeof head === 'object' && head?.seq === tip.seq;
    if (this.#frozen || (current && marked)) return;
    this.#tip = tip;
    this.end();
    db.prepare("INSERT OR IGNORE INTO marks (name, value) VALUES ('head-signed', '1')").run();
  }

  /** `tip` must be on the disk: a head that is ahead of a database after a power cut would be a false alarm. */
  note(tip: ChainTip): void {
    if (!this.#signer.available || this.#frozen) return;
    this.#tip = tip;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, DELAY_MS).unref();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#tip === null || this.#frozen) return;
    writeFileSync(`${this.#file}.end`, this.#signed(this.#tip), { mode: 0o600, flush: true });
    renameSync(`${this.#file}.end`, this.#file);
    syncFolder(this.#folder);
    this.#tip = null;
  }

  async #write(): Promise<void> {
    const tip = this.#tip;
    if (tip === null || this.#writing) return;
    this.#writing = true;
    const temporary = `${this.#file}.new`;
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(this.#signed(tip));
        await file.datasync();
      } finally {
        await file.close();
      }
      // Closed meanwhile: the last head is written, and this one is older.
      if (this.#tip === null) rmSync(temporary, { force: true });
      else await rename(temporary, this.#file);
    } catch {
      // A disk that can't take it fails the next append, which is where it is said. The old head stays true.
    } finally {
      this.#writing = false;
      if (this.#tip !== null && this.#tip !== tip) this.note(this.#tip);
    }
  }

  #signed(tip: ChainTip): string {
    const head: SignedHead = { seq: tip.seq, hash: hex(tip.hash) };
    const signature = Buffer.from(this.#signer.sign(payload(head))).toString('base64');
    return `${JSON.stringify({ ...head, signature })}\n`;
  }
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
    const { seq, hash, signature } = JSON.parse(text) as { seq: unknown; hash: unknown; signature: unknown };
    if (typeof seq !== 'number' || typeof hash !== 'string' || typeof signature !== 'string') return 'forged';
    return signer.verify(payload({ seq, hash }), Buffer.from(signature, 'base64')) ? { seq, hash } : 'forged';
  } catch {
    return 'forged';
  }
}

/** So that the new name survives a power cut. Windows has no such thing, and needs none. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function hashAt(db: Database, seq: number): string | null {
  if (seq === 0) return hex(GENESIS);
  const row = db.prepare<[number], { hash: Uint8Array }>('SELECT hash FROM events WHERE seq = ?').get(seq);
  return row === undefined ? null : hex(row.hash);
}

function payload(head: SignedHead): Uint8Array {
  return Buffer.from(`gatehouse audit head\n${canonicalJson({ seq: head.seq, hash: head.hash })}`);
}
