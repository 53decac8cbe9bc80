import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import { invoke, open, held, hold } from './invoke.test-support.js';

describe('the same request again', () => {
  it('gives the same invocation, and is run once, asked by fifty at the same instant', async () => {
    const { tool, ran, end } = held();
    const programs = await open({ tools: [tool] });
    const key = { execution_options: { idempotency_key: 'k' } };
    const asked = Array.from({ length: 50 }, () => invoke(programs, hold('x', key)));
    await expect.poll(() => ran).toEqual(['x']);
    end();
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status} ${body.invocation_id}`)).size).toBe(1);
    expect(answers[0]?.body.status).toBe('success');
    expect(ran).toEqual(['x']);
    const after = await invoke(programs, hold('x', key));
    expect([after.body.invocation_id, after.body['result']]).toEqual([answers[0]?.body.invocation_id, { length: 1 }]);
    const other = await invoke(programs, hold('y', key));
    expect([other.status, other.body.error?.code, other.body.error?.details]).toEqual([
      409,
      'idempotency_conflict',
      { code: 'DuplicateToolCallId', e_code: null, call_id: null },
    ]);
    expect(ran).toEqual(['x']);
  });

  it('by its id, too; and holds after a restart', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const invocation_id = randomUUID();
    const before = await open(place);
    const first = await invoke(before, { invocation_id, execution_options: { idempotency_key: 'k' } });
    expect(first.body).toMatchObject({ invocation_id, status: 'success' });
    await before.close();
    const after = await open(place);
    writeFileSync(join(place.workspace, 'a.txt'), 'changed\n');
    for (const more of [{ invocation_id }, { execution_options: { idempotency_key: 'k' } }]) {
      const again = await invoke(after, more);
      expect([again.status, again.body.invocation_id, again.body['result']]).toEqual([
        200,
        invocation_id,
        first.body['result'],
      ]);
    }
    expect((await after.get(`/v1/tool/status/${invocation_id}`)).body).toMatchObject({
      status: 'success',
      result: first.body['result'],
    });
    expect((await invoke(after, { invocation_id, parameters: { path: 'b.txt' } })).status).toBe(409);
  });

  it('is the same by its id in either case, and by the tool’s name', async () => {
    const { tool, ran, end } = held();
    end();
    const programs = await open({ tools: [tool] });
    const invocation_id = randomUUID();
    const key = { execution_options: { idempotency_key: 'k' } };
    const first = await invoke(programs, hold('x', { invocation_id, ...key }));
    expect(first.body).toMatchObject({ invocation_id, status: 'success' });
    for (const more of [{ ...key, tool_id: 'held' }, { invocation_id: invocation_id.toUpperCase() }]) {
      const again = await invoke(programs, hold('x', more));
      expect([again.status, again.body.invocation_id]).toEqual([200, invocation_id]);
    }
    expect((await programs.get(`/v1/tool/status/${invocation_id.toUpperCase()}`)).body.status).toBe('success');
    expect(ran).toEqual(['x']);
    const { body } = await invoke(
      programs,
      hold('y', { execution_options: { async_mode: true, require_approval: true } }),
    );
    expect(body['polling_info']).toMatchObject({ estimated_completion_seconds: 1 });
  });

  it('whoever asks again and leaves takes nothing back', async () => {
    const { tool, ran, end } = held();
    const programs = await open({ tools: [tool] });
    const key = { execution_options: { idempotency_key: 'k' } };
    const first = invoke(programs, hold('x', key));
    await expect.poll(() => ran).toEqual(['x']);
    const leaving = new AbortController();
    const second = invoke(programs, hold('x', key), undefined, leaving.signal).catch(() => null);
    leaving.abort();
    await second;
    end();
    expect((await first).body.status).toBe('success');
  });
});

describe('to others an invocation does not exist', () => {
  it('whoever they are, and by whichever way they look', async () => {
    const programs = await open();
    const invocation_id = randomUUID();
    const context = { agent_did: 'ada', tenant_id: 'acme' };
    const made = await invoke(programs, { invocation_id, agent_context: context }, 'ada');
    expect(made.body).toMatchObject({ invocation_id, status: 'success' });
    const others: readonly (readonly [object | undefined, string | undefined])[] = [
      [undefined, 'bob'],
      [{ agent_did: 'ada', tenant_id: 'acme' }, 'bob'],
      [{ agent_did: 'ada', tenant_id: 'acme' }, undefined],
      [{ agent_did: 'ada' }, 'ada'],
      [{ agent_did: 'ada', tenant_id: 'other' }, 'ada'],
    ];
    for (const [agent_context, agent] of others) {
      const asked = { invocation_id, ...(agent_context === undefined ? {} : { agent_context }) };
      const status = await programs.post('/v1/tool/status', asked, agent);
      expect([status.status, status.body]).toEqual([
        404,
        {
          invocation_id,
          status: 'error',
          error: {
            code: 'invalid_parameters',
            message: 'Not found',
            details: { code: null, e_code: null, call_id: null },
            retryable: false,
          },
        },
      ]);
      const cancel = await programs.post('/v1/tool/cancel', asked, agent);
      expect([cancel.status, cancel.body]).toEqual([404, { invocation_id, cancelled: false, message: 'Not found' }]);
    }
    for (const asked of [{ invocation_id }, { invocation_id, agent_context: context }])
      expect((await programs.post('/v1/tool/status', asked, 'ada')).body.status).toBe('success');
    // An id that is in use by others answers as if it were not, with one of ours.
    const theirs = await invoke(programs, { invocation_id }, 'bob');
    expect([theirs.status, theirs.body.status, theirs.body.invocation_id === invocation_id]).toEqual([
      200,
      'success',
      false,
    ]);
    const again = await invoke(programs, { invocation_id }, 'bob');
    expect(again.body.invocation_id).toBe(theirs.body.invocation_id);
    expect((await programs.get(`/v1/tool/status/${invocation_id}`, 'bob')).body.invocation_id).toBe(
      theirs.body.invocation_id,
    );
  });

  it('an agent’s bearer names itself or nobody', async () => {
    const programs = await open();
    const refused = await invoke(programs, { agent_context: { agent_did: 'bob', tenant_id: '' } }, 'ada');
    expect([refused.status, refused.body.status, refused.body.error?.details['code']]).toEqual([
      200,
      'permission_denied',
      'NotPermitted',
    ]);
    const list = await programs.post('/v1/tool/list', { agent_context: { agent_did: 'bob' } }, 'ada');
    expect(list.body).toMatchObject({ status: 'permission_denied', tools: [] });
    expect((await programs.get('/v1/tool/status/none', 'ada')).status).toBe(404);
  });
});
