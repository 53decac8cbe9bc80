import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { folderBeside, HAS_PLACE_BESIDE } from '../../process/beside.test-support.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** The real gate, reader, runner and bubblewrap: what an unasked command lacked, and how a person lets it have that. */
function beside(): string {
  const base = folderBeside();
  mkdirSync(join(base, 'shared'));
  writeFileSync(join(base, 'shared/words.txt'), 'planted\n');
  return join(base, 'shared');
}

const configured = (approval: Partial<Config['tools']['approval']>, readable: string[] = []): Config =>
  defaultConfig({
    approval: { ...defaultConfig().tools.approval, denylist: [], commands: 'sandbox', edits: 'collect', ...approval },
    run_command: { ...defaultConfig().tools.run_command, confinement: 'required', readable },
  });

async function gateOn(config: Config) {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader(), undefined, runner.watch)],
    workspace: runner.workspace,
    config,
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
  const committed: JournalEvent[] = [];
  gate.journal.onCommit((events) => committed.push(...events));
  const submit = (command: string, session = 'session') =>
    gate.submit([{ tool: 'run_command', arguments: { command } }], {
      door: 'mcp',
      client: 'codex 1',
      sessionId: session,
    });
  return {
    gate,
    workspace: runner.workspace,
    submit,
    async run(command: string, session = 'session') {
      const [settled] = await submit(command, session).settled;
      if (settled === undefined) throw new Error('nothing settled');
      return settled;
    },
    wasPrivate: (callId: string): boolean =>
      committed.some((event) => event.type === 'text-given' && event.byCall === callId && event.text.isPrivate),
  };
}

/** The path is put together as it runs. */
function reading(folder: string): string {
  const names = [...folder.split('/'), 'words.txt'].map((name) => `'${name}'`);
  return `python3 -c "print(open('/'.join([${names.join(', ')}])).read())"`;
}

test.runIf(HAS_PLACE_BESIDE)(
  'What it lacked is said with its place; asked for again, a person may let it read that, for the call',
  async () => {
    const shared = beside();
    const bench = await gateOn(configured({}));
    const command = reading(shared);
    const first = await bench.run(command);
    expect(first.failure?.message).toContain(shared);
    expect(first.result.content).not.toContain('planted');
    const again = bench.submit(command);
    const sheet = await bench.gate.sheet(again);
    expect(sheet.calls[0]).toMatchObject({ mayRead: [shared], why: expect.stringContaining(shared) as string });
    const callId = sheet.calls[0]?.callId ?? '';
    // What is not offered is nobody's decision.
    const other = { reads: new Map([[callId, ['/']]]) };
    await expect(bench.gate.decide(again, { kind: 'approve-all' }, other)).rejects.toThrow('hidden');
    await bench.gate.decide(again, { kind: 'approve-all' }, { reads: new Map([[callId, [shared]]]) });
    const [allowed] = await again.settled;
    expect(allowed?.result.content).toContain('planted');
    expect(bench.wasPrivate(callId)).toBe(true);
  },
);

test.runIf(HAS_PLACE_BESIDE)('A file of secrets that was hidden from it is named, and offered likewise', async () => {
  const bench = await gateOn(configured({}));
  writeFileSync(join(bench.workspace, '.env'), 'NAME=planted-value\n');
  writeFileSync(join(bench.workspace, 'look.py'), 'print(open(".e" + "nv").read().split("=")[1])\n');
  const first = await bench.run('python3 look.py');
  expect(first.failure?.message).toContain('.env');
  const again = bench.submit('python3 look.py');
  const sheet = await bench.gate.sheet(again);
  expect(sheet.calls[0]).toMatchObject({ mayRead: ['.env'] });
  await bench.gate.decide(
    again,
    { kind: 'approve-all' },
    { reads: new Map([[sheet.calls[0]?.callId ?? '', ['.env']]]) },
  );
  expect((await again.settled)[0]?.failure).toBeNull();
});

