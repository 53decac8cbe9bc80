import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { type AllowedNetwork, NO_NETWORK } from '#contract/vocabulary/network.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { detailsOf } from './call-details.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { answerTo } from './answers.test-support.js';
import { openTestGate, type TestGate } from './gate.test-support.js';
import { CONFINES, CONFINES_LESS, CONFINES_NOT, commandChips } from './confinement.test-support.js';

interface Ran {
  readonly text: string;
  readonly network: AllowedNetwork;
  readonly configured: boolean;
}
const ran: Ran[] = [];
beforeEach(() => void (ran.length = 0));

/** Runs nothing, and notes what a command would have been allowed. */
const input = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: { command: { type: 'string', description: 'What would be run.' } },
};
const commandTool = (capabilities: readonly ('process.run' | 'network')[] = ['process.run']) =>
  noteTool(
    { name: 'command', nature: 'command', sideEffecting: true, requiredCapabilities: capabilities, inputSchema: input },
    {
      parse: ({ command }) => ({ text: command as string }),
      execute: async ({ text }, { network, config }) => {
        ran.push({ text, network, configured: config.tools.run_command.network });
        return noteOutput(text);
      },
    },
  );
const call = (text: string) => ({ tool: 'command', arguments: { command: text } });
const write = { tool: 'write_file', arguments: { path: 'a.txt', content: 'a' } };

async function gateWith(more: { readonly capabilities?: readonly ('process.run' | 'network')[] } = {}) {
  const state = { confinement: CONFINES };
  const gate = await openTestGate({
    tools: [commandTool(more.capabilities), writeFileTool],
    parts: { confinement: () => state.confinement },
  });
  return { gate, offer: (confinement: ConfinementState) => void (state.confinement = confinement) };
}

async function asked(gate: TestGate, ...texts: readonly string[]) {
  const batch = gate.submit(texts.map(call));
  return { batch, ids: batch.calls.map(({ callId }) => callId), sheet: await gate.sheet(batch) };
}

const allNetwork = (ids: readonly string[]) => ({
  network: new Map<string, AllowedNetwork>(ids.map((id) => [id, 'any'])),
});

