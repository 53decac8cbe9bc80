// The real gate in a process of its own, for tests that kill it: at the n-th place where the journal is written or a
// file is about to be touched, it kills itself with SIGKILL. What it says on stdout was acknowledged.
import '../../journal/reading/source-hooks.test-support.ts';
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { makeAsker } = await import('../../domain/call/asker.js');
const { answerTo } = await import('./answers.test-support.js');
const { openCrashGate } = await import('./crash-gate.test-support.js');

const [dataDir = '', workspace = '', at = '0', plan = 'calls', key = '', ...canaries] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);
let places = 0;
const place = (): void => {
  places += 1;
  if (places === Number(at)) process.kill(process.pid, 'SIGKILL');
};

const gate = await openCrashGate({
  dataDir,
  workspace,
  place,
  ...(key === '' ? {} : { sealingKey: Buffer.from(key, 'hex') }),
  ran: (callId) => appendFileSync(join(dataDir, 'ran.log'), `${callId}\n`),
});
if (gate.recovery.isOpen) gate.recovery.decide(plan === 'discard' ? 'discard' : 'resume');
if (plan === 'calls' || plan === 'remote' || plan === 'secrets') {
  for (const calls of batches()) {
    const batch = gate.gate.submit({
      asker: makeAsker('mcp', 's', { client: 'crash test 1' }),
      folder: workspace,
      calls,
      capacityBytes: null,
      joinable: false,
    });
    for (const call of batch.calls)
      void call.settled.then(({ summary, recorded }) => say(`settled ${summary.callId} ${summary.state} ${recorded}`));
    const asked = await sheetOf(batch.batchId, batch.settled);
    if (asked !== null) {
      gate.read();
      await gate.desk.decide(answerTo(asked, 'approve-all'));
    }
    await batch.settled;
  }
}
say(`done ${places}`);
await gate.close();
process.exit(0);

/** The sheet once it opens; null when the batch ends without one. */
async function sheetOf(batchId: string, settled: Promise<unknown>) {
  const ended = new AbortController();
  void settled.then(() => ended.abort());
  while (!ended.signal.aborted) {
    const sheet = gate.sheets().find((each) => each.batchId === batchId);
    if (sheet !== undefined) return sheet;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return null;
}

function batches() {
  const patch = 'LP1\nF a.txt\nR\none\n.\nONE\n.\nF b.txt\nT\nlast\n.\nF new/c.txt\nT\nmade\n.\nEND\n';
  const call = (tool: string, args: Record<string, string>) => ({ requestId: null, tool, arguments: args });
  if (plan === 'remote') return [[call('elsewhere', { text: 'first' }), call('elsewhere', { text: 'second' })]];
  const [written, old, fresh, noted, edited] = canaries.map((value) => `password=${value}`);
  if (plan === 'secrets')
    return [
      [call('read_file', { path: 'settings.ini' }), call('read_file', { path: '.env' })],
      [
        call('write_file', { path: 'new.ini', content: `${written ?? ''}\n` }),
        call('apply_patch', { patch: `LP1\nF settings.ini\nR\n${old ?? ''}\n.\n${fresh ?? ''}\n.\nEND\n` }),
        call('apply_patch', { patch: `LP1\nF missing.ini\nR\n${edited ?? ''}\n.\nx\n.\nEND\n` }),
        call('note', { text: `${noted ?? ''}\n` }),
      ],
    ];
  return [
    [call('read_file', { path: 'a.txt' }), call('read_file', { path: 'b.txt' })],
    [
      call('note', { text: 'first' }),
      call('write_file', { path: 'deep/down/w.txt', content: 'written' }),
      call('apply_patch', { patch }),
      call('read_file', { path: 'missing.txt' }),
      call('note', { text: 'last' }),
    ],
  ];
}
