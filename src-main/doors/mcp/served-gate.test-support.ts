import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { composeDoors } from '../../app/doors/doors.js';
import type { TestGate } from '../../tests/gate/gate.test-support.js';
import { oneFolder, snapshotForTests } from '../doors.test-support.js';
import { NO_DOMAIN } from '../no-domain.test-support.js';

/** Puts the real doors before a gate. Gives a way to connect a client by its name; all of it ends with the test. */
export async function serveGate(gate: TestGate): Promise<(name: string) => Promise<Client>> {
  const doors = composeDoors({
    testTools: null,
    gate: gate.gate,
    sources: () => [],
    domain: NO_DOMAIN,
    programs: null,
    reader: () => {
      throw new Error('These tests read no history.');
    },
    folders: oneFolder(gate.workspace),
    snapshot: () => snapshotForTests({ workspace: gate.workspace }),
    config: () => gate.config,
    forced: true,
    agents: { findByToken: () => null, getStatus: () => 'unknown', getHolder: (id) => ({ id, since: 0 }) },
    agentLimits: { sessions: () => 64, recordedTooMuch: () => null },
    version: '9.9.9',
    dataDir: gate.dataDir,
    launcher: () => ({ command: 'gatehouse', args: [], url: null, token: null }),
    keepEnabled: () => Promise.resolve(null),
    publish: () => undefined,
    report: () => undefined,
  });
  await doors.start();
  onTestFinished(() => doors.close());
  const { url, token } = doors.connectInfo();
  return async (name) => {
    const client = new Client({ name, version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  };
}
