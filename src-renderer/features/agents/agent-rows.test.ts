import { describe, expect, it } from 'vitest';
import type { SeenAgent } from '#contract/window/agents.js';
import type { ConnectedClient } from '#contract/window/app-events.js';
import { buildAgentRows } from './agent-rows.js';

const seen = (agent: string | null, client: string, at: number): SeenAgent => ({
  agent,
  client,
  at,
  folder: '/w',
  callId: `c${at}`,
  tool: 'read_file',
  summary: 'Read a',
});
const session = (name: string, agent: string | null): ConnectedClient => ({
  sessionId: `${name}${agent}`,
  name,
  agent,
  folder: '/w',
  transport: 'stdio',
  since: 1,
  calls: 0,
});
const call = (
  agent: string | null,
  client: string | null,
  executingSince: number | null,
  outcome: 'success' | null = null,
) => ({ agent, client, executingSince, outcome, door: 'mcp' }) as const;
const nobody = { tokens: [], connected: [], seen: [], rules: [], calls: [] };
const token = (name: string, revoked = false) => ({ name, revoked, made: 5, asking: null });

describe('agents in one list', () => {
  it('is empty where nobody ever was', () => expect(buildAgentRows(nobody)).toEqual([]));

  it('joins what is known of one: its token, its sessions, its last call, what of it waits and runs', () => {
    const [row, ...others] = buildAgentRows({
      ...nobody,
      tokens: [token('one')],
      connected: [session('codex 1.0', 'one'), session('codex 1.1', 'one')],
      seen: [seen('one', 'codex 1.1', 9), seen('one', 'codex 1.0', 3)],
      calls: [call('one', 'codex 1.0', 7), call('one', 'codex 1.1', null), call('one', 'codex 1.1', 2, 'success')],
    });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ name: 'one', standing: 'token', made: 5, running: 1, waiting: 1, seen: { at: 9 } });
    expect(row?.sessions).toHaveLength(2);
  });

  it('says of each name whose word it is, and keeps a program apart from an agent of that name', () => {
    const rows = buildAgentRows({
      ...nobody,
      tokens: [token('one'), token('gone', true)],
      connected: [session('one 3.0', null), session('x 1', 'builder')],
      calls: [call(null, 'one 3.0', 1)],
    });
    expect(rows.map(({ name, standing, running }) => [name, standing, running])).toEqual([
      ['builder', 'new', 0],
      ['one', 'unnamed', 1],
      ['gone', 'revoked', 0],
      ['one', 'token', 0],
    ]);
  });

  it('has those connected first, then who asked last, and who only has a rule', () => {
    const rows = buildAgentRows({
      ...nobody,
      connected: [session('here 1', null)],
      seen: [seen(null, 'late 1', 9), seen('early', 'x', 3)],
      rules: [
        { name: 'blocked', access: 'blocked' },
        { name: 'early', access: 'ask' },
      ],
    });
    expect(rows.map(({ name }) => name)).toEqual(['here', 'late', 'early', 'blocked']);
  });
});
