import { beforeEach, describe, expect, it } from 'vitest';
import { type AllowedNetwork, NO_NETWORK } from '#contract/vocabulary/network.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { answerTo } from './answers.test-support.js';
import { detailsOf } from './call-details.test-support.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, type TestGate } from './gate.test-support.js';

const ran: AllowedNetwork[] = [];
/** What its settings name at this moment: a file that somebody may change. */
let registry = 'npm.example';
beforeEach(() => {
  ran.length = 0;
  registry = 'npm.example';
});

/** Needs the hosts that it is given, and one that is set elsewhere. Runs nothing. */
const installs = noteTool(
  {
    name: 'command',
    nature: 'command',
    sideEffecting: true,
    requiredCapabilities: ['process.run'],
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      required: ['command'],
      properties: { command: { type: 'string', description: 'What would be run.' } },
    },
  },
  {
    parse: ({ command }) => ({ text: command as string }),
    preflight: async ({ text }) => ({
      risk: 'medium',
      mustAsk: null,
      needs: { hosts: [registry, ...text.split(' ').filter((each) => each !== '')], others: false },
    }),
    execute: async (_args, { network }) => (ran.push(network), noteOutput('')),
  },
);

async function asked(command: string, gate?: TestGate) {
  const opened = gate ?? (await openTestGate({ tools: [installs], parts: { confinement: () => CONFINES } }));
  const batch = opened.submit([{ tool: 'command', arguments: { command } }]);
  const sheet = await opened.sheet(batch);
  const id = batch.calls[0]?.callId ?? '';
  const allow = (allowed: AllowedNetwork) => ({ network: new Map([[id, allowed]]) });
  return { gate: opened, batch, sheet, id, allow };
}

describe('hosts of one call', () => {
  it('are offered as it was found to need them, without what it can reach anyway', async () => {
    const { gate, sheet } = await asked('a.example:8080 b.example');
    expect(sheet.calls[0]?.network).toEqual({
      hosts: ['npm.example', 'a.example:8080', 'b.example'],
      others: false,
      bySettings: NO_NETWORK,
    });
    gate.config = defaultConfig({ run_command: { allowed_hosts: ['*.example:443', 'b.example', 'a.example:8080'] } });
    await gate.configChanged();
    const again = await asked('a.example:8080 b.example', gate);
    expect(again.sheet.calls[0]?.network?.hosts).toEqual(['npm.example']);
    expect(again.sheet.calls[0]?.network?.bySettings).toMatchObject({ reach: 'hosts', by: 'settings' });
  });

  it('are what it gets: these, and what the settings give besides; recorded so', async () => {
    const { gate, batch, id, allow } = await asked('b.example');
    await gate.decide(batch, { kind: 'approve-all' }, allow(['b.example']));
    await batch.settled;
    expect(ran).toEqual([['b.example']]);
    gate.config = defaultConfig({ run_command: { allowed_hosts: ['c.example'] } });
    await gate.configChanged();
    const more = await asked('b.example', gate);
    await gate.decide(more.batch, { kind: 'approve-all' }, more.allow(['npm.example', 'b.example']));
    await more.batch.settled;
    expect(ran.slice(1)).toEqual([['c.example', 'npm.example', 'b.example']]);
    await gate.close();
    const [detail] = await detailsOf(gate.dataDir, [id]);
    expect(detail?.capabilities).toEqual(['process.run', 'network:b.example']);
    expect(detail?.events.map(({ note }) => note)).toContain(
      'Approved by you, with network to b.example for this call.',
    );
  });

  it.each<[string, AllowedNetwork]>([
    ['another', ['evil.example']],
    ['one spelled otherwise', ['B.example']],
    ['one with another port', ['b.example:22']],
    ['more than was offered', ['b.example', '*.example']],
    ['none at all', []],
  ])('%s is refused whole: nothing was decided', async (_what, hosts) => {
    const { gate, sheet, allow } = await asked('b.example');
    gate.read();
    expect(await gate.desk.decide(answerTo(sheet, 'approve-all', allow(hosts)))).toMatchObject({
      ok: false,
      problem: 'refused',
    });
    expect(ran).toEqual([]);
  });

  it.each<AllowedNetwork>(['any', ['b.example']])(
    'make it of High risk: “all” covers it only where that was asked a second time (%s)',
    async (allowed) => {
      const { gate, batch, sheet, allow } = await asked('b.example');
      gate.read();
      const once = answerTo(sheet, 'approve-all', { ...allow(allowed), highRisk: new Set() });
      expect(await gate.desk.decide(once)).toMatchObject({
        ok: false,
        message: expect.stringContaining('needs a second click') as string,
      });
      expect(ran).toEqual([]);
      await gate.decide(batch, { kind: 'approve-all' }, allow(allowed));
      await batch.settled;
      expect(ran).toEqual([allowed]);
    },
  );

  it('do not outlive what was found: the settings that name them changed, and the sheet is drawn anew', async () => {
    const { gate, sheet, batch, allow } = await asked('b.example');
    gate.read();
    registry = 'evil.example';
    const answer = answerTo(sheet, 'approve-all', allow(['npm.example']));
    expect(await gate.desk.decide(answer)).toMatchObject({ ok: false, problem: 'stale' });
    expect(ran).toEqual([]);
    const now = await gate.sheet(batch);
    expect(now.calls[0]?.network?.hosts).toEqual(['evil.example', 'b.example']);
    gate.read();
    const old = answerTo(now, 'approve-all', allow(['npm.example']));
    expect(await gate.desk.decide(old)).toMatchObject({ ok: false, problem: 'refused' });
  });

  it('stay as they were approved, whatever is set by the time it runs', async () => {
    const { gate, batch, allow } = await asked('b.example');
    await gate.decide(batch, { kind: 'approve-all' }, allow(['npm.example']));
    registry = 'evil.example';
    await batch.settled;
    expect(ran).toEqual([['npm.example']]);
  });

  it('are gone with an edit, also where the edited call needs the same', async () => {
    const { gate, batch, sheet, id, allow } = await asked('b.example');
    const edited = await gate.desk.edit(batch.batchId, id, sheet.digest, { command: 'b.example c.example' });
    expect(edited.ok).toBe(true);
    gate.read();
    expect(await gate.desk.decide(answerTo(sheet, 'approve-all', allow(['b.example'])))).toMatchObject({
      ok: false,
      problem: 'stale',
    });
    await gate.decide(batch, { kind: 'approve-all' });
    await batch.settled;
    expect(ran).toEqual([[]]);
  });
});
