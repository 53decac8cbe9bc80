import { describe, expect, it } from 'vitest';
import type { SessionActivity } from '#contract/vocabulary/activity/activity.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { groupByAsker, startOfDay } from './asker-groups.js';

const recorded = (session: string, more: Partial<SessionActivity> = {}): SessionActivity => ({
  session,
  door: 'mcp',
  client: 'codex 1.0',
  agent: null,
  workspace: '/shop',
  firstAt: 1000,
  lastAt: 2000,
  calls: 3,
  read: 2,
  ran: 1,
  elsewhere: 0,
  denied: 0,
  failed: 0,
  files: 0,
  ...more,
});

const call = (callId: string, more: Partial<CallSummary> = {}): CallSummary =>
  ({
    callId,
    session: 's1',
    door: 'mcp',
    client: 'codex 1.0',
    agent: null,
    outcome: null,
    display: 'pending',
    awaiting: null,
    startedAt: 1500,
    ...more,
  }) as CallSummary;

describe('who is active', () => {
  it('puts the sessions of an agent together, and those of a client without a token', () => {
    const groups = groupByAsker(
      [
        recorded('s1', { firstAt: 10 }),
        recorded('s2', { firstAt: 30 }),
        recorded('s3', { agent: 'claude', client: 'Claude Code 2', firstAt: 20 }),
        recorded('s4', { agent: 'claude', client: 'Claude Code 3', firstAt: 5 }),
      ],
      [],
      [],
    );
    expect(groups.map(({ name, sessions }) => [name, sessions.map(({ session }) => session)])).toEqual([
      ['codex 1.0', ['s2', 's1']],
      ['claude', ['s3', 's4']],
    ]);
  });

  it('has what runs, waits, is queued and is over where it belongs', () => {
    const [only] = groupByAsker(
      [recorded('s1')],
      [
        call('runs', { display: 'executing' }),
        call('asks', { awaiting: 'decision' }),
        call('queued'),
        ...['a', 'b', 'c', 'd'].map((id) => call(id, { outcome: 'success', display: 'completed' })),
      ],
      [],
    );
    const [session] = only?.sessions ?? [];
    const ids = (calls: readonly CallSummary[] = []) => calls.map(({ callId }) => callId);
    expect(ids(session?.running)).toEqual(['runs']);
    expect(ids(session?.waiting)).toEqual(['asks']);
    expect(ids(session?.queued)).toEqual(['queued']);
    expect(ids(session?.done)).toEqual(['d', 'c', 'b']);
    expect(session?.counts).toMatchObject({ calls: 3, read: 2 });
  });

  it('knows a session before anything is recorded of it, and who is connected and asked for nothing', () => {
    const groups = groupByAsker(
      [],
      [call('one', { session: 'new', door: 'compose', client: null, display: 'executing' })],
      [{ sessionId: 's9', name: 'zed 1', agent: 'zed', folder: '/w', transport: 'stdio', since: 1, calls: 0 }],
    );
    expect(groups.map(({ name, sessions }) => [name, sessions[0]?.connected, sessions[0]?.counts])).toEqual([
      ['Compose', false, null],
      ['zed', true, null],
    ]);
  });

  it('does not take the person’s own acts for calls that they composed in the same session', () => {
    const groups = groupByAsker(
      [recorded('c', { door: 'compose', client: null }), recorded('c', { door: 'window', client: null, firstAt: 1 })],
      [],
      [],
    );
    expect(groups.map(({ name }) => name)).toEqual(['Compose', 'You']);
  });

  it('begins the day at midnight', () => {
    expect(startOfDay(new Date(2026, 10, 19, 13, 5).getTime())).toBe(new Date(2026, 10, 19).getTime());
  });
});