test.runIf(HAS_PLACE_BESIDE)(
  'A rule lets it read what it says, and no more; what it lacked then asks although there is a rule',
  async () => {
    const shared = beside();
    const command = 'python3 look.py';
    const rule = { tool: 'run_command', command };
    const script = `print(open('/'.join(['${shared}', 'words.txt'])).read())\n`;
    const bench = await gateOn(configured({ commands: 'ask', confirmed: [rule] }));
    writeFileSync(join(bench.workspace, 'look.py'), script);
    expect((await bench.run(command)).failure?.message).toContain(shared);
    const again = bench.submit(command);
    expect((await bench.gate.sheet(again)).calls[0]).toMatchObject({ mayRead: [shared] });
    await bench.gate.decide(again, { kind: 'deny-all' });
    await again.settled;
    const reads = await gateOn(configured({ commands: 'ask', confirmed: [{ ...rule, readable: [shared] }] }));
    writeFileSync(join(reads.workspace, 'look.py'), script);
    const ran = await reads.run(command);
    expect(ran.result.content).toContain('planted');
    expect(reads.wasPrivate(ran.summary.callId)).toBe(true);
  },
);

test.runIf(HAS_PLACE_BESIDE)(
  'A rule made as it is approved carries what it may read, for all who failed for it; hidden files it carries never',
  async () => {
    const shared = beside();
    const command = 'python3 look.py';
    const confirmed = [command, 'python3 peek.py'].map((each) => ({ tool: 'run_command', command: each }));
    const bench = await gateOn(configured({ commands: 'ask', confirmed }));
    writeFileSync(join(bench.workspace, 'look.py'), `print(open('/'.join(['${shared}', 'words.txt'])).read())\n`);
    expect((await bench.run(command)).failure?.message).toContain(shared);
    expect((await bench.run(command, 'other')).failure?.message).toContain(shared);
    const again = bench.submit(command);
    const [asked] = (await bench.gate.sheet(again)).calls;
    expect(asked?.rule).toMatchObject({ impossible: null, readable: [shared] });
    const rule = { what: 'whole', who: 'all', where: 'here', until: 'quit' } as const;
    const approved = { kind: 'approve-all' } as const;
    const wider = { rule: { ...rule, readable: ['/'] } };
    await expect(bench.gate.decide(again, approved, wider)).rejects.toThrow('can’t let commands read');
    const reads = new Map([[asked?.callId ?? '', [shared]]]);
    await bench.gate.decide(again, approved, { reads, rule: { ...rule, readable: [shared] } });
    expect((await again.settled)[0]?.result.content).toContain('planted');
    for (const session of ['session', 'other'])
      expect((await bench.run(command, session)).result.content, session).toContain('planted');
    writeFileSync(join(bench.workspace, '.env'), 'NAME=planted-value\n');
    writeFileSync(join(bench.workspace, 'peek.py'), 'print(open(".e" + "nv").read().split("=")[1])\n');
    expect((await bench.run('python3 peek.py')).failure?.message).toContain('.env');
    const hidden = bench.submit('python3 peek.py');
    const [inFolder] = (await bench.gate.sheet(hidden)).calls;
    expect(inFolder?.rule).toMatchObject({ impossible: expect.stringContaining('.env') as string, readable: [] });
    await bench.gate.decide(hidden, { kind: 'deny-all' });
    await hidden.settled;
  },
);

test.runIf(HAS_PLACE_BESIDE)(
  'Where the settings let it read a folder, naming that asks nothing, and what it prints is private',
  async () => {
    const shared = beside();
    const bench = await gateOn(configured({}, [shared]));
    for (const command of [`cat ${shared}/words.txt`, reading(shared)]) {
      const ran = await bench.run(command);
      expect(ran.result.content, command).toContain('planted');
      expect(bench.wasPrivate(ran.summary.callId)).toBe(true);
    }
    const other = bench.submit(`cat ${shared}/../other.txt`);
    expect((await bench.gate.sheet(other)).calls).toHaveLength(1);
    await bench.gate.decide(other, { kind: 'deny-all' });
    await other.settled;
  },
);
