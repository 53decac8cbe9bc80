import { describe, expect, it } from 'vitest';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';
import { retryDelay } from './retry.js';

const tool = (idempotent: boolean): ToolDeclaration => ({ idempotent }) as ToolDeclaration;
const failure = (code: string): Failure => ({ code, message: '' }) as Failure;

describe('retryDelay (seed 000 §7.3)', () => {
  it('retries nothing but want of resources or time, and only what is idempotent', () => {
    for (const code of Object.keys(CODE_MEANINGS)) {
      const may = code === 'Timeout' || code === 'ResourceExhausted';
      expect(retryDelay(tool(true), failure(code), 1, () => 1) !== null).toBe(may);
      expect(retryDelay(tool(false), failure(code), 1, () => 1)).toBeNull();
    }
  });
  it('waits up to twice as long each time, within a cap, with full jitter', () => {
    const longest = [1, 2, 3].map((attempt) => retryDelay(tool(true), failure('Timeout'), attempt, () => 1));
    expect(longest).toEqual([200, 400, 800]);
    expect(retryDelay(tool(true), failure('Timeout'), 3, () => 0)).toBe(0);
  });
  it('gives up after three', () => {
    expect(retryDelay(tool(true), failure('Timeout'), 4, () => 1)).toBeNull();
  });
});
