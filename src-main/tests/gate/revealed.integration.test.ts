import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileOutputStore } from '../../journal/outputs/output-store.js';
import { createSealer } from '../../keys/sealing.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { elsewhereTool } from './elsewhere-tool.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';

const KEY = Buffer.alloc(32, 5);
const [READ, WRITTEN, PRINTED] = ['q8Zk2mPw1xYv-read', 'q8Zk2mPw1xYv-written', 'q8Zk2mPw1xYv-printed'];

async function gateWith(key: Uint8Array | null) {
  const dataDir = testFolder('data');
  const sealer = createSealer(key);
  const runner = await openTestRunner(undefined, { outputs: () => new FileOutputStore(dataDir, sealer) });
  onTestFinished(() => runner[Symbol.asyncDispose]());
  writeFileSync(join(runner.workspace, 'a.ini'), `name=x\npassword=${READ}\n`);
  writeFileSync(join(runner.workspace, 'log.txt'), `DB_PASSWORD=${PRINTED}\nlast\n`);
  const { approval } = defaultConfig().tools;
  return openTestGate({
    tools: [readFileTool, writeFileTool, runCommandTool(createCommandReader())],
    dataDir,
    workspace: runner.workspace,
    ...(key === null ? {} : { sealingKey: key }),
    config: defaultConfig({ approval: { ...approval, denylist: [] }, run_command: { confinement: 'required' } }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
}

/** A read, an edit and a command with much before its secret. */
async function threeCalls(key: Uint8Array | null) {
  const gate = await gateWith(key);
  const batch = gate.submit([
    { tool: 'read_file', arguments: { path: 'a.ini' } },
    { tool: 'write_file', arguments: { path: 'b.ini', content: `password=${WRITTEN}\n` } },
    { tool: 'run_command', arguments: { command: 'seq 1 200000; cat log.txt' } },
  ]);
  await gate.decide(batch, { kind: 'approve-all' });
  const settled = await batch.settled;
  expect(settled.map(({ failure }) => failure)).toEqual([null, null, null]);
  const [read, write, ran] = batch.calls.map(({ callId }) => callId);
  if (read === undefined || write === undefined || ran === undefined) throw new Error('three calls');
  return { gate, read, write, ran };
}

function placesOf(text: string, folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && readFileSync(file).includes(text));
}

test('What was blotted out is kept sealed, and revealed whole to the person alone', async () => {
  const { gate, read, write, ran } = await threeCalls(KEY);
  expect(await gate.journal.reveal(read)).toMatchObject({
    result: `name=x\npassword=${READ}\n`,
    arguments: null,
    outputs: [],
  });
  expect(await gate.journal.reveal(write)).toMatchObject({
    arguments: { path: 'b.ini', content: `password=${WRITTEN}\n` },
  });
  const revealed = await gate.journal.reveal(ran);
  expect(revealed?.result).toContain(`DB_PASSWORD=${PRINTED}\nlast\n`);
  const [output] = revealed?.outputs ?? [];
  expect(output).toMatchObject({ stream: 'stdout', complete: true });
  expect(output?.text.endsWith(`DB_PASSWORD=${PRINTED}\nlast\n`)).toBe(true);
  // From about the first place on, by the pieces in which it came: what stands before is stored as it is.
  expect(output?.from).toBeGreaterThan(500_000);
  for (const value of [READ, WRITTEN, PRINTED]) expect(placesOf(value, gate.dataDir)).toEqual([]);
  expect(await gate.journal.reveal('no such call')).toBeNull();
});

test('Without a key store nothing of it is kept, and nothing can be revealed', async () => {
  const { gate, read, write, ran } = await threeCalls(null);
  for (const callId of [read, write, ran]) {
    expect(await gate.journal.reveal(callId)).toEqual({
      arguments: null,
      originalArguments: null,
      result: null,
      structured: null,
      outputs: [],
    });
  }
  for (const value of [READ, WRITTEN, PRINTED]) expect(placesOf(value, gate.dataDir)).toEqual([]);
});

test('The words of a failure too: the agent gets them without, the person can have them whole', async () => {
  const gate = await openTestGate({
    tools: [any(elsewhereTool(() => Promise.reject(new ToolFailure(REFUSED))))],
    dataDir: testFolder('data'),
    sealingKey: KEY,
  });
  const batch = gate.submit([{ tool: 'elsewhere', arguments: { text: 'x' } }]);
  await gate.decide(batch, { kind: 'approve-all' });
  const [settled] = await batch.settled;
  expect(settled?.result.content).toContain('password=[redacted]');
  expect(settled?.failure?.message).toContain('password=[redacted]');
  expect(settled?.result.redactions).toBeGreaterThan(0);
  const revealed = await gate.journal.reveal(batch.calls[0]?.callId ?? '');
  expect(revealed?.result).toContain(REFUSED.message);
  expect(placesOf(READ, gate.dataDir)).toEqual([]);
});

const REFUSED = { code: 'ExecutionFailed', message: `The other side refused password=${READ} from here.` } as const;
