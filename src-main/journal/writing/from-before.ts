import type { Database } from 'better-sqlite3';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import { secretFile } from '../../domain/sensitive/table.js';
import { withoutValues } from '../../domain/text/secrets/file-values.js';
import type { BodyRow, CallRow } from './call-row.js';

/** Where the calls end that were recorded before anything was blotted out of them; the migration that knows of it set it. */
export const MARK = 'calls-from-before';

type Row = Pick<CallRow, 'id' | 'callId' | 'tool' | 'summary' | 'reason'> & Omit<BodyRow, 'sealed' | 'sealedResult'>;

/** A call with what it is to be after what looks like secrets was taken out of it. */
export interface Cleaned {
  readonly id: number;
  /** As it was found: where it is otherwise by then, it is left alone. */
  readonly found: Pick<Row, 'arguments' | 'result'>;
  readonly places: number;
  readonly call: Pick<Row, 'summary' | 'reason'>;
  readonly body: Pick<Row, 'arguments' | 'originalArguments' | 'failure' | 'result' | 'structured' | 'changedFiles'>;
  /** Events of it whose words hold some. */
  readonly events: readonly number[];
}

export interface LookedThrough {
  /** Only those in which something was found. */
  readonly calls: readonly Cleaned[];
  readonly outputs: readonly StoredOutput[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

const AT_ONCE = 20;

export function callsFromBefore(
  db: Database,
): { readonly last: number; readonly calls: number; readonly until: number } | null {
  const mark = db.prepare<[string], { value: string }>('SELECT value FROM marks WHERE name = ?').get(MARK);
  if (mark === undefined) return null;
  const last = Number(mark.value);
  const found = db
    .prepare<[number], { calls: number; until: number | null }>(
      'SELECT count(*) AS calls, max(startedAt) AS until FROM calls WHERE id <= ? AND settled = 1',
    )
    .get(last);
  return found === undefined || found.calls === 0 ? null : { last, calls: found.calls, until: found.until ?? 0 };
}

/** Some of them, after that one. It reads and changes nothing. */
export async function lookThrough(
  db: Database,
  redactor: Redactor,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<LookedThrough> {
  const rows = db
    .prepare<[number, number], Row>(
      `SELECT c.id, c.callId, c.tool, c.summary, c.reason, d.arguments, d.originalArguments, d.failure, d.result,
         d.structured, d.outputBytes, d.outputBytesLeftOut, d.storedOutputs, d.changedFiles, d.aftermath
       FROM calls c JOIN bodies d ON d.call = c.id
       WHERE c.id > ? AND c.id <= ? AND c.settled = 1 ORDER BY c.id LIMIT ${AT_ONCE}`,
    )
    .all(after, last);
  const eventsOf = db.prepare<[number], { seq: number; body: string }>(
    'SELECT seq, body FROM events WHERE call = ? AND body IS NOT NULL ORDER BY seq',
  );
  const calls: Cleaned[] = [];
  for (const row of rows) {
    const cleaned = await cleanedOf(row, eventsOf.all(row.id), redactor);
    if (cleaned.places > 0) calls.push(cleaned);
  }
  const outputs = rows.flatMap(({ storedOutputs }) => JSON.parse(storedOutputs) as readonly StoredOutput[]);
  return { calls, outputs, next: rows.length < AT_ONCE ? null : (rows.at(-1)?.id ?? null) };
}

async function cleanedOf(
  row: Row,
  written: readonly { readonly seq: number; readonly body: string }[],
  redactor: Redactor,
): Promise<Cleaned> {
  let places = 0;
  const json = async (text: string | null): Promise<string | null> => {
    if (text === null) return null;
    const { value, count } = await redactor.jsonLater(JSON.parse(text) as Json);
    places += count;
    return count === 0 ? text : JSON.stringify(value);
  };
  const plain = async (text: string | null): Promise<string | null> => {
    if (text === null) return null;
    const { value, count } = await redactor.textLater(text);
    places += count;
    return value;
  };
  const fileless = ofSecretFile(row);
  places += fileless.count;
  const body = {
    arguments: (await json(row.arguments)) ?? '{}',
    originalArguments: await json(row.originalArguments),
    failure: await json(row.failure),
    result: await plain(fileless.result),
    structured: await json(row.structured),
    changedFiles: (await json(row.changedFiles)) ?? '[]',
  };
  const call = { summary: (await plain(row.summary)) ?? '', reason: await plain(row.reason) };
  const events: number[] = [];
  for (const { seq, body: text } of written) {
    const { count } = await redactor.jsonLater(JSON.parse(text) as JsonObject);
    if (count === 0) continue;
    places += count;
    events.push(seq);
  }
  const { id, arguments: args, result } = row;
  return { id, found: { arguments: args, result }, places, call, body, events };
}

/** What a file of secrets gave then: every value of it, as reading it gives none now. */
function ofSecretFile({ tool, arguments: args, result }: Row): {
  readonly result: string | null;
  readonly count: number;
} {
  const { path } = JSON.parse(args) as { readonly path?: Json };
  if (tool !== 'read_file' || result === null || typeof path !== 'string' || secretFile(path) !== 'yes')
    return { result, count: 0 };
  const { value, count } = withoutValues(result);
  return { result: value, count };
}

/** For search. */
export const searchableOf = ({ call, body }: Cleaned, tool: string) => ({ ...call, ...body, tool });
