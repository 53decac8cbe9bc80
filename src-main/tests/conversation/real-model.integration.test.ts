import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { createServedModel } from '../../conversation/providers/served-model.js';
import { createOutside } from '../../outside/outside-client.js';
import { testFolder } from '../gate/gate.test-support.js';
import { openConversationGate } from './conversation-gate.test-support.js';

/** A model of 1.1 billion parameters in a process of its own; a grammar makes it call. The first run fetches about 350 MB. */
const isWanted = process.env['GATEHOUSE_REAL_MODEL'] === '1';

async function startRealModel(): Promise<string> {
  const served = spawn(process.execPath, [resolve('scripts/real-model.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void served.kill());
  const [line] = await Promise.race([
    once(createInterface({ input: served.stdout }), 'line'),
    once(served, 'exit').then(([code]) => Promise.reject(new Error(`The real model did not start: ${String(code)}`))),
  ]);
  return (JSON.parse(String(line)) as { readonly baseUrl: string }).baseUrl;
}

it.skipIf(!isWanted)(
  'a real model’s call goes through the gate, and its answer comes back (GATEHOUSE_REAL_MODEL=1)',
  async () => {
    const baseUrl = await startRealModel();
    const outside = createOutside({ secret: () => null, variable: () => null });
    const workspace = testFolder('workspace');
    writeFileSync(join(workspace, 'notes.txt'), 'The capital of France is Paris.\n');
    const gate = await openConversationGate({
      dataDir: testFolder('data'),
      workspace,
      provider: 'openai-compatible',
      model: createServedModel(
        { provider: 'openai-compatible', baseUrl, model: 'tinyllama' },
        { outside, key: () => null, now: () => Date.now() },
      ),
    });
    onTestFinished(async () => {
      await gate.close();
      outside.close();
    });
    const { id } = gate.record.begin(workspace, false);
    const text = 'Use read_file on notes.txt and tell me the capital of France.';
    gate.loops
      .of(id)
      .say({ parts: [{ kind: 'text', text }], insteadOf: null, unsent: { text, files: [], pictures: [] } });
    await gate.idle(id);

    const [, asked, told] = gate.record.branch(id).map(({ said }) => said);
    expect(asked).toMatchObject({
      by: 'assistant',
      end: { state: 'whole' },
      blocks: [{ kind: 'call', name: 'read_file', arguments: { path: 'notes.txt' } }],
    });
    const calls =
      asked?.by === 'assistant' ? asked.blocks.flatMap(({ callId }) => (callId === undefined ? [] : [callId])) : [];
    const [result] = gate.record.results(calls).values();
    expect(result?.result).toMatchObject({ failure: null, content: 'The capital of France is Paris.\n' });
    if (told?.by !== 'assistant') throw new Error('Nothing was said of the result.');
    // What it says of it is its own.
    expect(told.end.state).toMatch(/^(?:whole|length)$/u);
    expect(told.blocks).toMatchObject([{ kind: 'text', text: expect.stringMatching(/\S/u) }]);
    expect(gate.record.branch(id)).toHaveLength(3);
    process.stdout.write(`The real model said: ${JSON.stringify(told.blocks)}\n`);
  },
);
