import type { TreeChanges, FileTree } from './transaction.test-support.js';

/** Edits in two folders, creations in new ones, deletions, an empty file, an executable: everything a call can do. */
export const CRASH_TREE: FileTree = {
  'a.txt': { content: 'one\n', mode: 0o644 },
  'run.sh': { content: '#!/bin/sh\n', mode: 0o4755 },
  'src/deep/b.txt': { content: 'b before\r\n', mode: 0o600 },
  'src/empty': { content: '', mode: 0o644 },
  'src/gone.txt': { content: 'gone before', mode: 0o640 },
  'untouched.txt': { content: 'untouched', mode: 0o644 },
};

export const CRASH_CHANGES: TreeChanges = {
  'a.txt': ['one\n', 'one\ntwo\n'],
  'run.sh': ['#!/bin/sh\n', '#!/bin/sh\ntrue\n'],
  'new/very/deep.txt': [null, 'deep\n'],
  'src/deep/b.txt': ['b before\r\n', 'b after\r\n'],
  'src/empty': ['', 'no longer'],
  'src/gone.txt': ['gone before', null],
  'src/new.txt': [null, ''],
};
