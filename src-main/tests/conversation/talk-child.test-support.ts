// A conversation with the real gate in a process of its own, for tests that kill it: it kills itself at the n-th place where
// something came, was noted or is recorded. What it says on stdout was there by then.
import '../../journal/reading/source-hooks.test-support.ts';
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredBlock } from '../../domain/conversation/message.js';

const { makeAsker } = await import('../../domain/call/asker.js');
const { openReadOnly, JOURNAL_FILE } = await import('../../journal/opening/connection.js');
const { answerTo } = await import('../gate/answers.test-support.js');
const { openCrashGate } = await import('../gate/crash-gate.test-support.js');

const [dataDir = '', workspace = '', at = '0', choice = 'resume'] = process.argv.slice(2);
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
  ran: (callId) => appendFileSync(join(dataDir, 'ran.log'), `${callId}\n`),
});
if (gate.recovery.isOpen) gate.recovery.decide(choice === 'discard' ? 'discard' : 'resume');
const { conversations: record } = gate;
const seen = openReadOnly(join(dataDir, JOURNAL_FILE));
const noted = seen.prepare<[], { readonly text: string }>(
  "SELECT text FROM streamed WHERE kind = 'text' ORDER BY message, block, piece",
);

const { id } = record.begin(workspace, false);
say(`conversation ${id}`);
place();
await record.addPersonMessage(id, [{ kind: 'text', text: 'Read it, note it, and read it again.' }]);
place();
for (let round = 0; round < 2; round += 1) {
  const answer = record.beginAnswer(id, 'a model');
  say(`answer ${answer.messageId}`);
  place();
  const blocks = await stream(answer);
  // IT-JRN-01: the calls are received, and their batch is not recorded.
  place();
  const batch = gate.gate.submit({
    asker: makeAsker('conversation', id),
    folder: workspace,
    calls: [
      { requestId: 'c1', tool: 'read_file', arguments: { path: 'a.txt' } },
      { requestId: 'c2', tool: 'note', arguments: { text: 'noted' } },
    ],
    capacityBytes: null,
    joinable: false,
    with: (callIds) =>
      answer.ended(
        blocks.map((block, index) => ({
          ...block,
          ...(block.kind === 'call' ? { callId: callIds[index - 1] ?? '' } : {}),
        })),
        { state: 'whole', failure: null },
        null,
      ),
  });
  place();
  const sheet = await sheetOf(batch.batchId);
  gate.read();
  await gate.desk.decide(answerTo(sheet, 'approve-all'));
  for (const { summary } of await batch.settled) say(`settled ${summary.callId} ${summary.state}`);
  batch.close();
  place();
}
const last = record.beginAnswer(id, 'a model');
last.end([{ kind: 'text', text: 'Done.' }], { state: 'whole', failure: null }, null);
place();
say(`done ${places}`);
seen.close();
await gate.close();
process.exit(0);

async function stream(answer: ReturnType<typeof record.beginAnswer>): Promise<readonly StoredBlock[]> {
  const words = 'I read it and note it, word by word. '.split(/(?<= )/u);
  for (const [index, word] of words.entries()) {
    answer.text(0, 'text', word);
    if (index === 3) await noteOf(words.slice(0, 4).join(''));
    place();
  }
  for (const [block, name, args] of [
    [1, 'read_file', '{"path":"a.txt"}'],
    [2, 'note', '{"text":"noted"}'],
  ] as const) {
    answer.callBegan(block, `c${block}`, name);
    place();
    answer.callArguments(block, args.slice(0, 6));
    if (block === 1) await noteOf(words.join(''));
    place();
    answer.callArguments(block, args.slice(6));
    place();
  }
  return [
    { kind: 'text', text: words.join('') },
    { kind: 'call', id: 'c1', name: 'read_file', arguments: { path: 'a.txt' }, kept: null },
    { kind: 'call', id: 'c2', name: 'note', arguments: { text: 'noted' }, kept: null },
  ];
}

/** Waits until somebody else can read it. */
async function noteOf(text: string): Promise<void> {
  while (noted.all().at(-1)?.text !== text) await new Promise((resolve) => setTimeout(resolve, 2));
  say(`noted ${JSON.stringify(text)}`);
}

async function sheetOf(batchId: string) {
  for (;;) {
    const sheet = gate.sheets().find((each) => each.batchId === batchId);
    if (sheet !== undefined) return sheet;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
