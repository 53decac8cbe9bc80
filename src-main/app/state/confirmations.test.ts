import { expect, it } from 'vitest';
import { ruleIdOf } from '../../gate/planner/rule-id.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { ruleBook } from './confirmations.js';

function opened(confirmed: readonly { tool: string; command?: string }[] = []) {
  const state = { confirmed, now: 0, changes: 0 };
  const book = ruleBook({
    config: {
      get current() {
        return defaultConfig({ approval: { confirmed: [...state.confirmed] } });
      },
      addConfirmed: async () => ({ ok: false, problem: 'The disk is full.' }),
      removeConfirmed: async (which) => {
        const before = state.confirmed;
        state.confirmed = before.filter((rule) => !which(rule));
        const restore = async () => {
          state.confirmed = before;
          return { ok: true } as const;
        };
        return { ok: true, restore };
      },
    },
    redactor: { text: (value) => ({ value, count: value.includes('sesame') ? 1 : 0 }) },
    clock: { now: () => 0, monotonic: () => state.now },
    onProblem: () => undefined,
    onChange: () => (state.changes += 1),
  });
  return { book, state };
}

it('the rule that is named is removed and no other, and put back under the same name', async () => {
  const { book, state } = opened([{ tool: 'a' }, { tool: 'a' }, { tool: 'b' }]);
  await book.remember({ tool: 'c', session: 's1' }, 'quit');
  expect(book.all().map(({ rule }) => rule.tool)).toEqual(['a', 'b', 'c']);
  const a = ruleIdOf({ tool: 'a' });
  expect(await book.remove(a)).toBeNull();
  // What stands there twice is gone whole: no other one lets run what was taken back.
  expect(state.confirmed).toEqual([{ tool: 'b' }]);
  expect(await book.undo(a)).toBeNull();
  expect(state.confirmed).toHaveLength(3);
  const [held] = book.session;
  expect(await book.remove(held?.id ?? '')).toBeNull();
  expect(book.session).toEqual([]);
  expect(await book.undo(held?.id ?? '')).toBeNull();
  expect(book.session).toEqual([held]);
  expect(await book.undo(held?.id ?? '')).toContain('gone');
});

it('a rule that was removed long ago is not put back', async () => {
  const { book, state } = opened([{ tool: 'a' }]);
  await book.remove(ruleIdOf({ tool: 'a' }));
  state.now = 13_000;
  expect(await book.undo(ruleIdOf({ tool: 'a' }))).toContain('too long ago');
  expect(state.confirmed).toEqual([]);
});

it('a session’s rule goes with its session, and no other does', async () => {
  const { book } = opened();
  await book.remember({ tool: 'a', session: 's1' }, 'quit');
  await book.remember({ tool: 'b', session: 'compose' }, 'quit');
  await book.remember({ tool: 'c' }, 'quit');
  book.follow(['s1', 's2']);
  book.follow(['s2']);
  expect(book.session.map(({ tool }) => tool)).toEqual(['b', 'c']);
  expect(new Set(book.session.map(({ id }) => id)).size).toBe(2);
});
