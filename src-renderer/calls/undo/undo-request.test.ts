import { expect, it } from 'vitest';
import type { PlannedUndoFile } from '#contract/vocabulary/undo.js';
import { buildUndoRequest } from './undo-request.js';

const planned = (path: string, ...callIds: readonly string[]): PlannedUndoFile => ({
  path,
  action: 'restore',
  possible: true,
  problem: null,
  mayBeOthers: false,
  rights: null,
  before: null,
  after: null,
  current: null,
  partly: false,
  callIds,
});
const plan = {
  files: [planned('a', 'c3', 'c1'), planned('b', 'c1'), planned('c', 'c2')],
  lasting: [],
  leaves: [],
  callIds: ['c3', 'c2', 'c1'],
};

it('The calls are undone the latest first, each of the chosen files of its own', () => {
  expect(buildUndoRequest(plan, new Set(['a', 'b']))).toEqual({
    callId: 'c3',
    paths: ['a'],
    earlier: [{ callId: 'c1', paths: ['a', 'b'] }],
  });
  expect(buildUndoRequest(plan, new Set(['c']))).toEqual({ callId: 'c2', paths: ['c'] });
  expect(buildUndoRequest(plan, new Set())).toBeNull();
});