describe('the network for one call', () => {
  it('is offered for commands, and for nothing else', async () => {
    const { gate } = await gateWith();
    const batch = gate.submit([call('1'), write]);
    const { calls } = await gate.sheet(batch);
    expect(calls.map(({ network }) => network !== null)).toEqual([true, false]);
  });

  it('is for that call alone, though another is the same word for word', async () => {
    const { gate } = await gateWith();
    const { batch, ids } = await asked(gate, 'same', 'same', 'same');
    await gate.decide(batch, { kind: 'approve-all' }, allNetwork(ids.slice(1, 2)));
    await batch.settled;
    expect(ran.map(({ network }) => network)).toEqual([[], 'any', []]);
  });

  it('is recorded with the authorisation, shown in the timeline, and exported', async () => {
    const { gate } = await gateWith();
    const { batch, ids } = await asked(gate, 'with', 'without');
    await gate.decide(batch, { kind: 'approve-all' }, allNetwork(ids.slice(0, 1)));
    await batch.settled;
    await gate.close();
    const details = await detailsOf(gate.dataDir, ids);
    expect(details.map(({ capabilities }) => capabilities)).toEqual([['process.run', 'network'], ['process.run']]);
    const notes = details.map(({ events }) => events.find(({ state }) => state === 'AUTHORIZED')?.note);
    expect(notes).toEqual(['Approved by you, with network for this call.', 'Approved by you.']);
    const { service } = openServiceReader(gate.dataDir);
    const exported = async (format: 'json' | 'markdown'): Promise<string> => {
      const file = join(gate.dataDir, `export.${format}`);
      await service.export(format, {}, file);
      return readFileSync(file, 'utf8');
    };
    const json = JSON.parse(await exported('json')) as CallDetail[];
    expect(json.filter(({ capabilities }) => capabilities.includes('network')).map(({ callId }) => callId)).toEqual(
      ids.slice(0, 1),
    );
    expect((await exported('markdown')).match(/\*\*Network:\*\* allowed by the user for this call/gu)).toHaveLength(1);
    service.close();
  });

  it.each([
    ['that is not on the sheet', ['nobody'], 'approve-all'],
    ['of another sheet', ['OTHER'], 'approve-all'],
    ['that is denied', ['SECOND'], 'approve-selected'],
    ['of a sheet that is denied', ['FIRST'], 'deny-all'],
    ['that runs no command', ['WRITE'], 'approve-all'],
    ['besides one that may have it', ['FIRST', 'nobody'], 'approve-all'],
  ] as const)(
    'for a call %s, the decision is refused whole: nothing runs or is remembered',
    async (_what, names, kind) => {
      const { gate } = await gateWith();
      const other = await asked(gate, 'other');
      const batch = gate.submit([call('1'), call('2'), write]);
      const [FIRST = '', SECOND = '', WRITE = ''] = batch.calls.map(({ callId }) => callId);
      const ids: Record<string, string> = { FIRST, SECOND, WRITE, OTHER: other.ids[0] ?? '' };
      const { digest } = await gate.sheet(batch);
      const message = {
        batchId: batch.batchId,
        digest,
        decision: kind === 'approve-selected' ? { kind, callIds: [FIRST, WRITE] } : { kind },
        reason: null,
        reasons: new Map<string, string>(),
      } as const;
      const { network } = allNetwork(names.map((name) => ids[name] ?? name));
      gate.read();
      expect(await gate.desk.decide({ ...message, network })).toMatchObject({
        ok: false,
        problem: 'refused',
        message: expect.stringContaining('Nothing was decided') as string,
      });
      expect(gate.orchestrator.activity).toEqual({ waiting: 4, running: 0 });
      expect(ran).toEqual([]);
      expect((await gate.sheet(batch)).digest).toBe(digest);
      expect((await asked(gate, '1')).sheet.calls).toHaveLength(1);
    },
  );

  it('is refused where it was not offered', async () => {
    const { gate, offer } = await gateWith();
    offer(CONFINES_NOT);
    const { batch, ids } = await asked(gate, '1');
    await expect(gate.decide(batch, { kind: 'approve-all' }, allNetwork(ids))).rejects.toThrow(
      'isn’t available for this call',
    );
    expect(ran).toEqual([]);
  });

  it('when the offer goes, the sheet is shown anew and the earlier decision is stale', async () => {
    const { gate, offer } = await gateWith();
    const { batch, ids, sheet } = await asked(gate, '1');
    const shown = () => gate.events.filter(({ type }) => type === 'approval').length;
    const before = shown();
    await gate.configChanged();
    expect(shown(), 'nothing changed, nothing is shown').toBe(before);
    offer(CONFINES_NOT);
    await gate.configChanged();
    expect(shown()).toBe(before + 1);
    const [now] = (await gate.sheet(batch)).calls;
    expect(now?.terms.slice(0, -1)).toEqual(commandChips(CONFINES_NOT));
    expect(now?.network).toBeNull();
    const message = { batchId: batch.batchId, digest: sheet.digest, decision: { kind: 'approve-all' } } as const;
    const rest = { reason: null, reasons: new Map<string, string>(), ...allNetwork(ids) };
    expect(await gate.desk.decide({ ...message, ...rest })).toMatchObject({ ok: false, problem: 'stale' });
    expect(ran).toEqual([]);
  });

  it('does not outlive an edit: what was decided on before it is stale, and what is decided after it says it anew', async () => {
    const { gate } = await gateWith();
    const { batch, ids, sheet } = await asked(gate, '1');
    await gate.desk.edit(batch.batchId, ids[0] ?? '', sheet.digest, { command: '2' });
    await gate.decide(batch, { kind: 'approve-all' });
    await batch.settled;
    expect(ran).toMatchObject([{ text: '2', network: [] }]);
  });

  it('is offered, or not, when it is known whether commands can be confined: no sheet with a command stands before', async () => {
    const tried = Promise.withResolvers<void>();
    const state = { confinement: CONFINES_NOT };
    const gate = await openTestGate({
      tools: [commandTool(), writeFileTool],
      parts: { confinement: () => state.confinement, confinementTried: () => tried.promise },
    });
    const batch = gate.submit([call('1')]);
    const other = gate.submit([write]);
    expect((await gate.sheet(other)).calls).toHaveLength(1);
    expect(gate.sheets().map(({ batchId }) => batchId)).toEqual([other.batchId]);
    state.confinement = CONFINES;
    tried.resolve();
    const [now] = (await gate.sheet(batch)).calls;
    expect(now?.terms.slice(0, -1)).toEqual(commandChips(CONFINES));
    expect(now?.network).toEqual({ hosts: [], others: false, bySettings: NO_NETWORK });
    await gate.decide(batch, { kind: 'approve-all' }, allNetwork(batch.calls.map(({ callId }) => callId)));
    await batch.settled;
    expect(ran).toMatchObject([{ network: 'any' }]);
  });

  it('is never remembered', async () => {
    const { gate } = await gateWith();
    const { batch, ids } = await asked(gate, '1');
    const rule = { what: 'whole', who: 'all', where: 'everywhere', until: 'quit' } as const;
    await gate.decide(batch, { kind: 'approve-all' }, { ...allNetwork(ids), rule });
    await batch.settled;
    const [again] = await gate.run(call('1'));
    expect(again?.failure).toBeNull();
    expect(ran.map(({ network }) => network)).toEqual(['any', []]);
    await gate.close();
    const [detail] = await detailsOf(gate.dataDir, [again?.summary.callId ?? '']);
    expect(detail?.capabilities).toEqual(['process.run']);
  });

  it('makes its rule only where it comes to pass, and does not wait for it to be kept', async () => {
    const keeping = Promise.withResolvers<() => void>();
    const state = { confinement: CONFINES };
    const gate = await openTestGate({
      tools: [commandTool()],
      parts: {
        confinement: () => state.confinement,
        confirmations: { session: [], remember: () => new Promise((resolve) => keeping.resolve(resolve)) },
      },
    });
    const { batch, ids } = await asked(gate, '1');
    const rule = { what: 'whole', who: 'all', where: 'here', until: 'always' } as const;
    const before = await gate.sheet(batch);
    state.confinement = CONFINES_NOT;
    gate.read();
    const decision = answerTo(before, 'approve-all', { ...allNetwork(ids), rule });
    expect(await gate.desk.decide(decision)).toMatchObject({ ok: false, problem: 'stale' });
    expect(await Promise.race([keeping.promise, Promise.resolve('not kept')])).toBe('not kept');
    expect(ran).toEqual([]);
    state.confinement = CONFINES;
    await gate.configChanged();
    const decided = gate.decide(batch, { kind: 'approve-all' }, { rule });
    const kept = await keeping.promise;
    await batch.settled;
    expect(ran).toHaveLength(1);
    kept();
    await decided;
  });

  it('never comes from policy, even to a tool that declares it', async () => {
    const { gate } = await gateWith({ capabilities: ['process.run', 'network'] });
    gate.config = defaultConfig({ approval: { allowlist: ['command'] } });
    await gate.configChanged();
    await gate.run(call('1'));
    expect(ran).toMatchObject([{ network: [] }]);
  });
});

