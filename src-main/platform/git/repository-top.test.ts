import { expect, it } from 'vitest';
import { findOutermost } from './repository-top.js';

it.each([
  ['/w', ['/w'], '/w'],
  ['/w/sub', ['/w/sub', '/w'], '/w'],
  ['/w/sub/deep', ['/w/sub'], '/w/sub'],
  ['/www', ['/w'], null],
  ['/w', ['/w/sub'], null],
  ['/w', ['/'], '/'],
  ['/w', [], null],
])('of the folders that hold %s, in %j, the one furthest out is %j', (folder, among, found) => {
  expect(findOutermost(folder, among)).toBe(found);
});
