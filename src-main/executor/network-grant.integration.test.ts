import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openTestRunner } from '../process/process.test-support.js';
import { createCommandReader } from '../tools/run-command/analysis/command-reader.js';
import { runCommandTool } from '../tools/run-command/run-command.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';
import { confinementSaid } from './confinement.test-support.js';

/**
 * Root may give this machine an address that is nobody’s, so that there is somebody else to reach without a network. To others
 * it is this machine, which the network does not hold.
 */
const isRoot = process.getuid?.() === 0;
const ADDRESS = isRoot ? '198.51.100.78' : '127.0.0.1';

/** A server that counts who came. */
async function openServer(): Promise<{ readonly port: number; readonly hits: () => number }> {
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response.end('hello from outside\n');
  });
  if (isRoot) {
    const route = (what: 'add' | 'del') => execFileSync('ip', ['route', what, 'local', `${ADDRESS}/32`, 'dev', 'lo']);
    route('add');
    onTestFinished(() => void route('del'));
  }
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, hits: () => hits };
}

it('of two commands that are the same, the one that was allowed the network reaches a real server, the other does not', async () => {
  const server = await openServer();
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader())],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { denylist: [] }, run_command: { confinement: 'required' } }),
    parts: {
      commands: runner.runner,
      confinement: () => confinementSaid('It has no network.', 'It may use the network.'),
    },
  });
  const get = `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://${ADDRESS}:${server.port}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
  const command = { tool: 'run_command', arguments: { command: `bash -c "${get}"; echo x > ../beside` } };
  const batch = gate.submit([command, command]);
  const ids = batch.calls.map(({ callId }) => callId);
  await gate.decide(batch, { kind: 'approve-all' }, { network: new Set(ids.slice(1)) });
  const [without, granted] = await batch.settled;
  expect(without?.result).toMatchObject({ confinement: 'confined' });
  expect(without?.result.content).not.toContain('hello from outside');
  expect(granted?.result).toMatchObject({ confinement: 'network' });
  expect(granted?.result.content).toContain(isRoot ? 'hello from outside' : 'is this machine or next to it');
  expect(granted?.result.content, 'files stay confined').toMatch(/beside.*Read-only file system/u);
  expect(server.hits()).toBe(isRoot ? 1 : 0);
});
