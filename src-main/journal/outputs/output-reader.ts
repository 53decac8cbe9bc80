import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { OutputMatches, OutputWindow } from '#contract/window/channels.js';
import type { OutputRow, OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';
import { parseOutputOrder } from '../../domain/call/output-order.js';
import type { StoredOutput, StoredStream } from '../../domain/call/outputs.js';
import { DrawnOutput, type OutputTurn } from './drawn-output.js';
import { incomingFile, storedFile } from './output-places.js';
import type { OutputLocation } from '../reading/reader-protocol.js';

const CHUNK_BYTES = 1024 * 1024;
/** The limit for one answer: 5,000 lines of the longest kind would be too much for a message. */
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;
/** The number of places that are told; the rest is counted. */
const MAX_PLACES = 20_000;
/**
 * Files up to this size are checked against their hash before any of them is shown; the beginning of larger ones may be
 * seen meanwhile.
 */
const MAX_CHECKED_FIRST_BYTES = 16 * 1024 * 1024;
const MAX_ORDER_BYTES = 16 * 1024 * 1024;
const ALTERED_NOTICE = 'This is not the output that was recorded: its file was changed since. It is not shown.\n';
/** Outputs that were read last stay open, with what is known of their lines. */
const MAX_OPEN = 4;

interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly growing: boolean;
  /** Reads it whole, once. */
  readonly checking: Promise<void>;
  /** Whether the file is not what its name, which is the hash that was recorded, says. */
  readonly state: { altered: boolean };
}

interface OpenOutput {
  readonly files: readonly OpenFile[];
  readonly drawn: DrawnOutput;
  readonly growing: boolean;
  readonly bytes: number;
  /** Counts the lines while nobody waits. */
  counting: Promise<void> | null;
}

/** Windows of lines of outputs of any size, while they grow and after. */
export class OutputReader {
  readonly #stored;
  readonly #dataDir: string;
  readonly #open = new Map<string, Promise<OpenOutput | null>>();

