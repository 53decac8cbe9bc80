import { describe, expect, it } from 'vitest';
import type { AppStatus } from '#contract/window/app-events.js';
import { createAppStore } from './app-store.js';
import { describeConfinement, describeGateway, describeJournal, describeMode } from './describe-status.js';

const status = (change: Partial<AppStatus>): AppStatus => ({ ...createAppStore().getState().app.status, ...change });

describe('the status bar', () => {
  it('says what a command would get', () => {
    const confinement = (mode: 'required' | 'preferred' | 'off', available: boolean, problem: string | null = null) =>
      describeConfinement(status({ confinement: { mode, available, problem } }));
    expect(confinement('preferred', true)).toMatchObject({ text: 'Sandboxed', tone: 'calm' });
    expect(confinement('preferred', false, 'bwrap is missing')).toMatchObject({ text: 'Unconfined', tone: 'warning' });
    expect(confinement('preferred', false, 'bwrap is missing').title).toContain('bwrap is missing');
    expect(confinement('preferred', false)).toMatchObject({ text: 'Checking sandbox', tone: 'calm' });
    expect(confinement('required', false)).toMatchObject({ text: 'Commands refused', tone: 'error' });
    expect(confinement('off', true)).toMatchObject({ text: 'Unconfined', tone: 'warning' });
  });

  it('says so when the gate is closed', () => {
    expect(describeJournal(status({ journal: { state: 'failed', problem: 'disk full' } }))).toEqual({
      text: 'Journal failed',
      title: 'disk full',
      tone: 'error',
    });
  });

  it('counts who is connected', () => {
    const client = {
      sessionId: 's',
      name: 'n',
      agent: null,
      folder: '/w',
      transport: 'http',
      since: 0,
      calls: 0,
    } as const;
    const gateway = { enabled: true, url: 'http://127.0.0.1:1', problem: null, clients: [client, client] };
    expect(describeGateway(status({ gateway })).text).toBe('Gateway on, 2 connected');
    expect(describeGateway(status({ gateway: { ...gateway, problem: 'port taken' } })).tone).toBe('error');
    expect(describeGateway(status({})).text).toBe('Gateway off');
  });

  it('names each mode', () => {
    expect(describeMode(status({ mode: 'disabled' })).tone).toBe('warning');
    expect(describeMode(status({ mode: 'parse_only' })).text).toBe('Parse only');
    expect(describeMode(status({})).tone).toBe('calm');
  });
});
