import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { batchReceived, settled, started } from '../../src-main/journal/writing/journal-samples.test-support.js';
import { type Compare, timed } from './harness.js';
import { emptyFolder, openBenchJournal } from './journal-fill.js';

const COMMITS = 100;

/** What an event costs that is on the disk when it is acknowledged, against the least that SQLite itself needs for that. */
export async function run(compare: Compare): Promise<void> {
  const folder = emptyFolder('append');
  const journal = openBenchJournal(folder);
  mkdirSync(join(folder, 'bare'));
  const bare = new Database(join(folder, 'bare', 'bare.db'));
  bare.pragma('journal_mode = WAL');
  bare.pragma('synchronous = FULL');
  bare.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
  const insert = bare.prepare('INSERT INTO events (body) VALUES (?)');
  const body = 'x'.repeat(300);
  const bareRate = async (): Promise<number> =>
    rate(
      COMMITS,
      await timed(() => {
        for (let n = 0; n < COMMITS; n += 1) insert.run(body);
      }),
    );
  let next = 0;

  await compare({
    name: 'Durable events, one commit each',
    unit: 'per s',
    subject: {
      name: 'journal (event, projection, hash chain)',
      sample: async () =>
        rate(
          COMMITS,
          await timed(() => {
            for (let n = 0; n < COMMITS; n += 1) journal.append([batchReceived(`one-${(next += 1)}`)]);
          }),
        ),
    },
    peer: { name: 'bare single-row commits', sample: bareRate },
    goal: { atLeast: 0.8 },
  });
  await compare({
    name: 'Durable events of read-only calls (6 events, 2 commits a call)',
    unit: 'per s',
    subject: {
      name: 'journal',
      sample: async () =>
        rate(
          COMMITS * 6,
          await timed(() => {
            for (let n = 0; n < COMMITS; n += 1) {
              const callId = `call-${(next += 1)}`;
              journal.append([batchReceived(callId), ...started({ callId, batchId: callId })]);
              journal.append([settled(callId, { content: 'a result of a few words' })]);
            }
          }),
        ),
    },
    peer: { name: 'bare single-row commits', sample: bareRate },
    goal: { atLeast: 0.8 },
  });
  journal.close();
  bare.close();
}

function rate(count: number, ms: number): number {
  return (count / ms) * 1000;
}
