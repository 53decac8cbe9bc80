import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { batchReceived, settled, started } from '../../src-main/journal/writing/journal-samples.test-support.js';
import type { SqliteJournal } from '../../src-main/journal/writing/sqlite-journal.js';
import { type Compare, quantile, timed } from './harness.js';
import { emptyFolder, filledJournal, openBenchJournal, openBenchReader } from './journal-fill.js';

/** A long life's worth. Fewer for a quick look. */
const MANY = Number(process.env['GATEHOUSE_BENCH_CALLS'] ?? 1_000_000);
const CALLS = 40;
const ALLOWED_DELAY_MS = 20;

/** What a journal of a million calls costs, against one of a thousand and one of none. */
export async function run(compare: Compare): Promise<void> {
  const large = filledJournal(MANY);
  const small = filledJournal(1000);
  const none = emptyFolder('none');
  openBenchJournal(none).close();

  await compare({
    name: `Opening a journal of ${MANY} calls`,
    unit: 'ms',
    subject: { name: `${MANY} calls`, sample: () => opening(large) },
    peer: { name: 'no calls', sample: () => opening(none) },
    goal: { atMost: 1.2 },
  });

  const inLarge = openBenchJournal(large);
  const inSmall = openBenchJournal(small);
  await compare({
    name: 'One read-only call, whole, median',
    unit: 'ms',
    subject: { name: `in ${MANY} calls`, sample: () => medianCall(inLarge) },
    peer: { name: 'in 1000 calls', sample: () => medianCall(inSmall) },
    goal: { atMost: 1.2 },
  });
  await searching(compare, large);
  inLarge.close();
  inSmall.close();
}

async function searching(compare: Compare, large: string): Promise<void> {
  const reader = openBenchReader(large);
  const bare = new Database(join(large, 'journal.db'), { readonly: true });
  const query = bare.prepare('SELECT rowid FROM calls_text WHERE calls_text MATCH ? ORDER BY rowid DESC LIMIT 51');
  const words = ['common', 'word500', 'rare77', 'word12 common', 'file-2300', 'read_file word900', 'every result'];
  const p95 = async (search: (text: string) => unknown): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < 40; n += 1) times.push(await timed(() => search(words[n % words.length] ?? '')));
    return quantile(times, 0.95);
  };
  const match = (text: string): string =>
    `${text
      .split(' ')
      .map((word) => `"${word}"`)
      .join(' AND ')}*`;
  await compare({
    name: `Search over ${MANY} calls, p95`,
    unit: 'ms',
    subject: {
      name: 'a page of results, asked of the reading thread',
      sample: () => p95((text) => reader.page({ limit: 50, before: null, filter: { query: text } })),
    },
    peer: { name: 'bare FTS5 query', sample: () => p95((text) => query.all(match(text))) },
    samples: 15,
    goal: { atMost: 1.5 },
  });
  await compare({
    name: 'Main thread’s delay meanwhile, p99',
    unit: 'ms',
    subject: {
      name: 'while 100 searches run',
      sample: async () => {
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        for (let n = 0; n < 100; n += 1) {
          await reader.page({ limit: 50, before: null, filter: { query: words[n % words.length] ?? '' } });
        }
        delay.disable();
        return delay.percentile(99) / 1e6;
      },
    },
    peer: { name: 'allowed', sample: () => ALLOWED_DELAY_MS },
    samples: 10,
    goal: { atMost: 1 },
  });
  bare.close();
  await reader.close();
}

async function opening(folder: string): Promise<number> {
  let journal: SqliteJournal | null = null;
  const ms = await timed(() => {
    journal = openBenchJournal(folder);
    journal.openBatches();
  });
  (journal as SqliteJournal | null)?.close();
  return ms;
}

let next = 0;
async function medianCall(journal: SqliteJournal): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const callId = `bench-${process.pid}-${(next += 1)}`;
    times.push(
      await timed(() => {
        journal.append([batchReceived(callId), ...started({ callId, batchId: callId })]);
        journal.append([settled(callId, { content: 'a result of a few words' })]);
        journal.append([{ type: 'batch-closed', batchId: callId }]);
      }),
    );
  }
  return quantile(times, 0.5);
}
