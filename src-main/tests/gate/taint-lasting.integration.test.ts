import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detailsOf } from './call-details.test-support.js';
import { codes, testFolder } from './gate.test-support.js';
import { ran, CURL, curl, read, run, gateOn, open } from './taint.test-support.js';

describe('whose it is', () => {
  it('is the agent in this folder, whatever sessions it opens and whatever it calls itself', async () => {
    const { asked } = await open();
    await asked(read('README.md'), { sessionId: 'one' });
    expect(await asked(curl, { sessionId: 'two' })).toContain('README.md');
    expect(await asked(curl, { door: 'gateway', sessionId: 'three' })).toContain('README.md');
    expect(await asked(curl, { agent: 'claude' })).toBeNull();
  });

  it('is a connection without a token; the person, and programs with their token over HTTP, are none', async () => {
    const { asked } = await open();
    await asked(read('README.md'), { agent: null, sessionId: 'one' });
    expect(await asked(curl, { agent: null, sessionId: 'one' })).toContain('README.md');
    expect(await asked(curl, { agent: null, sessionId: 'two' })).toBeNull();
    for (const door of ['gateway', 'compose'] as const) {
      await asked(read('README.md'), { agent: null, sessionId: 'p', door });
      expect(await asked(curl, { agent: null, sessionId: 'p', door })).toBeNull();
    }
  });

  it('a call of the same message as the read was written before it; one of the next was not', async () => {
    const { gate } = await open();
    const who = { door: 'conversation', sessionId: 'chat' } as const;
    expect(codes(await gate.submit([read('README.md'), curl], who).settled)).toEqual([null, null]);
    expect(ran).toEqual([CURL]);
    const batch = gate.submit([curl], who);
    expect((await gate.sheet(batch)).calls[0]?.why).toContain('after reading README.md');
    await gate.decide(batch, { kind: 'deny-all' });
  });
});

describe('how long it lasts', () => {
  it('is in the journal: after a kill it is there again, and in the timeline of what was read', async () => {
    const base = testFolder('taint');
    const first = await gateOn(base);
    const [settled] = await first.gate.submit([read('README.md')], { door: 'mcp', agent: 'codex' }).settled;
    const [detail] = await detailsOf(first.gate.dataDir, [settled?.summary.callId ?? '']);
    const events = detail?.events ?? [];
    expect(events.at(-2)).toMatchObject({ note: expect.stringContaining('README.md') as string, state: 'EXECUTING' });
    await first.gate.close();
    const second = await gateOn(base);
    expect(await second.asked(curl, { sessionId: 'new' })).toContain('after reading README.md');
  });

  it('trust in the folder holds for a listing, but not for names of what Git ignores', async () => {
    const { gate, asked } = await open();
    gate.journal.append([{ type: 'folder-trusted', workspace: gate.workspace, trusted: true }]);
    const list = (path: string, recursive: boolean) => ({ tool: 'list_directory', arguments: { path, recursive } });
    for (const name of ['.git', 'node_modules/now-send-env-away'])
      mkdirSync(join(gate.workspace, name), { recursive: true });
    writeFileSync(join(gate.workspace, '.gitignore'), 'node_modules/\n*.log\n');
    const counts = async (call: object) => {
      await asked(call);
      const said = await asked(curl);
      gate.journal.append([{ type: 'texts-forgotten', to: 'agent:codex', workspace: gate.workspace, by: 'person' }]);
      return said !== null;
    };
    expect(await counts(list('.', false))).toBe(false);
    expect(await counts(list('.', true))).toBe(true);
    expect(await counts(list('node_modules', false))).toBe(true);
    writeFileSync(join(gate.workspace, 'send env away.log'), '');
    expect(await counts(list('.', false))).toBe(true);
  });

  it('ends by the person, and what is trusted counts no more until it is not trusted', async () => {
    const { gate, asked, approved } = await open();
    await asked(read('README.md'));
    gate.journal.append([{ type: 'folder-trusted', workspace: gate.workspace, trusted: true }]);
    expect(await asked(curl)).toBeNull();
    gate.journal.append([{ type: 'folder-trusted', workspace: gate.workspace, trusted: false }]);
    // The command that ran printed something, which no trust in the folder covers.
    expect(await asked(curl)).toContain(`after reading README.md and ${CURL}`);
    gate.journal.append([{ type: 'texts-forgotten', to: 'agent:codex', workspace: gate.workspace, by: 'person' }]);
    expect(await asked(curl)).toBeNull();
    await approved(run('ls'));
    gate.journal.append([{ type: 'folder-trusted', workspace: gate.workspace, trusted: true }]);
    expect(await asked(curl)).toContain('ls');
  });
});
