import { describe, expect, it } from 'vitest';
import { findSchemaProblems } from '../../registry/schema-rules.js';
import { applyPatchTool } from './handler.js';

const summaryOf = (patch: string) => applyPatchTool.summary(applyPatchTool.parse({ patch }), (path) => path);

describe('apply_patch, without a file system', () => {
  it('declares sound schemas', () => {
    expect(findSchemaProblems(applyPatchTool.declaration.inputSchema)).toEqual([]);
    expect(findSchemaProblems(applyPatchTool.declaration.outputSchema)).toEqual([]);
  });

  it('says in its summary which files it is about', () => {
    expect(summaryOf('LP1\nF src/a.ts\nT\nx\n.\nF "b c"\nT\nx\n.\nF ./src/a.ts\nN -\nEND')).toBe(
      'Edit 2 files: src/a.ts, b c',
    );
    expect(summaryOf('nonsense')).toBe('Edit files (the patch can’t be read)');
  });

  it('leaves the patch to its own limit, counted in bytes', () => {
    expect(applyPatchTool.argumentsBoundedElsewhere).toEqual(['patch']);
    expect(applyPatchTool.parse({ patch: 'é' })).toMatchObject({ bytes: 2 });
  });
});
