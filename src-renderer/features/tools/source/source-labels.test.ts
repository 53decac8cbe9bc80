import { expect, it } from 'vitest';
import type { SourceView } from '#contract/window/tools/sources.js';
import { describeStart } from '../describe-start.js';
import { describeCounts, LOOK_LABELS, chooseLook, describePlace, needsReview } from './source-labels.js';

const view = (more: Partial<SourceView>): SourceView => ({
  name: 'github',
  kind: 'mcp',
  enabled: true,
  state: 'running',
  stage: null,
  problem: null,
  isRunning: true,
  counts: { tools: 1, waiting: 0, changed: 0, refused: 0 },
  callsToday: 0,
  failuresToday: 0,
  sendsTo: [],
  confinement: null,
  secrets: [],
  settings: { kind: 'mcp', command: 'x' },
  remarks: [],
  package: null,
  movedAddress: null,
  signIn: null,
  ...more,
});

it('tells what is new from what changed', () => {
  const changed = { state: 'changed' } as const;
  expect(chooseLook(view({ ...changed, counts: { tools: 0, waiting: 3, changed: 0, refused: 0 } }))).toBe('new');
  expect(chooseLook(view({ ...changed, counts: { tools: 0, waiting: 3, changed: 1, refused: 0 } }))).toBe('changed');
  expect(chooseLook(view({ ...changed, enabled: false }))).toBe('off');
  expect(chooseLook(view({ state: 'refused', enabled: false }))).toBe('refused');
  expect(needsReview(view({ ...changed, enabled: false }))).toBe(false);
  expect(needsReview(view(changed))).toBe(true);
});

it('says what is under way of one that starts, whatever was known of it before', () => {
  const counts = { tools: 0, waiting: 3, changed: 0, refused: 0 };
  const words = (['fetching', 'starting', 'listing'] as const).map(
    (stage) => LOOK_LABELS[chooseLook(view({ state: 'starting', stage, counts }))],
  );
  expect(words).toEqual(['Fetching…', 'Starting…', 'Asking for its tools…']);
});

it('counts', () => {
  expect(
    describeCounts(
      view({ counts: { tools: 12, waiting: 2, changed: 1, refused: 1 }, callsToday: 5, failuresToday: 1 }),
    ),
  ).toBe('12 tools · 2 new · 1 changed · 1 refused · 5 calls today, 1 failed');
  expect(describeCounts(view({ callsToday: 1 }))).toBe('1 tool · 1 call today');
});

it('says how it is held', () => {
  expect(describePlace(view({ confinement: 'confined' }))).toBe(
    'Sandboxed on this computer: no network, no access to the folder',
  );
  expect(describePlace(view({ confinement: 'unconfined' }))).toContain('not sandboxed');
  expect(
    describePlace(view({ settings: { kind: 'mcp', command: 'x', network: ['a.example'], filesystem: 'write' } })),
  ).toBe('On this computer: may reach a.example, changes the folder');
  expect(describePlace(view({ sendsTo: ['a.example'] }))).toContain('can’t be undone');
});

it('writes a command so that its words can be told apart', () => {
  expect(describeStart({ kind: 'mcp', command: 'npx', args: ['-y', 'a b', "it's", ''] })).toBe(
    String.raw`npx -y 'a b' 'it'\''s' ''`,
  );
});
