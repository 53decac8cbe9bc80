import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';
import { refusing } from './refusing-journal.test-support.js';

it('a command whose process can’t be recorded is stopped: after a crash nobody could find it', async () => {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const which: Parameters<typeof refusing>[0] = { type: 'call-process' };
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader(), undefined, runner.watch)],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { denylist: [] } }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
    wrapJournal: refusing(which),
  });
  const command = async (text: string) => {
    const batch = gate.submit([{ tool: 'run_command', arguments: { command: text } }]);
    await gate.decide(batch, { kind: 'approve-all' });
    return batch.settled;
  };
  const [stopped] = await command('sleep 8; echo made > made.txt');
  expect(stopped).toMatchObject({
    recorded: true,
    failure: { code: 'JournalUnavailable', message: expect.stringContaining('The disk is full.') },
    summary: { state: 'FAILED' },
  });
  expect(existsSync(join(runner.workspace, 'made.txt'))).toBe(false);
  which.type = null;
  const [ran] = await command('echo made > made.txt');
  expect(ran?.failure).toBeNull();
  expect(existsSync(join(runner.workspace, 'made.txt'))).toBe(true);
});
