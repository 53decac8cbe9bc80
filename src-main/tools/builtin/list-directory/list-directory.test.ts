import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { findSchemaProblems } from '../../registry/schema-rules.js';
import { listDirectoryTool } from './handler.js';

const codeOf = (args: Parameters<typeof listDirectoryTool.parse>[0]): string => {
  try {
    listDirectoryTool.parse(args);
    return 'ok';
  } catch (error) {
    return error instanceof ToolFailure ? error.failure.code : 'thrown';
  }
};

describe('list_directory: declaration and arguments', () => {
  it('has schemas that obey the rules', () => {
    expect(findSchemaProblems(listDirectoryTool.declaration.inputSchema)).toEqual([]);
    expect(findSchemaProblems(listDirectoryTool.declaration.outputSchema)).toEqual([]);
  });

  it('refuses arguments that contradict each other', () => {
    expect(codeOf({ path: 'a' })).toBe('ok');
    expect(codeOf({ path: ' ' })).toBe('BadArgs');
    expect(codeOf({ path: 'a', max_depth: 1 })).toBe('ok');
    expect(codeOf({ path: 'a', max_depth: 2 })).toBe('BadArgs');
    expect(codeOf({ path: 'a', max_depth: 2, recursive: true })).toBe('ok');
    const nothing = { include_files: false, include_dirs: false, include_symlinks: false };
    expect(codeOf({ path: 'a', ...nothing })).toBe('BadArgs');
    expect(codeOf({ path: 'a', ...nothing, include_other: true })).toBe('BadArgs');
  });

  it('says in its summary what it will list', () => {
    const summary = (args: Parameters<typeof listDirectoryTool.parse>[0]) =>
      listDirectoryTool.summary(listDirectoryTool.parse(args), (path) => path);
    expect(summary({ path: 'src' })).toBe('List src');
    expect(summary({ path: 'src', recursive: true, max_depth: 3 })).toBe('List src [depth 3]');
  });
});