it('what runs has the configuration that the sheet spoke of, not the one of when it was asked', async () => {
  const { gate } = await gateWith();
  gate.config = defaultConfig({ run_command: { network: true } });
  await gate.configChanged();
  const { batch } = await asked(gate, '1');
  gate.config = defaultConfig({ run_command: { network: false } });
  await gate.configChanged();
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  expect(ran).toMatchObject([{ network: [], configured: false }]);
});

it.each([
  ['any host', { network: true }],
  ['some hosts', { allowed_hosts: ['a.example'] }],
])('that the settings open it (%s) stands in the grant, whoever let the call run', async (_what, run_command) => {
  const { gate } = await gateWith();
  gate.config = defaultConfig({ run_command });
  await gate.configChanged();
  const { batch, ids } = await asked(gate, 'by the person');
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  gate.config = defaultConfig({ run_command, approval: { allowlist: ['command'] } });
  await gate.configChanged();
  const [byPolicy] = await gate.run(call('by policy'));
  // What the settings open, the person did not open for this one call.
  expect(ran.map(({ network }) => network)).toEqual([[], []]);
  await gate.close();
  const details = await detailsOf(gate.dataDir, [...ids, byPolicy?.summary.callId ?? '']);
  expect(details.map(({ capabilities }) => capabilities)).toEqual([
    ['process.run', 'network.settings'],
    ['process.run', 'network.settings'],
  ]);
});

