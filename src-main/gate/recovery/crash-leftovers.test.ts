import { expect, it } from 'vitest';
import { type CrashContext, cleanUpCrash, type CrashCleanups, type LeftoverKind } from './crash-leftovers.js';

const crash: CrashContext = { interrupted: [], wasAcknowledged: () => false, found: () => undefined };

/** Every wing's entry, each taking its time; some of them fail. */
function wings(failing: readonly LeftoverKind[] = []) {
  const ran: string[] = [];
  const entry = (name: LeftoverKind) => async (): Promise<void> => {
    ran.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    if (failing.includes(name)) throw new Error(`no ${name}`);
    ran.push(`${name} ends`);
  };
  const clearings: CrashCleanups = {
    answers: entry('answers'),
    leavings: entry('leavings'),
    copies: entry('copies'),
    pipes: entry('pipes'),
    controlGroups: entry('controlGroups'),
    processes: entry('processes'),
    fileChanges: entry('fileChanges'),
    socket: entry('socket'),
    gatewayAddress: entry('gatewayAddress'),
  };
  const troubles: string[] = [];
  const clear = () => cleanUpCrash(clearings, crash, (what, error) => troubles.push(`${what}: ${String(error)}`));
  return { ran, troubles, clear };
}

const ORDER: readonly LeftoverKind[] = [
  'gatewayAddress',
  'socket',
  'fileChanges',
  'processes',
  'controlGroups',
  'pipes',
  'copies',
  'leavings',
  'answers',
];

it('every wing puts right what is its own, one after the other, in the order that the list says', async () => {
  const { ran, clear } = wings();
  await clear();
  expect(ran).toEqual(ORDER.flatMap((name) => [`${name} begins`, `${name} ends`]));
});

it('a clean-up that fails is told, and the rest goes on', async () => {
  const { ran, troubles, clear } = wings(['socket', 'processes']);
  await clear();
  expect(troubles).toEqual([
    'The socket that agents connect to: Error: no socket',
    'Processes that still ran: Error: no processes',
  ]);
  expect(ran).toContain('leavings ends');
});

it.each(['gatewayAddress', 'fileChanges', 'leavings'] as const)(
  'nothing starts where the clean-up %s fails',
  async (name) => {
    const { ran, clear } = wings([name]);
    await expect(clear()).rejects.toThrow(`no ${name}`);
    expect(ran.at(-1)).toBe(`${name} begins`);
  },
);
