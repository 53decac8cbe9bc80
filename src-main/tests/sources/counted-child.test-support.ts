// The real gate with a real source in a process of its own, which kills itself while its call is in flight.
import '../../journal/reading/source-hooks.test-support.ts';

const { makeAsker } = await import('../../domain/call/asker.js');
const { answerTo } = await import('../gate/answers.test-support.js');
const { openCountedGate } = await import('./counted-gate.test-support.js');

const [dataDir = '', workspace = '', base = ''] = process.argv.slice(2);
const gate = await openCountedGate({ dataDir, workspace, base });
const batch = gate.gate.submit({
  asker: makeAsker('mcp', 's', { client: 'crash test 1' }),
  folder: workspace,
  calls: [{ requestId: null, tool: 'counter__count', arguments: {} }],
  capacityBytes: null,
  joinable: false,
});
let sheet = gate.sheets().find(({ batchId }) => batchId === batch.batchId);
while (sheet === undefined) {
  await new Promise((resolve) => setImmediate(resolve));
  sheet = gate.sheets().find(({ batchId }) => batchId === batch.batchId);
}
gate.read();
await gate.desk.decide(answerTo(sheet, 'approve-all'));
// The server has it, and does not answer.
while ((await (await fetch(`${base}/seen`)).text()) === '0') await new Promise((resolve) => setImmediate(resolve));
process.kill(process.pid, 'SIGKILL');
