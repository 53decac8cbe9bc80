import { expect, it, onTestFinished } from 'vitest';
import { makeAsker } from '../../../domain/call/asker.js';
import { callReceived } from '../../writing/journal-samples.test-support.js';
import { openTestJournal, openTestReader, testFolder } from '../../writing/journal.test-support.js';

it('Who asked is told by agent and by client, with the last call and its folder, the newest first', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const call = (callId: string, asker: ReturnType<typeof makeAsker>, workspace = '/w'): void => {
    const batchId = `b-${callId}`;
    journal.append([
      { type: 'batch-received', batchId, asker, workspace, mode: 'enabled' },
      callReceived({ callId, batchId, tool: 'read_file', arguments: { path: callId } }),
      { type: 'call-validated', callId, summary: `Read ${callId}`, risk: 'low', timeoutMs: 1 },
    ]);
  };
  expect(await reader.seenAgents()).toEqual([]);
  call('c1', makeAsker('mcp', 's1', { agent: 'one', client: 'codex 1.0' }));
  call('c2', makeAsker('compose', 's2', {}));
  call('c3', makeAsker('mcp', 's3', { client: 'visitor 1' }), '/other');
  call('c4', makeAsker('mcp', 's1', { agent: 'one', client: 'codex 1.0' }));
  call('c5', makeAsker('mcp', 's4', { agent: 'two', client: 'codex 1.0' }));
  // The same agent in a newer version is one more client of it.
  call('c6', makeAsker('mcp', 's5', { agent: 'one', client: 'codex 1.1' }));

  const seen = await reader.seenAgents();
  expect(seen.map(({ agent, client, callId, folder: at }) => [agent, client, callId, at])).toEqual([
    ['one', 'codex 1.1', 'c6', '/w'],
    ['two', 'codex 1.0', 'c5', '/w'],
    ['one', 'codex 1.0', 'c4', '/w'],
    [null, 'visitor 1', 'c3', '/other'],
  ]);
  expect(seen[0]).toMatchObject({ tool: 'read_file', summary: 'Read c6' });
  expect(seen[0]?.at).toBeGreaterThan(0);
});
