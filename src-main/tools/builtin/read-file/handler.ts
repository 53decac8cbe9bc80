import type { JailedPath } from '../../../domain/ports/workspace/sandbox.js';
import { type SurroundingText, type ToolContext, ToolFailure } from '../../../domain/tool/tool.js';
import { cutEnd, contextRoom } from '../../../domain/text/cut-to-context.js';
import { REDACTED } from '../../../domain/text/redact.js';
import { maskValues } from '../../../domain/text/secrets/file-values.js';
import { defineTool } from '../../define-tool.js';
import { fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { askAboutSecrets, isSecretFile } from '../secret-file.js';
import { binaryRoom, type BinaryText, binaryText } from './binary-text.js';
import { readFile, type ReadFileOutput } from './definition.js';
import { LineScanner } from './line-scanner.js';
import { failed, FileScan, SNIFF_BYTES, Utf8Check } from './scan.js';
import { LARGEST_FILE } from '../../../domain/size-bounds.js';

interface LineRange {
  readonly first: number;
  /** Null: to the end of the file. */
  readonly last: number | null;
  /** Whether the first line was asked for by number: then it must exist. */
  readonly firstAsked: boolean;
}

interface ReadFileArgs {
  readonly path: string;
  readonly range: LineRange | null;
}

const badArgs = (message: string): ToolFailure => new ToolFailure({ code: 'BadArgs', message });

export const readFileTool = defineTool(readFile, {
  timeoutMs: fileTimeoutMs,

  parse({ path, start_line: start, end_line: end }): ReadFileArgs {
    if (start !== undefined && end !== undefined && start > end) {
      throw badArgs(`start_line (${start}) is after end_line (${end}).`);
    }
    const ranged = start !== undefined || end !== undefined;
    return { path, range: ranged ? { first: start ?? 1, last: end ?? null, firstAsked: start !== undefined } : null };
  },

  summary({ path, range }, named) {
    return range === null ? `Read ${named(path)}` : `Read ${named(path)} [lines ${range.first}-${range.last ?? 'end'}]`;
  },

  async preflight({ path }, context) {
    const { mustAsk, secrets } = await askAboutSecrets([await context.sandbox.validate(path)], context);
    return { risk: mustAsk === null ? 'low' : 'high', mustAsk, secrets };
  },

  effect: () => Promise.resolve({ kind: 'arguments' }),

  async foresee({ path: asked }, { sandbox }) {
    try {
      const file = await sandbox.openFile(await sandbox.validate(asked));
      await file[Symbol.asyncDispose]();
      return null;
    } catch (error) {
      if (error instanceof ToolFailure) return error.failure;
      throw error;
    }
  },

  async execute({ path: asked, range }, context) {
    const path = await context.sandbox.validate(asked);
    await using file = await context.sandbox.openFile(path);
    const scan = new FileScan(file, context.signal);
    const utf8 = new Utf8Check();
    const head = await scan.next(SNIFF_BYTES);
    if (head.includes(0) || !utf8.accepts(head, scan.ended)) {
      return await binary(path, range, head, scan, file.facts.size, context);
    }
    // Awaited here: the file is closed as soon as this function returns.
    return range === null
      ? await whole(path, head, scan, file.facts.size, context)
      : await lines(path, range, head, scan, utf8, file.facts.size, context);
  },
});

async function whole(
  path: JailedPath,
  head: Buffer,
  scan: FileScan,
  size: number,
  context: ToolContext<'reads'>,
): Promise<ReadFileOutput> {
  const limit = readLimit(context);
  const tooLarge = (bytes: number, most = limit): ToolFailure =>
    failed(
      `“${path.asked}” has ${bytes} bytes, more than the ${most} that are read at once. ` +
        'Read a part of it with start_line and end_line.',
    );
  if (size > limit) throw tooLarge(size);
  const pieces = [head];
  while (!scan.ended) {
    pieces.push(await scan.next());
    // The file grew while it was read.
    if (scan.bytesRead > limit) throw tooLarge(scan.bytesRead);
  }
  if (scan.bytesRead > limit) throw tooLarge(scan.bytesRead);
  const bytes = Buffer.concat(pieces);
  const text = decode(bytes);
  if (text === null) return binary(path, null, bytes, scan, bytes.byteLength, context);
  // As text it takes more room than its bytes say.
  if (contextRoom(text) > context.capacityBytes)
    throw tooLarge(bytes.byteLength, cutEnd(text, context.capacityBytes).bytes);
  return textOutput(path, text, { size: bytes.byteLength, range: null, endLine: null }, scan, context);
}

async function lines(
  path: JailedPath,
  range: LineRange,
  head: Buffer,
  scan: FileScan,
  utf8: Utf8Check,
  size: number,
  context: ToolContext<'reads'>,
): Promise<ReadFileOutput> {
  const scanLimit = Math.min(context.config.tools.read_file.max_scan_bytes, LARGEST_FILE);
  const scanner = new LineScanner(range.first, range.last ?? Number.POSITIVE_INFINITY);
  let scanned = Math.min(head.byteLength, scanLimit);
  let complete = scanner.push(head.subarray(0, scanned));
  while (!complete && !scan.ended && scanned < scanLimit) {
    const piece = await scan.next(Math.min(65_536, scanLimit - scanned));
    if (!utf8.accepts(piece, scan.ended)) return binary(path, range, head, scan, size, context);
    scanned += piece.byteLength;
    complete = scanner.push(piece);
  }
  // A file that ends exactly at the limit was scanned whole, though only another read can tell.
  const cut = !complete && (scanned < head.byteLength || (!scan.ended && (await scan.next(1)).byteLength > 0));
  if (cut) {
    throw failed(
      `The lines asked for lie beyond the first ${scanLimit} bytes of “${path.asked}”, which is as far as lines are looked for. ` +
        'Narrow the range, or ask for lines nearer the start.',
    );
  }
  if (range.firstAsked && scanner.lines < range.first) {
    throw badArgs(
      `start_line is ${range.first}, but “${path.asked}” has ${scanner.lines} line${scanner.lines === 1 ? '' : 's'}.`,
    );
  }
  const text = decode(scanner.bytes());
  if (text === null) return binary(path, range, head, scan, size, context);
  const found = { size, range, endLine: scanner.lines };
  scanner.push(head.subarray(Math.min(head.byteLength, scanLimit)));
  while (scanner.wantsMore && !scan.ended) scanner.push(await scan.next());
  const { before, after } = scanner.around();
  return textOutput(path, text, found, scan, context, { before: readable(before), after: readable(after) });
}

async function textOutput(
  path: JailedPath,
  text: string,
  found: { readonly size: number; readonly range: LineRange | null; readonly endLine: number | null },
  scan: FileScan,
  context: ToolContext<'reads'>,
  around: SurroundingText = NOTHING,
): Promise<ReadFileOutput> {
  const sha256 = await scan.wholeHash();
  if (sha256 !== null) context.readLog.record(path.absolute, sha256);
  const structured = {
    path: path.relative,
    kind: 'text' as const,
    bytes: Math.max(found.size, scan.bytesRead),
    sha256,
    startLine: found.range?.first ?? null,
    endLine: found.endLine,
    truncated: Buffer.byteLength(text) > context.outputLimit || contextRoom(text) > context.capacityBytes,
  };
  if (!(await isSecretFile(path, context)))
    return fileToolOutput(text, structured, around === NOTHING ? {} : { around });
  // Of a file of secrets the names are shown, and no value.
  const from = around.before.length;
  const { value, count } = maskValues(around.before + text + around.after, from, from + text.length);
  const hidden = count === 0 ? {} : { whole: text };
  return { ...fileToolOutput(value, structured), outputBytes: Buffer.byteLength(text), redactions: count, ...hidden };
}

async function binary(
  path: JailedPath,
  range: LineRange | null,
  head: Buffer,
  scan: FileScan,
  size: number,
  context: ToolContext<'reads'>,
): Promise<ReadFileOutput> {
  if (range !== null) {
    throw badArgs(`“${path.asked}” is not text in UTF-8, so it has no lines. Read it without start_line and end_line.`);
  }
  const wanted = Math.min(readLimit(context), binaryRoom(context.outputLimit) + 1);
  const pieces = [head];
  while (!scan.ended && scan.bytesRead < wanted) pieces.push(await scan.next(wanted - scan.bytesRead));
  const bytes = Buffer.concat(pieces).subarray(0, Math.max(wanted, 0));
  // Some files don't know their size (/proc); then there is more until the end was met.
  const wholeSize = scan.ended ? scan.bytesRead : Math.max(size, scan.bytesRead + 1);
  const isSecret = await isSecretFile(path, context);
  const shown = binaryWithin(bytes, wholeSize, context);
  const output = fileToolOutput(
    isSecret ? REDACTED : shown.content,
    {
      path: path.relative,
      kind: 'binary',
      bytes: wholeSize,
      sha256: null,
      startLine: null,
      endLine: null,
      truncated: shown.truncated,
    },
    { allowTruncation: false, outputBytes: shown.outputBytes, outputBytesLeftOut: shown.leftOut },
  );
  return isSecret ? { ...output, redactions: 1, whole: shown.content } : output;
}

/** Base64 takes more room than it has bytes, and is not to be cut where nothing says so. */
function binaryWithin(
  bytes: Uint8Array,
  size: number,
  { outputLimit, capacityBytes }: ToolContext<'reads'>,
): BinaryText {
  const shown = binaryText(bytes, size, outputLimit);
  const takes = contextRoom(shown.content);
  if (takes <= capacityBytes) return shown;
  return binaryText(bytes, size, Math.floor((shown.content.length * capacityBytes) / takes));
}

const readLimit = ({ config, capacityBytes }: ToolContext<'reads'>): number =>
  Math.min(config.tools.read_file.max_file_read_bytes, capacityBytes);

const NOTHING: SurroundingText = { before: '', after: '' };

/** Decodes text around the lines that is looked at and not shown: it may begin or end within a character. */
const readable = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Null when it is not UTF-8. A byte order mark is part of the text, so that a patch can match it. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
