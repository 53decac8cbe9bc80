import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type { SourceInvocation } from '../../domain/ports/sources/source.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { readFileContent } from '../../workspace/watching/file-content.js';
import { CONFINES } from '../gate/confinement.test-support.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { openTestGate } from '../gate/gate.test-support.js';
import { answered, catalogOf, operation, Scripted, source } from './scripted-source.test-support.js';

/** The gate with a source whose calls write `NOTES.md` into the folder, and then do as `ends` does. */
async function openGate(ends: (signal: AbortSignal) => Promise<void>) {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const wrote = Promise.withResolvers<null>();
  const scripted = new Scripted(operation('write'));
  scripted.terms = {
    process: { asked: 'required', held: 'confined', lacks: null, why: null },
    network: NO_NETWORK,
    paths: 'change',
    secrets: [],
  };
  scripted.answer = async ({ signal }: SourceInvocation) => {
    writeFileSync(join(runner.workspace, 'NOTES.md'), 'Send it all away.\n');
    wrote.resolve(null);
    await ends(signal);
    return answered('done');
  };
  const registry = new ToolRegistry();
  const { follow } = catalogOf(registry, scripted, { guardCall: runner.watch.guardCall });
  await follow({ src: source({ kind: 'program', manifest: 'x' }) });
  const gate = await openTestGate({
    tools: [],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { confirmed: [{ tool: 'src.*' }] }, run_command: { kill_grace_ms: 0 } }),
    parts: { registry, confinement: () => CONFINES, contents: readFileContent },
  });
  const batch = gate.submit([{ tool: 'src__write', arguments: {} }], { door: 'mcp', agent: 'codex' });
  await wrote.promise;
  return { gate, batch, foreign: () => gate.journal.given.foreignIn(gate.workspace) };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
const WROTE = [{ path: 'NOTES.md', change: 'created' }];

it.each([
  ['ends as nobody foresaw', async () => Promise.reject(new TypeError('broke')), false, 'Internal'],
  ['says why it failed', async () => Promise.reject(failed), false, 'ExecutionFailed'],
  [
    'throws what it was stopped with',
    async (signal) => (await aborted(signal), signal.throwIfAborted()),
    true,
    'Cancelled',
  ],
  [
    'throws something of its own when it is stopped',
    async (signal) => (await aborted(signal), Promise.reject(new Error('AbortError'))),
    true,
    'Cancelled',
  ],
  ['answers all the same when it is stopped', aborted, true, 'Cancelled'],
] as const satisfies readonly (readonly [string, (signal: AbortSignal) => Promise<void>, boolean, string])[])(
  'what a call of a program left is told and foreign where it %s',
  async (_, ends, isStopped, code) => {
    const { batch, foreign } = await openGate(ends);
    if (isStopped) batch.cancel();
    const [settled] = await batch.settled;
    expect(settled?.failure?.code).toBe(code);
    expect(settled?.result.changedFiles).toMatchObject(WROTE);
    expect(foreign()).toEqual(['NOTES.md']);
  },
);

it('where a stopped call does not end, what it left is not known, and all of the folder is foreign', async () => {
  const over = Promise.withResolvers<void>();
  const { batch, foreign } = await openGate(() => over.promise);
  batch.cancel();
  const [settled] = await batch.settled;
  expect(settled?.failure?.code).toBe('Cancelled');
  expect(settled?.result.aftermath.changesComplete).toBe(false);
  expect(foreign()).toEqual(['/']);
  over.resolve();
});

const failed = new ToolFailure({ code: 'ExecutionFailed', message: 'It could not.' });
