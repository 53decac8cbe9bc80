import { expect, it } from 'vitest';
import { createLiveView, type LiveView } from './live-view.js';

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'the live view takes what comes %i turns after it had shown all',
  async (turns) => {
    const shown: string[] = [];
    const later: { view: LiveView | null } = { view: null };
    const afterTurns = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await later.view?.show('stderr', 'second');
    };
    const view = createLiveView(async (_stream, text) => {
      shown.push(text);
      if (shown.length === 1) void afterTurns();
    });
    later.view = view;
    await view.show('stdout', 'first');
    await expect.poll(() => shown).toEqual(['first', 'second']);
    await view.drained();
  },
);
