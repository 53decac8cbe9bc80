import { type FileHandle, open } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { OutputMatches, OutputWindow } from '../../src-preload/contract/channels.js';
import type { StoredOutput } from '../domain/outputs.js';
import { LineIndex, lineEnds } from './line-index.js';
import { incomingFile, storedFile } from './output-places.js';
import type { OutputPlace } from './reader-protocol.js';

const CHUNK = 1024 * 1024;
/** What one answer may carry: 5,000 lines of the longest kind would be too much for a message. */
const LARGEST_WINDOW = 4 * 1024 * 1024;
const MOST_MATCHES = 1000;
/** Outputs that were read last stay open, with what is known of their lines. */
const KEPT_OPEN = 4;

interface Opened {
  readonly file: FileHandle;
  readonly index: LineIndex;
  readonly growing: boolean;
  /** Counts the lines while nobody waits. */
  counting: Promise<void> | null;
}

/** Windows of lines of outputs of any size, while they grow and after. */
export class OutputReader {
  readonly #stored;
  readonly #dataDir: string;
  readonly #open = new Map<string, Promise<Opened | null>>();

  constructor(db: Database, dataDir: string) {
    this.#dataDir = dataDir;
    this.#stored = db.prepare<[string], { storedOutputs: string }>(
      'SELECT b.storedOutputs FROM calls c JOIN bodies b ON b.call = c.id WHERE c.callId = ?',
    );
  }

  /** Null when nothing of it is kept. Raw bytes as UTF-8: the caller sanitizes. */
  async window(place: OutputPlace, fromLine: number, lines: number): Promise<OutputWindow | null> {
    const opened = await this.#opened(place);
    if (opened === null) return null;
    const { size } = await opened.file.stat();
    const ended = await opened.index.reach(fromLine, size);
    if (!ended) opened.counting ??= opened.index.reach(Infinity, size).then(() => void (opened.counting = null));
    const text = await readLines(opened, fromLine, lines, size);
    return { text, fromLine, totalLines: ended && !opened.growing ? opened.index.lines : null, totalBytes: size };
  }

  /** Numbers of the lines that hold the words, from `fromLine` on. Case is ignored for words of plain ASCII. */
  async search(place: OutputPlace, query: string, fromLine: number): Promise<OutputMatches | null> {
    const opened = await this.#opened(place);
    if (opened === null) return null;
    const { size } = await opened.file.stat();
    await opened.index.reach(fromLine, size);
    const fold = /^[\0-\x7f]*$/u.test(query);
    const words = fold ? query.toLowerCase() : Buffer.from(query).toString('latin1');
    const found: number[] = [];
    for await (const { line, bytes } of eachLine(opened, fromLine, size)) {
      const text = bytes.toString('latin1');
      if (!(fold ? text.toLowerCase() : text).includes(words)) continue;
      found.push(line);
      if (found.length === MOST_MATCHES) return { lines: found, complete: false };
    }
    return { lines: found, complete: !opened.growing };
  }

  async #opened(place: OutputPlace): Promise<Opened | null> {
    const { path, growing } = this.#find(place);
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const opening = openOutput(path, growing);
    this.#open.set(path, opening);
    for (const [other, old] of this.#open) {
      if (this.#open.size <= KEPT_OPEN) break;
      this.#open.delete(other);
      void old.then(async (opened) => {
        await opened?.counting;
        await opened?.file.close();
      });
    }
    const opened = await opening;
    if (opened === null) this.#open.delete(path);
    return opened;
  }

  #find({ callId, stream }: OutputPlace): { path: string; growing: boolean } {
    const json = this.#stored.get(callId)?.storedOutputs ?? '[]';
    const stored = (JSON.parse(json) as readonly StoredOutput[]).find((output) => output.stream === stream);
    return stored === undefined
      ? { path: incomingFile(this.#dataDir, callId, stream), growing: true }
      : { path: storedFile(this.#dataDir, stored.sha256), growing: false };
  }
}

async function openOutput(path: string, growing: boolean): Promise<Opened | null> {
  try {
    const file = await open(path, 'r');
    return { file, index: new LineIndex(file), growing, counting: null };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function readLines(opened: Opened, fromLine: number, lines: number, size: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const line of eachLine(opened, fromLine, size)) {
    bytes += line.bytes.length;
    if (line.line >= fromLine + lines || bytes > LARGEST_WINDOW) break;
    // Copied: the buffer is read into again.
    parts.push(Buffer.from(line.bytes));
  }
  return Buffer.concat(parts).toString('utf8');
}

/** From the nearest known place on; what is before `fromLine` is skipped. */
async function* eachLine(
  { file, index }: Opened,
  fromLine: number,
  size: number,
): AsyncGenerator<{ readonly line: number; readonly bytes: Buffer }> {
  const place = index.placeBefore(fromLine);
  let { line } = place;
  let rest = Buffer.alloc(0);
  for (let at = place.offset; at < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const piece = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (const end of lineEnds(piece, 0)) {
      if (line >= fromLine) yield { line, bytes: piece.subarray(start, end) };
      start = end;
      line += 1;
    }
    rest = piece.subarray(start);
  }
  if (rest.length > 0 && line >= fromLine) yield { line, bytes: rest };
}
