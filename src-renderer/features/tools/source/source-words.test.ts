import { expect, it } from 'vitest';
import type { SourceView } from '#contract/window/sources.js';
import { startWords } from '../start-words.js';
import { countWords, LOOK_WORDS, lookOf, placeWords, wantsReview } from './source-words.js';

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
  signIn: null,
  ...more,
});

it('tells what is new from what changed', () => {
  const changed = { state: 'changed' } as const;
  expect(lookOf(view({ ...changed, counts: { tools: 0, waiting: 3, changed: 0, refused: 0 } }))).toBe('new');
  expect(lookOf(view({ ...changed, counts: { tools: 0, waiting: 3, changed: 1, refused: 0 } }))).toBe('changed');
  expect(lookOf(view({ ...changed, enabled: false }))).toBe('off');
  expect(lookOf(view({ state: 'refused', enabled: false }))).toBe('refused');
  expect(wantsReview(view({ ...changed, enabled: false }))).toBe(false);
  expect(wantsReview(view(changed))).toBe(true);
});

it('says what is under way of one that starts, whatever was known of it before', () => {
  const counts = { tools: 0, waiting: 3, changed: 0, refused: 0 };
  const words = (['fetching', 'starting', 'listing'] as const).map(
    (stage) => LOOK_WORDS[lookOf(view({ state: 'starting', stage, counts }))],
  );
  expect(words).toEqual(['Fetching…', 'Starting…', 'Asking for its tools…']);
});

it('counts', () => {
  expect(
    countWords(view({ counts: { tools: 12, waiting: 2, changed: 1, refused: 1 }, callsToday: 5, failuresToday: 1 })),
  ).toBe('12 tools · 2 new · 1 changed · 1 refused · 5 calls today, 1 failed');
  expect(countWords(view({ callsToday: 1 }))).toBe('1 tool · 1 call today');
});

it('says how it is held', () => {
  expect(placeWords(view({ confinement: 'confined' }))).toBe(
    'Sandboxed on this computer: no network, no access to the folder',
  );
  expect(placeWords(view({ confinement: 'unconfined' }))).toContain('not sandboxed');
  expect(
    placeWords(view({ settings: { kind: 'mcp', command: 'x', network: ['a.example'], filesystem: 'write' } })),
  ).toBe('On this computer: may reach a.example, changes the folder');
  expect(placeWords(view({ sendsTo: ['a.example'] }))).toContain('can’t be undone');
});

it('writes a command so that its words can be told apart', () => {
  expect(startWords({ kind: 'mcp', command: 'npx', args: ['-y', 'a b', "it's", ''] })).toBe(
    String.raw`npx -y 'a b' 'it'\''s' ''`,
  );
});
