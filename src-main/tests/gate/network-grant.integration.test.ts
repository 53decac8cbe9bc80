import { expect, it, onTestFinished } from 'vitest';
import { openElsewhere } from '../../process/proxy/elsewhere.test-support.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';
import { CONFINES } from './confinement.test-support.js';

/** Only root can have another machine to reach; to others the proxy says that this one is none. */
const isRoot = process.getuid?.() === 0;

it('of two commands that are the same, the one that was allowed the network reaches a real server, the other does not', async () => {
  using server = isRoot ? await openElsewhere('hello from outside') : null;
  const site = server === null ? '127.0.0.1:80' : `${server.address}:${server.port}`;
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader())],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { denylist: [] }, run_command: { confinement: 'required' } }),
    parts: {
      commands: runner.runner,
      confinement: () => CONFINES,
    },
  });
  const get = `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://${site}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
  const command = { tool: 'run_command', arguments: { command: `bash -c "${get}"; echo x > ../beside` } };
  const batch = gate.submit([command, command]);
  const ids = batch.calls.map(({ callId }) => callId);
  await gate.decide(
    batch,
    { kind: 'approve-all' },
    { network: new Map(ids.slice(1).map((id) => [id, 'any'] as const)) },
  );
  const [without, granted] = await batch.settled;
  expect(without?.result).toMatchObject({ confinement: 'confined' });
  expect(without?.result.content).not.toContain('hello from outside');
  expect(granted?.result).toMatchObject({ confinement: 'network' });
  expect(granted?.result.content).toContain(isRoot ? 'hello from outside' : 'is this machine or next to it');
  expect(granted?.result.content, 'files stay confined').toMatch(/beside.*Read-only file system/u);
  expect(server?.hits() ?? 1).toBe(1);
});
