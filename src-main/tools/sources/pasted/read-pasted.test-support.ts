import { expect } from 'vitest';
import type { PastedSource } from '#contract/window/tools/pasted-sources.js';
import { readPasted } from './read-pasted.js';

export const AROUND = { home: '/home/ada', taken: [], secretsTaken: [] };

export function read(text: string, taken: readonly string[] = []) {
  const pasted = readPasted(text, { ...AROUND, taken });
  if (!pasted.ok) throw new Error(pasted.problem);
  return pasted;
}

export const one = (text: string): PastedSource => {
  const { sources } = read(text);
  expect(sources).toHaveLength(1);
  const [source] = sources;
  if (source === undefined) throw new Error('There is none.');
  return source;
};
