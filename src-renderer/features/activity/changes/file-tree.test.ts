import { expect, it } from 'vitest';
import type { ChangedPath } from '#contract/vocabulary/activity/changes.js';
import { buildTreeRows } from './file-tree.js';

const file = (path: string): ChangedPath => ({
  path,
  folder: '/w',
  change: 'modified',
  before: '',
  after: '',
  callIds: [],
  between: false,
  lasting: null,
});

const drawn = (...paths: readonly string[]) =>
  buildTreeRows(paths.map(file)).map(
    ({ kind, depth, name }) => `${'  '.repeat(depth)}${name}${kind === 'folder' ? '/' : ''}`,
  );

it('Each file stands below its folders, each folder once, before the files beside it', () => {
  expect(drawn('b.ts', 'src/z.ts', 'src/deep/er/a.ts', 'a.ts', 'src/deep/b.ts')).toEqual([
    'src/',
    '  deep/',
    '    er/',
    '      a.ts',
    '    b.ts',
    '  z.ts',
    'a.ts',
    'b.ts',
  ]);
});

it('A file and a folder with a like name are told apart, and what comes after a folder is not in it', () => {
  expect(drawn('src/a.ts', 'src2/a.ts', 'src.ts')).toEqual(['src/', '  a.ts', 'src2/', '  a.ts', 'src.ts']);
});
