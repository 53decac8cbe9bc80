import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { OutputMatches, OutputWindow } from '#contract/window/channels.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import { LineIndex, lineEnds } from './line-index.js';
import { incomingFile, storedFile } from './output-places.js';
import type { OutputPlace } from '../reading/reader-protocol.js';

const CHUNK = 1024 * 1024;
/** What one answer may carry: 5,000 lines of the longest kind would be too much for a message. */
const LARGEST_WINDOW = 4 * 1024 * 1024;
const MOST_MATCHES = 1000;
/** What is no larger is held against its hash before any of it is shown; of larger ones the beginning may be seen meanwhile. */
const CHECKED_FIRST = 16 * 1024 * 1024;
const ALTERED = 'This is not the output that was recorded: its file was changed since. It is not shown.\n';
/** Outputs that were read last stay open, with what is known of their lines. */
const KEPT_OPEN = 4;

interface Opened {
  readonly file: FileHandle;
  readonly index: LineIndex;
  readonly growing: boolean;
  /** Counts the lines while nobody waits. */
  counting: Promise<void> | null;
  /** Reads it whole, once. */
  checking: Promise<void>;
  /** It is not what its name, which is the hash that was recorded, says. */
  altered: boolean;
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
    if (opened.altered) return { text: fromLine === 0 ? ALTERED : '', fromLine, totalLines: 1, totalBytes: size };
    const ended = await opened.index.reach(fromLine, size);
    if (!ended) opened.counting ??= opened.index.reach(Infinity, size).then(() => void (opened.counting = null));
    const text = await readLines(opened, fromLine, lines, size);
    return { text, fromLine, totalLines: ended && !opened.growing ? opened.index.lines : null, totalBytes: size };
  }

  /** Numbers of the lines that hold the words, from `fromLine` on. Case is ignored for words of plain ASCII. */
  async search(place: OutputPlace, query: string, fromLine: number): Promise<OutputMatches | null> {
    const opened = await this.#opened(place);
    if (opened === null) return null;
    if (opened.altered) return { lines: [], complete: true };
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
    const { path, sha256 } = this.#find(place);
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const opening = openOutput(path, sha256);
    this.#open.set(path, opening);
    for (const [other, old] of this.#open) {
      if (this.#open.size <= KEPT_OPEN) break;
      this.#open.delete(other);
      void old.then(async (opened) => {
        await Promise.all([opened?.counting, opened?.checking]);
        await opened?.file.close();
      });
    }
    const opened = await opening;
    if (opened === null) this.#open.delete(path);
    return opened;
  }

  #find({ callId, stream }: OutputPlace): { path: string; sha256: string | null } {
    const json = this.#stored.get(callId)?.storedOutputs ?? '[]';
    const stored = (JSON.parse(json) as readonly StoredOutput[]).find((output) => output.stream === stream);
    return stored === undefined
      ? { path: incomingFile(this.#dataDir, callId, stream), sha256: null }
      : { path: storedFile(this.#dataDir, stored.sha256), sha256: stored.sha256 };
  }
}

async function openOutput(path: string, sha256: string | null): Promise<Opened | null> {
  try {
    const file = await open(path, 'r');
    const checking = Promise.resolve();
    const opened = {
      file,
      index: new LineIndex(file),
      growing: sha256 === null,
      counting: null,
      checking,
      altered: false,
    };
    if (sha256 === null) return opened;
    opened.checking = hashOf(file).then(
      (found) => void (opened.altered = found !== sha256),
      () => void (opened.altered = true),
    );
    if ((await file.stat()).size <= CHECKED_FIRST) await opened.checking;
    return opened;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** In pieces, so that others get a turn. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, CHUNK, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
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
