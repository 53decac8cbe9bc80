import { expect, onTestFinished, test } from 'vitest';
import { openTestRunner } from '../../process/process.test-support.js';
import { type CommandReader, createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** The real reader, which counts how often a command was read and how often the reading of before was given again. */
function countingReader() {
  const counts = { read: 0, again: 0 };
  const reader = createCommandReader();
  const read: CommandReader['read'] = async (command, roots, before) => {
    const reading = await reader.read(command, roots, before);
    if (reading === before) counts.again += 1;
    else counts.read += 1;
    return reading;
  };
  return { counts, reader: { ...reader, read } satisfies CommandReader };
}

test.each([
  ['a person approves it', {}],
  ['a rule lets it run', { commands: 'ask' as const, confirmed: [{ tool: 'run_command', command: 'echo one' }] }],
])('A command is read once for its plan, its sheet, its start and its run, where %s', async (_, approval) => {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const { counts, reader } = countingReader();
  const gate = await openTestGate({
    tools: [runCommandTool(reader, undefined, runner.watch)],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { denylist: [], commands: 'ask', ...approval } }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
  const batch = gate.submit([{ tool: 'run_command', arguments: { command: 'echo one' } }], {
    door: 'mcp',
    client: 'codex 1',
  });
  if (!('confirmed' in approval)) await gate.decide(batch, { kind: 'approve-all' });
  const [settled] = await batch.settled;
  expect(settled?.result.content).toBe('one\n');
  expect(counts.read).toBe(1);
  expect(counts.again).toBeGreaterThan(0);
});
