import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { detailsOf } from './call-details.test-support.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';

const ENV = 'A=kx1\nCOLOUR=ultramarine-and-gold\nDEBUG=true\nPORT=8080\n';

async function gateWith(approval: Readonly<Record<string, unknown>> = {}) {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  writeFileSync(join(runner.workspace, '.env'), ENV);
  writeFileSync(join(runner.workspace, '.env.example'), 'A=\nCOLOUR=\n');
  const defaults = defaultConfig().tools.approval;
  return openTestGate({
    tools: [runCommandTool(createCommandReader())],
    workspace: runner.workspace,
    // All of them may run unasked.
    config: defaultConfig({
      approval: {
        ...defaults,
        denylist: [],
        mode: 'auto',
        confirmed: [{ tool: 'run_command', prefix: 'cat' }],
        ...approval,
      },
      run_command: { confinement: 'required' },
    }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
}

const command = (text: string) => ({ tool: 'run_command', arguments: { command: text } });

test('A command that names a file of secrets asks under every mode, list and rule, and prints its names alone', async () => {
  const gate = await gateWith();
  const [unasked] = await gate.run(command('cat .env.example'));
  expect(unasked?.result.content).toBe('A=\nCOLOUR=\n');
  const text = 'cat .env; echo; base64 -w0 .env; echo; . ./.env; echo "we like $COLOUR, on $PORT"';
  const batch = gate.submit([command(text)]);
  const sheet = await gate.sheet(batch);
  expect(sheet.calls).toMatchObject([{ risk: 'high', secrets: ['.env', './.env'] }]);
  expect(sheet.calls[0]?.why).toContain('.env');
  await gate.decide(batch, { kind: 'approve-all' });
  const [ran] = await batch.settled;
  const content = ran?.result.content ?? '';
  expect(content).toContain('A=[redacted]\nCOLOUR=[redacted]\nDEBUG=true\nPORT=8080\n');
  expect(content).toContain('we like [redacted], on 8080');
  expect(content).not.toMatch(/kx1|ultramarine/u);
  expect(content).not.toContain(Buffer.from('ultramarine-and').toString('base64').slice(0, -1));
});

test('Revealed for this call, its caller gets what it printed; the record does not', async () => {
  const gate = await gateWith();
  const batch = gate.submit([command('cat .env; false')]);
  const [call] = batch.calls;
  if (call === undefined) throw new Error('one call');
  await gate.decide(batch, { kind: 'approve-all' }, { reveals: new Set([call.callId]) });
  const [ran] = await batch.settled;
  expect(ran?.failure?.code).toBe('ExecutionFailed');
  expect(ran?.result).toMatchObject({ outputBytes: ENV.length, outputBytesLeftOut: 0 });
  expect(ran?.result.content).toContain(ENV);
  const [detail] = await detailsOf(gate.dataDir, [call.callId]);
  expect(detail?.result).toContain('A=[redacted]\nCOLOUR=[redacted]\n');
  expect(detail?.redactions).toBe(2);
});

test('What was left out is counted without the marks: only what did not fit', async () => {
  const gate = await gateWith();
  const batch = gate.submit([command('cat .env; head -c 3000000 /dev/zero | tr "\\0" x')]);
  await gate.decide(batch, { kind: 'approve-all' });
  const [ran] = await batch.settled;
  const { result } = ran ?? {};
  expect(result?.outputBytes).toBe(ENV.length + 3_000_000);
  const marks = 2 * '[redacted]'.length - ('kx1'.length + 'ultramarine-and-gold'.length);
  const shown = Buffer.byteLength(result?.content ?? '');
  expect(shown + (result?.outputBytesLeftOut ?? 0)).toBeGreaterThanOrEqual(ENV.length + 3_000_000 + marks);
});

test('Denied, naming one is a denied path, and nobody is asked', async () => {
  const gate = await gateWith({ secrets: 'deny' });
  const [denied, other] = await gate.run(command('cat ./.env'), command('cat .env.example'));
  expect(denied?.failure).toMatchObject({ code: 'DeniedPatternMatched' });
  expect(other?.failure).toBeNull();
});

test('What Git would show of a file of secrets that it knows asks, and prints its names alone; what it does not know asks nothing', async () => {
  const gate = await gateWith({ confirmed: [{ tool: 'run_command', prefix: 'git' }], commands: 'sandbox' });
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: gate.workspace });
  git('init', '-q');
  git('add', '.env.example');
  git('commit', '-qm', 'a sample');
  const [unasked] = await gate.run(command('git log -p'));
  expect(unasked?.result.content).toContain('+COLOUR=');
  git('add', '.env');
  git('commit', '-qm', 'what should not be there');
  const [left] = await gate.run(command('git log --stat'));
  expect(left?.failure).toBeNull();
  const batch = gate.submit([command('git log -p')]);
  const sheet = await gate.sheet(batch);
  expect(sheet.calls).toMatchObject([{ risk: 'high', secrets: ['.env'], why: '“.env” is a file of secrets.' }]);
  await gate.decide(batch, { kind: 'approve-all' });
  const [ran] = await batch.settled;
  expect(ran?.result.content).toContain('+COLOUR=[redacted]');
  expect(ran?.result.content).not.toMatch(/kx1|ultramarine/u);
});
