import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { compileJsonValidator } from '../../../platform/json-schema.js';
import { findSchemaProblems } from '../../registry/schema-rules.js';
import { readFileTool } from './handler.js';

describe('read_file: declaration and arguments', () => {
  it('has schemas that obey the rules', () => {
    expect(findSchemaProblems(readFileTool.declaration.inputSchema)).toEqual([]);
    expect(findSchemaProblems(readFileTool.declaration.outputSchema)).toEqual([]);
    expect(readFileTool.declaration).toMatchObject({ sideEffecting: false, requiresApproval: false, risk: 'low' });
  });

  it('T-READ-01 refuses ranges that are none', () => {
    expect(() => readFileTool.parse({ path: 'a', start_line: 3, end_line: 2 })).toThrow(ToolFailure);
    const valid = compileJsonValidator(readFileTool.declaration.inputSchema);
    for (const range of [
      { start_line: 0 },
      { end_line: 0 },
      { start_line: 1.5 },
      { start_line: -1 },
      { end_line: 2 ** 32 },
    ]) {
      expect(valid({ path: 'a', ...range }).ok, JSON.stringify(range)).toBe(false);
    }
    expect(valid({ path: 'a', start_line: 1, end_line: 2 ** 32 - 1 }).ok).toBe(true);
    expect(valid({ path: '' }).ok).toBe(false);
    expect(valid({ path: 'a', other: 1 }).ok).toBe(false);
    expect(valid({}).ok).toBe(false);
  });

  it('says in its summary what it will read', () => {
    const summary = (args: Record<string, string | number>) =>
      readFileTool.summary(readFileTool.parse(args), (path) => path);
    expect(summary({ path: 'a.txt' })).toBe('Read a.txt');
    expect(summary({ path: 'a.txt', start_line: 3, end_line: 9 })).toBe('Read a.txt [lines 3-9]');
    expect(summary({ path: 'a.txt', start_line: 3 })).toBe('Read a.txt [lines 3-end]');
    expect(summary({ path: 'a.txt', end_line: 9 })).toBe('Read a.txt [lines 1-9]');
  });
});
