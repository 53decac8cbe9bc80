// A conversation at work in a process of its own, for tests that kill it: at the n-th place where something comes from the
// model, is written, or is about to be touched, it kills itself with SIGKILL.
import '../../journal/reading/source-hooks.test-support.ts';
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { answerTo } = await import('../gate/answers.test-support.js');
const { openConversationGate } = await import('./conversation-gate.test-support.js');
const { ScriptedModel } = await import('./scripted-model.test-support.js');

const [dataDir = '', workspace = '', at = '0'] = process.argv.slice(2);
let places = 0;
const place = (): void => {
  places += 1;
  if (places === Number(at)) process.kill(process.pid, 'SIGKILL');
};
const note = (text: string) => ({ call: 'note', arguments: { text } });
const gate = await openConversationGate({
  dataDir,
  workspace,
  model: new ScriptedModel(
    [
      ['I look.', { call: 'read_file', arguments: { path: 'a.txt' } }, note('one')],
      [
        'I write.',
        note('two'),
        { call: 'write_file', arguments: { path: 'w.txt', content: 'written' } },
        note('three'),
      ],
      ['It is done.'],
    ],
    place,
  ),
  place,
  ran: (callId) => appendFileSync(join(dataDir, 'ran.log'), `${callId}\n`),
});
const { id } = gate.record.begin(workspace, false);
writeSync(1, `${id}\n`);
gate.loops.of(id).say({
  parts: [{ kind: 'text', text: 'Do it.' }],
  insteadOf: null,
  unsent: { text: 'Do it.', files: [], pictures: [] },
});
const decided = new AbortController();
void gate.idle(id).then(() => decided.abort());
while (!decided.signal.aborted) {
  const [sheet] = gate.sheets();
  if (sheet !== undefined) {
    gate.read();
    await gate.desk.decide(answerTo(sheet, 'approve-all'));
  }
  await new Promise((resolve) => setImmediate(resolve));
}
writeSync(1, `done ${places}\n`);
await gate.close();
process.exit(0);
