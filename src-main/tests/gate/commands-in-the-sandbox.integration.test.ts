import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { CONFINES, CONFINES_NOT } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** The real gate, reader, runner and bubblewrap, with `commands = "sandbox"`: what runs without a person, and what asks. */
const LARGE = 'x'.repeat(1024 * 1024 + 1);
type Approval = Config['tools']['approval'];

const sandboxed = (approval: Partial<Approval> = {}, run: Partial<Config['tools']['run_command']> = {}): Config =>
  defaultConfig({
    approval: { ...defaultConfig().tools.approval, denylist: [], commands: 'sandbox', edits: 'collect', ...approval },
    run_command: { ...defaultConfig().tools.run_command, confinement: 'required', ...run },
  });

async function gateOn(config = sandboxed(), confines = { now: CONFINES }) {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader(), undefined, runner.watch)],
    workspace: runner.workspace,
    config,
    parts: { commands: runner.runner, confinement: () => confines.now },
  });
  const at = (path: string): string => join(runner.workspace, path);
  for (const folder of ['src', 'assets']) mkdirSync(at(folder));
  writeFileSync(at('src/a.txt'), 'one\n');
  writeFileSync(at('.env'), 'KEY=1\n');
  writeFileSync(at('assets/film.mp4'), LARGE);
  execFileSync('git', ['init', '-q'], { cwd: runner.workspace });
  execFileSync('git', ['add', 'src'], { cwd: runner.workspace });
  const committed: JournalEvent[] = [];
  gate.journal.onCommit((events) => committed.push(...events));
  const submit = (command: string) =>
    gate.submit([{ tool: 'run_command', arguments: { command } }], { door: 'mcp', client: 'codex 1' });
  return {
    gate,
    at,
    submit,
    /** Null where it ran at once; else why it asked. A sheet is denied. */
    async asks(command: string): Promise<string | null> {
      const batch = submit(command);
      const why = await Promise.race([
        batch.settled.then(() => null),
        gate.sheet(batch).then(({ calls }) => calls[0]?.why ?? ''),
      ]);
      if (why !== null) await gate.decide(batch, { kind: 'deny-all' });
      await batch.settled;
      return why;
    },
    async run(command: string) {
      const [settled] = await submit(command).settled;
      if (settled === undefined) throw new Error('nothing settled');
      return settled;
    },
    grant: (callId: string) =>
      committed.flatMap((event) =>
        event.type === 'call-authorized' && event.callId === callId ? [event.grant] : [],
      )[0],
  };
}

test('A command that can do no lasting harm runs unasked, by its rule, confined', async () => {
  const bench = await gateOn();
  for (const command of ['cat src/a.txt', 'ls src', 'grep one src/a.txt']) {
    const { failure, result, summary } = await bench.run(command);
    expect(failure, command).toBeNull();
    expect(result.confinement).toBe('confined');
    expect(bench.grant(summary.callId)).toMatchObject({
      by: 'policy',
      from: { layer: 'settings', id: 'settings.sandbox' },
      leastConfinement: 'confined',
      judgement: { unasked: { what: 'command', against: null } },
    });
  }
});

test.each([
  ['a file of secrets', 'cat .env', 'a file of secrets'],
  ['a path outside', 'cat /etc/passwd', '/etc/passwd'],
  ['a host', 'curl https://example.com/', ''],
  ['privilege', 'sudo ls', ''],
  ['what can’t be read', 'cat $(cat src/a.txt)', ''],
  ['a control file', 'echo x > .mcp.json', 'other programs'],
  ['rewriting history', 'git reset --hard HEAD~1', ''],
])('%s asks: %s', async (_what, command, why) => {
  const bench = await gateOn();
  expect(await bench.asks(command)).toContain(why);
  expect(readFileSync(bench.at('.env'), 'utf8')).toBe('KEY=1\n');
});