describe('what a command would get changes after it was approved, while it waits its turn', () => {
  /** Two commands and a file tool are approved; the change comes while the first of them runs. */
  async function approvedThen(
    change: (offer: (confinement: ConfinementState) => void, gate: TestGate) => void,
    network: boolean,
    config = defaultConfig(),
    atFirst = CONFINES,
  ) {
    const first = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const state = { confinement: atFirst };
    const slow = noteTool(
      { name: 'slow', sideEffecting: true },
      { execute: async ({ text }) => (began.resolve(), await first.promise, noteOutput(text)) },
    );
    const gate = await openTestGate({
      tools: [slow, commandTool(), writeFileTool],
      config,
      parts: { confinement: () => state.confinement },
    });
    const batch = gate.submit([{ tool: 'slow', arguments: { text: 'x' } }, call('1'), write]);
    await gate.sheet(batch);
    const ids = batch.calls.map(({ callId }) => callId);
    await gate.decide(batch, { kind: 'approve-all' }, allNetwork(network ? ids.slice(1, 2) : []));
    await began.promise;
    change((confinement) => void (state.confinement = confinement), gate);
    await gate.configChanged();
    first.resolve();
    return { gate, ids, settled: await batch.settled };
  }

  it.each([
    ['unconfined', CONFINES_NOT, false],
    ['less closely held', CONFINES_LESS, false],
    ['unconfined, with the network', CONFINES_NOT, true],
    ['less closely held, with the network', CONFINES_LESS, true],
  ])('%s: it does not run, says why, and the rest goes on', async (_what, confinement, network) => {
    const { gate, ids, settled } = await approvedThen((offer) => offer(confinement), network);
    expect(ran).toEqual([]);
    expect(settled.map(({ failure }) => failure?.code ?? null)).toEqual([null, 'NoDecision', null]);
    const reach = network ? 'Any host' : 'No network';
    expect(settled[1]?.failure?.message).toBe(
      'This did not run: what a command gets changed after it was approved. ' +
        `Approved: Sandboxed · ${reach}. Now: ${confinement.available ? `Sandboxed in part · ${reach}` : 'Unconfined: bubblewrap is not installed'}. ` +
        'Request it again for a new decision.',
    );
    await gate.close();
    const [, command] = await detailsOf(gate.dataDir, ids);
    expect(command?.events.map(({ state }) => state).slice(-2)).toEqual(['AUTHORIZED', 'DENIED']);
  });

  it('a host of a list too long to be named whole: it does not run', async () => {
    const hosts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`);
    const listing = (allowed: readonly string[]) => defaultConfig({ run_command: { allowed_hosts: [...allowed] } });
    const { settled } = await approvedThen(
      (_offer, gate) => {
        gate.config = listing([...hosts.slice(0, 5), 'other.example']);
      },
      false,
      listing(hosts),
    );
    expect(settled.map(({ failure }) => failure?.code ?? null)).toEqual([null, 'NoDecision', null]);
    expect(settled[1]?.failure?.message).toMatch(/e\.example, f\.example\)[\s\S]*e\.example, other\.example\)/u);
    expect(ran).toEqual([]);
  });

  it('only why it can’t be confined changed: it runs as it was approved', async () => {
    const besides = { available: false, problem: 'bubblewrap could not confine a trial command.' };
    const { settled } = await approvedThen((offer) => offer(besides), false, defaultConfig(), CONFINES_NOT);
    expect(settled.map(({ failure }) => failure?.code ?? null)).toEqual([null, null, null]);
    expect(ran).toMatchObject([{ network: [] }]);
  });

  it('a call that policy let run was shown to nobody: it runs under what is in force then', async () => {
    const { gate, offer } = await gateWith();
    gate.config = defaultConfig({ approval: { allowlist: ['command'] } });
    await gate.configChanged();
    offer(CONFINES_LESS);
    const [settled] = await gate.run(call('1'));
    expect(settled?.failure).toBeNull();
  });
});
