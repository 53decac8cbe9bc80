import { homedir } from 'node:os';
import { testSealing } from '../workspace/images/sealing.test-support.js';
import { openTestRedactor } from '../platform/redaction/redactor.test-support.js';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultConfig } from '../tests/gate/default-config.test-support.js';
import { openTestGate, testFolder } from '../tests/gate/gate.test-support.js';
import { createSealer } from '../keys/sealing.js';
import { FileOutputStore } from '../journal/outputs/output-store.js';
import { storedFile } from '../journal/outputs/output-places.js';
import type { Config } from '#contract/vocabulary/config.js';
import { systemClock } from '../platform/clock.js';
import { createCommandReader } from '../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../tools/builtin/run-command/run-command.js';
import { createUndoChangesTool } from '../tools/builtin/undo-changes/handler.js';
import { createQuarantineStore } from '../workspace/quarantine/quarantine-store.js';
import { createCommandUndo } from '../workspace/undo/command-undo.js';
import { createUndoStore } from '../workspace/undo/undo-store.js';
import { createTransactionDeps, createWorkspaceTransactions } from '../workspace/transaction/workspace-transactions.js';
import { openWorkspaceWatch } from '../workspace/watching/workspace-watch.js';
import { createCommandRunner } from './command-runner.js';
import { UNHURRIED } from './process.test-support.js';

const reader = createCommandReader();
const allowed = (tools: Partial<Config['tools']> = {}): Config =>
  defaultConfig({ approval: { ...defaultConfig().tools.approval, denylist: [] }, ...tools });

/** The whole way: gate, sheet, a real process, a real journal. */
async function openGate(config: Config = allowed(), bubblewraps?: readonly string[]) {
  const dataDir = testFolder('data');
  const transactions = createTransactionDeps({
    sealing: testSealing(),
    dataDir,
    clock: systemClock,
    imageQuotaBytes: () => 2 ** 30,
    onProblem: () => undefined,
  });
  const watch = openWorkspaceWatch({
    hidden: [dataDir],
    home: homedir(),
    undo: createCommandUndo(transactions),
    copies: join(dataDir, 'copies'),
    quarantine: createQuarantineStore(transactions),
    pendingChecksFolder: join(dataDir, 'owed-looks'),
    bounds: UNHURRIED,
    log: () => undefined,
  });
  const runner = createCommandRunner({
    redactor: openTestRedactor(),
    outputs: new FileOutputStore(dataDir, createSealer(null)),
    hidden: [dataDir],
    writable: () => [],
    watch,
    copies: join(dataDir, 'copies'),
    log: () => undefined,
    ...(bubblewraps === undefined ? {} : { bubblewraps }),
  });
  onTestFinished(async () => {
    await runner[Symbol.asyncDispose]();
    await watch.close();
  });
  const gate = await openTestGate({
    tools: [runCommandTool(reader), createUndoChangesTool(createUndoStore(transactions))],
    config,
    dataDir,
    parts: { commands: runner, analyzer: reader, transactions: createWorkspaceTransactions(transactions) },
  });
  const run = async (command: string) => {
    const batch = gate.submit([{ tool: 'run_command', arguments: { command } }]);
    const sheet = await gate.sheet(batch);
    await gate.decide(batch, { kind: 'approve-all' });
    const [settled] = await batch.settled;
    if (settled === undefined) throw new Error('nothing settled');
    return { sheet, settled };
  };
  return { gate, dataDir, run, runner };
}

