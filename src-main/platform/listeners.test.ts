import { expect, it } from 'vitest';
import { Listeners } from './listeners.js';

function three(listeners: Listeners<[what: string]>) {
  const heard: string[] = [];
  listeners.add((what) => heard.push(`first ${what}`));
  listeners.add(() => {
    throw new Error('broken');
  });
  const stop = listeners.add((what) => heard.push(`last ${what}`));
  return { heard, stop };
}

it('all are told, in their order, whoever of them breaks; then who told hears of it', () => {
  const listeners = new Listeners<[string]>();
  const { heard, stop } = three(listeners);
  expect(() => listeners.tell('a')).toThrow('broken');
  expect(heard).toEqual(['first a', 'last a']);
  stop();
  expect(() => listeners.tell('b')).toThrow('broken');
  expect(heard).toEqual(['first a', 'last a', 'first b']);
});

it('a fault goes where the owner wants it, and not to who told', () => {
  const faults: unknown[] = [];
  const listeners = new Listeners<[string]>((fault) => faults.push(fault));
  const { heard } = three(listeners);
  listeners.tell('a');
  expect(heard).toEqual(['first a', 'last a']);
  expect(faults).toEqual([new Error('broken')]);
});
