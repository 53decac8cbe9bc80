import { describe, expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import type { InvocationRequest, InvocationScope } from '../../domain/ports/invocations.js';
import { openTestJournal, testFolder } from './journal.test-support.js';
import { settled, started } from './journal-samples.test-support.js';
import type { SqliteJournal } from './sqlite-journal.js';

const wanted: CallOptions = { versions: '*', priority: 'normal', mustAsk: false, detached: true, limits: {} };
const ada: InvocationScope = { bearer: 'ada', agent: 'ada', tenant: '' };
const asked = (more: Partial<InvocationRequest> = {}): InvocationRequest => ({
  scope: ada,
  invocationId: null,
  key: null,
  digest: 'd',
  wanted,
  ...more,
});
const never = (): boolean => false;
const ID = 'c5a4ad54-8e3f-4f9d-b5dd-000000000001';

function record(journal: SqliteJournal, callId: string, agent: string | null = 'ada'): void {
  const asker = makeAsker('gateway', 's', { agent });
  const batchId = `b-${callId}`;
  journal.append([
    { type: 'batch-received', batchId, asker, workspace: '/w', mode: 'enabled' },
    ...started({ callId, batchId }),
  ]);
}

describe('what programs asked for', () => {
  it('is taken once, by id and by key, within whom they are kept, and after a restart', () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const { invocations } = journal;
    expect(invocations.claim(asked({ invocationId: ID, key: 'k' }), never)).toEqual({ kind: 'new', callId: ID });
    record(journal, ID);
    for (const again of [{ key: 'k' }, { invocationId: ID }, { invocationId: ID, key: 'k' }])
      expect(invocations.claim(asked(again), never)).toEqual({ kind: 'same', callId: ID });
    expect(invocations.claim(asked({ key: 'k', digest: 'other' }), never)).toEqual({ kind: 'conflict', callId: ID });
    journal.close();
    const later = openTestJournal(folder).invocations;
    expect(later.claim(asked({ key: 'k' }), never)).toEqual({ kind: 'same', callId: ID });
    // Of others it is as if it were not.
    for (const scope of [
      { ...ada, tenant: 'acme' },
      // With the person's own token programs name whom they speak for.
      { ...ada, agent: 'eve' },
      { bearer: '', agent: 'ada', tenant: '' },
      { bearer: 'bob', agent: 'bob', tenant: '' },
    ]) {
      const { kind, callId } = later.claim(asked({ scope, invocationId: ID, key: 'k' }), never);
      expect([kind, callId === ID]).toEqual(['new', false]);
      expect([later.find(scope, ID), later.find(scope, callId)]).toEqual([callId, callId]);
      expect(later.find(ada, callId)).toBeNull();
    }
    expect(later.find(ada, ID)).toBe(ID);
  });

  it('is known again by its id in either case, by other words for the same, and by a key that came later', () => {
    const { invocations } = openTestJournal(testFolder());
    expect(invocations.claim(asked({ invocationId: ID }), never)).toEqual({ kind: 'new', callId: ID });
    const same = { kind: 'same', callId: ID };
    const underWay = (): boolean => true;
    expect(invocations.claim(asked({ invocationId: ID.toUpperCase() }), underWay)).toEqual(same);
    expect(invocations.find(ada, ID.toUpperCase())).toBe(ID);
    expect(invocations.claim(asked({ invocationId: ID, digest: 'e', alike: ['d'] }), underWay)).toEqual(same);
    expect(invocations.claim(asked({ invocationId: ID, digest: 'e', alike: ['f'] }), underWay).kind).toBe('conflict');
    expect(invocations.claim(asked({ invocationId: ID, key: 'k' }), underWay)).toEqual(same);
    expect(invocations.claim(asked({ key: 'k' }), underWay)).toEqual(same);
  });

  it('an id and a key of two invocations mean neither; one that a crash took before it was recorded may be asked for again', () => {
    const journal = openTestJournal(testFolder());
    const { invocations } = journal;
    const one = invocations.claim(asked({ key: 'one' }), never);
    record(journal, one.callId);
    expect(invocations.claim(asked({ invocationId: ID }), never).kind).toBe('new');
    expect(invocations.claim(asked({ invocationId: ID, key: 'one' }), never).kind).toBe('conflict');
    // Under way and not recorded yet.
    expect(invocations.claim(asked({ invocationId: ID }), () => true)).toEqual({ kind: 'same', callId: ID });
    expect(invocations.claim(asked({ invocationId: ID, digest: 'now' }), never)).toEqual({ kind: 'new', callId: ID });
    // Asked for anew without its key, it has that still.
    const withKey = invocations.claim(asked({ invocationId: 'keyed', key: 'kept' }), never);
    expect(invocations.claim(asked({ invocationId: 'keyed' }), never)).toEqual({ kind: 'new', callId: withKey.callId });
    expect(invocations.claim(asked({ key: 'kept' }), () => true)).toEqual({ kind: 'same', callId: withKey.callId });
    record(journal, ID);
    expect(invocations.claim(asked({ invocationId: ID }), never).kind).toBe('conflict');
  });

  it('is found by its bearer alone too, whichever route made it, and by nobody else', () => {
    const journal = openTestJournal(testFolder());
    const { invocations } = journal;
    record(journal, 'by-another-route');
    const { callId } = invocations.claim(asked({ scope: { ...ada, tenant: 't' }, invocationId: ID }), never);
    record(journal, callId);
    for (const id of ['by-another-route', ID]) {
      expect(invocations.find({ bearer: 'ada' }, id)).toBe(id);
      expect(invocations.find({ bearer: '' }, id)).toBeNull();
    }
    expect(invocations.find(ada, 'by-another-route')).toBe('by-another-route');
    expect(invocations.find(ada, ID)).toBeNull();
    const mcp = makeAsker('mcp', 's', { agent: 'ada' });
    journal.append([
      { type: 'batch-received', batchId: 'm', asker: mcp, workspace: '/w', mode: 'enabled' },
      ...started({ callId: 'mcp', batchId: 'm' }),
    ]);
    expect(invocations.find({ bearer: 'ada' }, 'mcp')).toBeNull();
  });

  it('goes with its call, and what came to nothing goes too', () => {
    const journal = openTestJournal(testFolder(), { keepDays: () => 0 });
    const { invocations } = journal;
    const { callId } = invocations.claim(asked({ invocationId: ID, key: 'k' }), never);
    record(journal, callId);
    journal.append([settled(callId), { type: 'batch-closed', batchId: `b-${callId}` }]);
    invocations.claim(asked({ key: 'nothing came of it' }), never);
    expect(journal.erase(Date.now() + 10_000, 10).calls).toBe(1);
    expect([invocations.find(ada, ID), invocations.claim(asked({ key: 'k' }), never).kind]).toEqual([null, 'new']);
  });
});