describe('IT-CMD-01: run_command through the gate', () => {
  it('is denylisted by default', async () => {
    const { gate } = await openGate(defaultConfig());
    const [settled] = await gate.submit([{ tool: 'run_command', arguments: { command: 'echo x' } }]).settled;
    expect(settled?.failure?.code).toBe('Denylisted');
  });

  it('asks with the thing itself, streams while it runs, and persists the final result', async () => {
    const { gate, dataDir } = await openGate();
    // It goes on when its first words were heard.
    const command =
      'echo one; until [ -e heard ]; do sleep 0.01; done; rm heard; echo two; echo no >&2; echo x > made.txt; rm -rf nothing';
    const batch = gate.submit([{ tool: 'run_command', arguments: { command } }]);
    const sheet = await gate.sheet(batch);
    let heard = false;
    batch.calls[0]?.onOutput(() => {
      if (heard) return;
      heard = true;
      writeFileSync(join(gate.workspace, 'heard'), '');
    });
    await gate.decide(batch, { kind: 'approve-all' });
    const [settled] = await batch.settled;
    if (settled === undefined) throw new Error('nothing settled');
    expect(sheet.calls[0]?.risk).toBe('high');
    expect(sheet.calls[0]?.effect).toMatchObject({
      kind: 'command',
      findings: expect.arrayContaining([
        expect.objectContaining({ severity: 'notice', explanation: 'deletes nothing and everything in it' }),
      ]) as unknown,
    });
    expect(settled.failure).toBeNull();
    expect(settled.result.content).toBe('one\ntwo\n\n\n[stderr]\nno\n');
    expect(settled.result.structured).toMatchObject({ exitCode: 0 });
    expect(settled.result.changedFiles.map(({ path }) => path)).toEqual(['made.txt']);
    expect(settled.summary.confinement).toBe(settled.result.confinement);
    const shown = gate.events.flatMap((event) =>
      event.type === 'output' ? event.pieces.filter(({ stream }) => stream === 'stdout').map(({ text }) => text) : [],
    );
    expect(shown.join('')).toBe('one\ntwo\n');
    expect(shown.length).toBeGreaterThan(1);
    const stored = settled.result.storedOutputs.find(({ stream }) => stream === 'stdout');
    expect(readFileSync(storedFile(dataDir, stored?.sha256 ?? ''), 'utf8')).toBe('one\ntwo\n');
  });

  it('keeps what a failing command said, within the limit, its failure included', async () => {
    const config = allowed({ output: { max_bytes: 1000 } });
    const { run } = await openGate(config);
    const { settled } = await run('seq 1 5000; exit 3');
    expect(settled.failure).toMatchObject({ code: 'ExecutionFailed', message: 'exit code 3' });
    expect(settled.summary.state).toBe('ABORTED');
    expect(settled.result.content).toMatch(
      /^run_command failed: exit code 3\n\n1\n2\n[\s\S]*bytes left out\][\s\S]*\n5000\n$/u,
    );
    expect(Buffer.byteLength(settled.result.content)).toBeLessThanOrEqual(1000);
  });

  it('is ended by its time-out, with what it had said by then', async () => {
    const timeouts = { ...defaultConfig().tools.timeouts, shell_commands_seconds: 3 };
    const { run } = await openGate(allowed({ timeouts }));
    const { settled } = await run('echo before; sleep 600 & sleep 600');
    expect(settled.failure?.code).toBe('Timeout');
    expect(settled.result.content).toContain('before\n');
  });

  it('can be undone through the gate: what it changed before its time-out too', async () => {
    const timeouts = { ...defaultConfig().tools.timeouts, shell_commands_seconds: 3 };
    const { gate, run } = await openGate(allowed({ timeouts }));
    writeFileSync(join(gate.workspace, 'a.txt'), 'before');
    const { settled } = await run('echo after > a.txt; echo made > b.txt; sleep 600');
    expect(settled.failure?.code).toBe('Timeout');
    expect(settled.summary.state).toBe('ABORTED');
    expect(settled.result.changedFiles).toEqual([
      { path: 'a.txt', change: 'modified', undoable: true, note: null, lines: { added: 1, removed: 1 } },
      { path: 'b.txt', change: 'created', undoable: true, note: null, lines: { added: 1, removed: 0 } },
    ]);
    const { callId } = settled.summary;
    const batch = gate.submit([{ tool: 'undo_changes', arguments: { callId } }]);
    expect(await gate.sheet(batch)).toMatchObject({ calls: [{ effect: { kind: 'files' } }] });
    await gate.decide(batch, { kind: 'approve-all' });
    const [undone] = await batch.settled;
    expect(undone?.result).toMatchObject({ content: 'restored: a.txt\ndeleted: b.txt', undoes: [callId] });
    expect(readFileSync(join(gate.workspace, 'a.txt'), 'utf8')).toBe('before');
    expect(existsSync(join(gate.workspace, 'b.txt'))).toBe(false);
  });

  it('keeps no copy of what tools may not touch, and says so', async () => {
    const sandbox = { ...defaultConfig().tools.sandbox, denied_patterns: ['**/private/**'] };
    const { gate, run } = await openGate(allowed({ sandbox }));
    mkdirSync(join(gate.workspace, 'private'));
    for (const file of ['a.txt', 'private/b.txt']) writeFileSync(join(gate.workspace, file), 'before');
    const { settled } = await run('echo x > a.txt; echo x > private/b.txt');
    expect(settled.result.changedFiles).toEqual([
      { path: 'a.txt', change: 'modified', undoable: true, note: null, lines: { added: 1, removed: 1 } },
      {
        path: 'private/b.txt',
        change: 'modified',
        undoable: false,
        note: 'It may hold secrets, so Gatehouse keeps no copy of it.',
      },
    ]);
  });

  it('is cancelled while it runs', async () => {
    const { gate } = await openGate();
    const batch = gate.submit([{ tool: 'run_command', arguments: { command: 'echo running; sleep 600' } }]);
    await gate.sheet(batch);
    batch.calls[0]?.onOutput(() => batch.cancel());
    await gate.decide(batch, { kind: 'approve-all' });
    const [settled] = await batch.settled;
    expect(settled?.failure?.code).toBe('Cancelled');
    expect(settled?.result.content).toContain('running');
  });

  it('starts nothing by a rule that would be held less closely than the rule says', async () => {
    const { tools } = allowed();
    const confirmed = [{ tool: 'run_command', command: 'touch ran', confinement: 'confined' as const }];
    const approval = { ...tools.approval, confirmed };
    // What was known when it was planned is not so any more.
    const { gate, runner } = await openGate(allowed({ approval }), []);
    const [settled] = await gate.submit([{ tool: 'run_command', arguments: { command: 'touch ran' } }]).settled;
    expect(settled?.failure).toMatchObject({ code: 'ExecutionFailed' });
    expect(settled?.failure?.message).toContain('must be confined');
    // Nor does the runner by itself, whatever it is asked with.
    const { ending } = await runner.run({
      callId: 'c',
      command: 'touch ran',
      workingDirectory: gate.workspace,
      isDenied: () => false,
      config: allowed({ run_command: { ...tools.run_command, confinement: 'off' } }),
      network: [],
      sees: 'machine',
      readable: [],
      mayLeave: { git: false, gitCommands: null, named: [] },
      leastConfinement: 'confined',
      outputLimit: 1000,
      signal: new AbortController().signal,
      onOutput: async () => undefined,
      onEvent: () => undefined,
    });
    expect(ending).toMatchObject({
      kind: 'unstartable',
      reason: expect.stringContaining('it would run as “unconfined”'),
    });
    expect(existsSync(join(gate.workspace, 'ran'))).toBe(false);
  });

  it('runs without asking only where every part was confirmed in advance', async () => {
    const { tools } = allowed();
    const confirmed = [{ tool: 'run_command', prefix: 'echo' }];
    const { gate } = await openGate(allowed({ approval: { ...tools.approval, confirmed } }));
    writeFileSync(join(gate.workspace, 'a.txt'), 'a');
    const [settled] = await gate.submit([{ tool: 'run_command', arguments: { command: 'echo a && echo b' } }]).settled;
    expect(settled?.result.content).toBe('a\nb\n');
    for (const command of ['echo a; rm a.txt', 'echo a > a.txt', 'echo $(rm a.txt)', 'echo a &']) {
      const batch = gate.submit([{ tool: 'run_command', arguments: { command } }]);
      await gate.sheet(batch);
      await gate.decide(batch, { kind: 'deny-all' });
      expect((await batch.settled)[0]?.failure?.code).toBe('DeniedByPerson');
    }
    expect(readFileSync(join(gate.workspace, 'a.txt'), 'utf8')).toBe('a');
  });
});