test('Without a confinement, with a network, or by settings that ask, everything asks', async () => {
  for (const config of [
    sandboxed({}, { allowed_hosts: ['example.com'] }),
    sandboxed({}, { confinement: 'off' }),
    sandboxed({ commands: 'ask' }),
  ]) {
    const bench = await gateOn(config);
    expect(await bench.asks('cat src/a.txt')).not.toBeNull();
  }
  const confines = { now: CONFINES_NOT };
  const bench = await gateOn(sandboxed({}, { confinement: 'preferred' }), confines);
  expect(await bench.asks('cat src/a.txt')).toContain('unsandboxed');
});

test('Files of secrets are denied to commands too, where they are denied', async () => {
  const bench = await gateOn(sandboxed({ secrets: 'deny' }));
  expect((await bench.run('cat .env')).failure?.code).toBe('DeniedPatternMatched');
});

interface Stage {
  readonly bench: Awaited<ReturnType<typeof gateOn>>;
  readonly confines: { now: typeof CONFINES };
}
const SWAPS: Readonly<Record<string, (stage: Stage) => void>> = {
  settings: ({ bench }) => {
    bench.gate.config = sandboxed({ commands: 'ask' });
    void bench.gate.configChanged();
  },
  confinement: ({ confines }) => (confines.now = CONFINES_NOT),
  'a link in the place of its folder': ({ bench: { at } }) => {
    mkdirSync(at('.vscode'));
    renameSync(at('src'), at('was'));
    symlinkSync('.vscode', at('src'));
  },
  'a file that is not kept': ({ bench: { at } }) => writeFileSync(at('src/b.txt'), LARGE),
};

test.each(Object.keys(SWAPS))('Between plan and start: %s', async (what) => {
  const confines = { now: CONFINES };
  const bench = await gateOn(sandboxed(), confines);
  let isDone = false;
  bench.gate.journal.onCommit((events) => {
    if (isDone || !events.some(({ type }) => type === 'call-authorized')) return;
    isDone = true;
    SWAPS[what]?.({ bench, confines });
  });
  const { failure } = await bench.run('echo x > src/b.txt');
  expect(isDone).toBe(true);
  expect(failure?.code).toBe('NoDecision');
  expect(existsSync(bench.at('.vscode/b.txt'))).toBe(false);
});

test('What made it fail is told, and the same command asks the next time', async () => {
  const bench = await gateOn();
  for (const [command, words, why] of [
    ["node -e \"require('fs').rmSync('assets', { recursive: true })\"", 'no copy is kept', 'no copy is kept'],
    [
      "node -e \"require('dns').lookup('registry.example.com', (error) => { throw error })\"",
      'The network was off: it could not reach registry.example.com. Ask for that host.',
      'the network was off: it could not reach registry.example.com',
    ],
  ] as const) {
    const { failure } = await bench.run(command);
    expect(failure?.message, command).toContain(words);
    expect(await bench.asks(command), command).toContain(why);
  }
  expect(readFileSync(bench.at('assets/film.mp4'), 'utf8')).toBe(LARGE);
});

test('Only the same command, in the same session', async () => {
  const bench = await gateOn();
  const failing = "node -e \"require('fs').rmSync('assets', { recursive: true })\"";
  await bench.run(failing);
  expect(await bench.asks('node -e "1"')).toBeNull();
  const other = bench.gate.submit([{ tool: 'run_command', arguments: { command: failing } }], {
    door: 'mcp',
    client: 'codex 1',
    sessionId: 'other',
  });
  expect((await other.settled)[0]?.failure?.code).toBe('ExecutionFailed');
});

test('Deleting by name asks where any file would have no copy, and not where all of them have one', async () => {
  const bench = await gateOn();
  expect(await bench.asks('rm -rf assets')).toContain('no copy of assets/film.mp4');
  mkdirSync(bench.at('node_modules'));
  expect(await bench.asks('rm -rf node_modules')).toContain('node_modules');
  expect(await bench.asks('rm -r src')).toBeNull();
  expect(existsSync(bench.at('src'))).toBe(false);
});
