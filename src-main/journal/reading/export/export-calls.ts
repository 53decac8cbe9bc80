import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Database } from 'better-sqlite3';
import type { CallDetail, CallFilter } from '#contract/vocabulary/calls.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { BodyRow } from '../../writing/call-row.js';
import { readEvents, readRepeats, toDetail } from '../queries/detail.js';
import { type ListedRow, selectCalls } from '../queries/page.js';
import type { ExportFormat } from '../reader-protocol.js';
import { redactForRecord } from '../../writing/redaction.js';
import { toCloudEvents } from './cloud-events.js';
import type { ExportedCall } from './exported-call.js';
import { toMarkdown } from './markdown.js';

interface ExportShape {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  readonly of: (call: ExportedCall) => string;
}

const EXPORT_SHAPES: Readonly<Record<ExportFormat, ExportShape>> = {
  markdown: { head: '# Calls\n', between: '\n', tail: '', of: toMarkdown },
  json: { head: '[\n', between: ',\n', tail: '\n]\n', of: (call) => JSON.stringify(call) },
  jsonl: { head: '', between: '', tail: '', of: (call) => `${JSON.stringify(call)}\n` },
  cloudevents: {
    head: '',
    between: '',
    tail: '',
    of: (call) =>
      toCloudEvents(call)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
  },
};

const PAGE_SIZE = 200;

/**
 * Streams what the filter selects, newest first, so that a large selection needs no more memory than a small one. The
 * file appears whole or not at all, readable by this person only.
 */
export async function exportCalls(db: Database, format: ExportFormat, filter: CallFilter, file: string): Promise<void> {
  const shape = EXPORT_SHAPES[format];
  const partial = `${file}.part`;
  const stream = createWriteStream(partial, { mode: 0o600, flush: true });
  const done = finished(stream);
  done.catch(() => undefined);
  const write = async (text: string): Promise<void> => {
    if (stream.errored !== null) throw stream.errored;
    if (!stream.write(text)) await Promise.race([once(stream, 'drain'), done]);
  };
  try {
    await write(shape.head);
    let first = true;
    for (let before: number | null = null; ;) {
      const rows: ListedRow[] = selectCalls(db, filter, before, PAGE_SIZE);
      for (const row of rows) {
        await write(`${first ? '' : shape.between}${shape.of(toExportedCall(db, row))}`);
        first = false;
      }
      before = rows.at(-1)?.id ?? null;
      if (before === null || rows.length < PAGE_SIZE) break;
    }
    await write(shape.tail);
    stream.end();
    await done;
    await rename(partial, file);
  } catch (error) {
    stream.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

function toExportedCall(db: Database, row: ListedRow): ExportedCall {
  const body = db.prepare<[number], BodyRow>('SELECT * FROM bodies WHERE call = ?').get(row.id);
  if (body === undefined) throw new Error(`Call ${row.callId} has no body in the journal.`);
  const detail = toDetail({ ...row, ...body }, readEvents(db, row.id), readRepeats(db, row.callId));
  const { value, count } = redactForRecord(detail as unknown as Json);
  return {
    ...(value as unknown as CallDetail),
    redacted: count,
    cpuMs: row.cpuMs,
    peakMemoryBytes: row.peakMemoryBytes,
  };
}
