// A process that appends and says on stdout what was acknowledged, for tests that kill it.
import '../reading/source-hooks.test-support.ts';
import { writeSync } from 'node:fs';
import type { JournalEvent } from '../../domain/call/journal-events.js';

const { openJournal } = await import('../opening/open-journal.js');
const { createSealer } = await import('../../keys/sealing.js');
const { batchReceived, settled, started, systemClock, testSigner } = await import('./journal-samples.test-support.js');

const [dataDir = '', prefix = '', count = '0', kind = 'mixed'] = process.argv.slice(2);
const say = (word: string): void => {
  writeSync(1, `${word}\n`);
};
const journal = openJournal({
  dataDir,
  sealer: createSealer(null),
  clock: systemClock,
  signer: testSigner,
  onSideError: (error) => say(`aside ${String(error)}`),
});
/** Said with what is written next, as the gate says it: what need not be waited for must not take what must be along. */
let closed: JournalEvent[] = [];
say('open');
for (let n = 0; n < Number(count); n += 1) {
  const callId = `${prefix}${n}`;
  const batchId = `b-${callId}`;
  const sideEffecting = kind === 'write' || (kind === 'mixed' && n % 2 === 1);
  const [received, validated, authorized, executing] = started({ callId, batchId, sideEffecting });
  if (received === undefined || validated === undefined || authorized === undefined || executing === undefined) break;
  try {
    if (sideEffecting) {
      journal.append([...closed, batchReceived(batchId), received, validated]);
      say(`received ${callId}`);
      journal.append([authorized, executing]);
      say(`executing ${callId}`);
    } else {
      journal.append([...closed, batchReceived(batchId), received, validated, authorized, executing]);
      say(`executing ${callId}`);
    }
    const failure = { code: 'Timeout', message: 'Too slow.', elapsedMs: 1 } as const;
    if (n % 5 === 4) journal.append([settled(callId, { content: `result of ${callId}` }, failure, 'ROLLED_BACK')]);
    else journal.append([settled(callId, { content: `result of ${callId}` })]);
    say(`settled ${callId}`);
    closed = [{ type: 'batch-closed', batchId }];
  } catch (error) {
    closed = [];
    say(`refused ${callId} ${String(error)}`);
    const until = Date.now() + 3000;
    while (journal.health.state === 'failed' && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    say(journal.health.state === 'ok' ? 'reopened' : 'gave up');
    if (journal.health.state === 'failed') break;
  }
}
if (kind === 'stay') setInterval(() => undefined, 1000);
else journal.close();
say('end');
