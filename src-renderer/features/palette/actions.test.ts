import { expect, it, vi } from 'vitest';
import type { AppStatus, ConnectedClient } from '#contract/window/app-events.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { type PaletteHandlers, listActions, findActions, listPausableAgents, type PaletteTargets } from './actions.js';

const acts = {
  goTo: vi.fn(),
  openCall: vi.fn(),
  showSheet: vi.fn(),
  chooseFolder: vi.fn(),
  showFolder: vi.fn(),
  openFolder: vi.fn(),
  stop: vi.fn(),
  pause: vi.fn(),
  resume: vi.fn(),
  showShortcuts: vi.fn(),
  showConversation: vi.fn(),
  stopConversation: vi.fn(),
} satisfies PaletteHandlers;

const call = (callId: string, more: Partial<CallSummary>) =>
  ({ callId, tool: 'run_command', summary: 'npm test', display: 'completed', awaiting: null, ...more }) as CallSummary;
const who = (agent: string) => ({ door: 'mcp', agent, client: null }) as const;
const THINGS: PaletteTargets = {
  agents: [
    { by: 'agent builder', who: who('builder'), name: 'builder', isPaused: false },
    { by: 'agent tester', who: who('tester'), name: 'tester', isPaused: false },
    { by: 'agent held', who: who('held'), name: 'held', isPaused: true },
  ],
  calls: [call('c1', {}), call('c2', { display: 'executing', summary: 'npm run build' })],
  folders: [{ path: '/shop', name: 'shop' }],
  recent: [
    { path: '/shop', name: 'shop' },
    { path: '/notes', name: 'notes' },
  ],
  waiting: [{ batchId: 'b1' }],
  settings: [{ key: 'tools.output.max_bytes', label: 'Largest result', section: 'Limits' }],
  conversations: [
    { id: 'k1', title: 'Fix the build' },
    { id: 'k2', title: 'Write docs' },
  ],
  working: ['k2'],
};
const all = listActions(THINGS, acts);
const found = (typed: string) => findActions(all, typed, acts.openCall);
const labels = (typed: string) => found(typed).map(({ label }) => label);

it('without words it offers actions, places and folders, each folder once', () => {
  expect(labels('').slice(0, 5)).toEqual([
    'Review what waits for you',
    'Stop all running calls',
    'Pause all connected agents',
    'Resume all paused agents',
    'Pause builder',
  ]);
  expect(labels('')).toEqual(
    expect.arrayContaining([
      'New conversation',
      'Stop this conversation',
      'Open folder…',
      'Keyboard shortcuts',
      'Activity',
    ]),
  );
  expect(labels('').filter((label) => label === 'shop')).toHaveLength(1);
  expect(labels('')).toContain('notes');
  expect(labels('')).not.toContain('Largest result');
});

it('finds by every word, and what begins so first', () => {
  expect(labels('largest limits')).toEqual(['Largest result']);
  expect(labels('max_bytes')).toEqual(['Largest result']);
  expect(labels('npm')).toEqual(['npm test', 'npm run build']);
  expect(labels('c2')).toEqual(['npm run build']);
  expect(labels('zebra')).toEqual([]);
});

it('does what it says', () => {
  for (const [typed, act, args] of [
    ['history', acts.goTo, ['history']],
    ['max_bytes', acts.goTo, ['settings', 'tools.output.max_bytes']],
    ['stop all', acts.stop, [['c2']]],
    ['new conv', acts.showConversation, [null]],
    ['fix the', acts.showConversation, ['k1']],
    ['stop this', acts.stopConversation, ['k2']],
    ['pause builder', acts.pause, [[who('builder')]]],
    ['pause all', acts.pause, [[who('builder'), who('tester')]]],
    ['resume held', acts.resume, [[who('held')]]],
    ['resume all', acts.resume, [[who('held')]]],
    ['c1', acts.openCall, ['c1']],
    ['/notes', acts.openFolder, ['/notes']],
    ['/shop', acts.showFolder, ['/shop']],
    ['review', acts.showSheet, ['b1']],
  ] as const) {
    found(typed)[0]?.run();
    expect(act, typed).toHaveBeenLastCalledWith(...args);
  }
});

it('offers nothing that there is nothing for, and finds a call of before by its whole id', () => {
  const few = listActions({ ...THINGS, agents: [], calls: [], waiting: [] }, acts);
  expect(few.map(({ id }) => id)).not.toContain('stop-all');
  expect(few.map(({ id }) => id)).not.toContain('review');
  expect(few.filter(({ id }) => /pause|resume/u.test(id))).toEqual([]);
  const id = '6f187f5d-9e1d-4c16-be8e-689999b1c52e';
  const [old] = findActions(few, id, acts.openCall);
  old?.run();
  expect(acts.openCall).toHaveBeenLastCalledWith(id);
  expect(findActions(few, id.slice(0, 20), acts.openCall)).toEqual([]);
});

it('an agent can be paused once for all its sessions, and resumed after it left', () => {
  const client = (name: string, agent: string | null) => ({ name, agent }) as ConnectedClient;
  const gateway = {
    clients: [client('codex 1', 'builder'), client('codex 2', 'builder'), client('loose 1.0', null)],
  } as unknown as AppStatus['gateway'];
  const paused = ['agent builder', 'agent left', 'client agent of old', 'door gateway'];
  expect(listPausableAgents({ gateway, paused })).toEqual([
    { by: 'agent builder', who: who('builder'), name: 'builder', isPaused: true },
    {
      by: 'client loose 1.0',
      who: { door: 'mcp', agent: null, client: 'loose 1.0' },
      name: 'loose 1.0',
      isPaused: false,
    },
    { by: 'agent left', who: who('left'), name: 'left', isPaused: true },
    {
      by: 'client agent of old',
      who: { door: 'mcp', agent: null, client: 'agent of old' },
      name: 'agent of old',
      isPaused: true,
    },
  ]);
});