  constructor(db: Database, dataDir: string) {
    this.#dataDir = dataDir;
    this.#stored = db.prepare<[string], { storedOutputs: string }>(
      'SELECT b.storedOutputs FROM calls c JOIN bodies b ON b.call = c.id WHERE c.callId = ?',
    );
  }

  /** Null when nothing of it is kept. */
  async window(place: OutputLocation, fromLine: number, lines: number): Promise<OutputWindow | null> {
    const opened = await this.#opened(place);
    if (opened === null) return null;
    const { drawn, bytes: totalBytes } = opened;
    if (isAltered(opened))
      return { rows: fromLine === 0 ? [{ text: ALTERED_NOTICE, looks: [] }] : [], fromLine, totalLines: 1, totalBytes };
    const rows: OutputRow[] = [];
    let length = 0;
    for await (const piece of drawn.rowsFrom(fromLine)) {
      for (const row of piece.rows) {
        length += row.text.length;
        if (rows.length === lines || length > MAX_WINDOW_BYTES) break;
        rows.push(row);
      }
      if (rows.length === lines || length > MAX_WINDOW_BYTES) break;
    }
    await drawn.reach(fromLine + lines);
    if (drawn.total === null) opened.counting ??= drawn.reach(Infinity);
    const totalLines = opened.growing ? null : drawn.total;
    if (opened.growing) await closeAll(opened);
    return { rows, fromLine, totalLines, totalBytes };
  }

  /** Where the words stand, from `fromLine` on. Case is ignored for words of plain ASCII. */
  async search(place: OutputLocation, query: string, fromLine: number): Promise<OutputMatches | null> {
    const opened = await this.#opened(place);
    if (opened === null) return null;
    if (isAltered(opened)) return { places: [], total: 0, complete: true };
    const pattern = new RegExp(RegExp.escape(query), /^[\0-\u{7f}]*$/u.test(query) ? 'gi' : 'g');
    const places: { line: number; at: number }[] = [];
    let total = 0;
    let begun = '';
    for await (const { row, rows } of opened.drawn.rowsFrom(fromLine)) {
      for (const [index, { text }] of rows.entries()) {
        const line = row + index;
        for (const { index: at } of (begun + text).matchAll(pattern)) {
          total += 1;
          // What begins in the row before goes on in this one.
          const found = at < begun.length ? { line: line - 1, at: 0 } : { line, at: at - begun.length };
          if (places.length < MAX_PLACES) places.push(found);
        }
        begun = text.endsWith('\n') ? '' : text.slice(text.length - Math.min(text.length, query.length - 1));
      }
    }
    const complete = !opened.growing && places.length === total;
    if (opened.growing) await closeAll(opened);
    return { places, total, complete };
  }

  async #opened(place: OutputLocation): Promise<OpenOutput | null> {
    const key = `${place.stream} ${place.callId}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opening = this.#openFiles(place);
    this.#open.set(key, opening);
    const opened = await opening.catch((error: unknown) => {
      this.#open.delete(key);
      throw error;
    });
    // What grows is read anew each time.
    if (opened === null || opened.growing) this.#open.delete(key);
    for (const [other, old] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(other);
      void old.then((one) => (one === null ? undefined : closeAll(one)));
    }
    return opened;
  }

  async #openFiles({ callId, stream }: OutputLocation): Promise<OpenOutput | null> {
    const json = this.#stored.get(callId)?.storedOutputs ?? '[]';
    const stored = JSON.parse(json) as readonly StoredOutput[];
    const fileOf = async (one: StoredStream): Promise<OpenFile | null> => {
      const known = stored.find((output) => output.stream === one);
      return known === undefined
        ? openFile(incomingFile(this.#dataDir, callId, one), null)
        : openFile(storedFile(this.#dataDir, known.sha256), known.sha256);
    };
    const stdout = stream === 'stderr' ? null : await fileOf('stdout');
    const stderr = stream === 'stdout' ? null : await fileOf('stderr');
    const order = stdout === null || stderr === null ? null : await fileOf('order');
    const files = [stdout, stderr].filter((file) => file !== null);
    if (files.length === 0) return null;
    const turns =
      order === null || order.state.altered || order.size > MAX_ORDER_BYTES ? '' : await order.file.readFile('utf8');
    await order?.checking;
    await order?.file.close();
    const drawn = new DrawnOutput(
      { ...(stdout === null ? {} : { stdout: stdout.file }), ...(stderr === null ? {} : { stderr: stderr.file }) },
      limitTurns(parseOutputOrder(turns), { stdout: stdout?.size ?? 0, stderr: stderr?.size ?? 0 }),
    );
    return {
      files,
      drawn,
      growing: files.some(({ growing }) => growing),
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      counting: null,
    };
  }
}

const isAltered = ({ files }: OpenOutput): boolean => files.some(({ state }) => state.altered);

async function closeAll({ files, counting }: OpenOutput): Promise<void> {
  await counting;
  for (const { file, checking } of files) {
    await checking;
    await file.close();
  }
}

/** Limits the turns to the streams' sizes, and adds what is left of each. */
function limitTurns(
  turns: readonly OutputTurn[],
  sizes: Readonly<Record<OutputStreamName, number>>,
): readonly OutputTurn[] {
  const left = { ...sizes };
  const all: OutputTurn[] = [];
  const take = ({ stream, bytes }: OutputTurn): void => {
    const taken = Math.min(bytes, left[stream]);
    left[stream] -= taken;
    if (taken > 0) all.push({ stream, bytes: taken });
  };
  for (const turn of turns) take(turn);
  for (const stream of ['stdout', 'stderr'] as const) take({ stream, bytes: left[stream] });
  return all;
}

async function openFile(path: string, sha256: string | null): Promise<OpenFile | null> {
  try {
    const file = await open(path, 'r');
    const { size } = await file.stat();
    const state = { altered: false };
    if (sha256 === null) return { file, size, growing: true, checking: Promise.resolve(), state };
    const checking = hashFile(file).then(
      (found) => void (state.altered = found !== sha256),
      () => void (state.altered = true),
    );
    if (size <= MAX_CHECKED_FIRST_BYTES) await checking;
    return { file, size, growing: false, checking, state };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Hashes a file in pieces, so that others get a turn. */
async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
