import { expect, it } from 'vitest';
import type { ConnectedClient } from '#contract/window/app-events.js';
import { defaultConfig } from '../../../tests/gate/default-config.test-support.js';
import { copiesAhead } from './copies-ahead.js';

function ahead() {
  const copied: string[] = [];
  const state = { commands: 'sandbox' as 'ask' | 'sandbox', isOffered: true, isOpen: true };
  const tell = copiesAhead({
    situation: (workspace) => ({
      config: defaultConfig({ approval: { ...defaultConfig().tools.approval, commands: state.commands } }),
      sandbox: { workingDirectory: workspace, isDenied: () => false } as never,
      workspace,
      isOpen: state.isOpen,
    }),
    offersCommands: () => state.isOffered,
    prepare: ({ workingDirectory }) => void copied.push(workingDirectory),
  });
  const come = (...folders: readonly string[]): readonly string[] => {
    copied.length = 0;
    tell(folders.map((folder) => ({ folder }) as ConnectedClient));
    return [...copied];
  };
  return { come, state };
}

it('a folder is copied when its first agent comes, once for all who are there, and again for who comes back', () => {
  const { come } = ahead();
  expect(come('')).toEqual([]);
  expect(come('/a', '/a')).toEqual(['/a']);
  expect(come('/a', '/b')).toEqual(['/b']);
  expect(come('/b')).toEqual([]);
  expect(come('/a', '/b')).toEqual(['/a']);
});

it('no folder is copied where commands ask, are not offered, or it was closed; once that changes it is', () => {
  const { come, state } = ahead();
  state.commands = 'ask';
  expect(come('/a')).toEqual([]);
  state.commands = 'sandbox';
  state.isOffered = false;
  expect(come('/a')).toEqual([]);
  state.isOffered = true;
  state.isOpen = false;
  expect(come('/a')).toEqual([]);
  state.isOpen = true;
  expect(come('/a')).toEqual(['/a']);
});
