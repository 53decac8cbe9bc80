import { describe, expect, it } from 'vitest';
import type { TransactionManifest, ManifestFile, NodeState } from '../transaction/transaction-manifest.js';
import { chainChanges, takeUnbroken } from './change-chains.js';
import { type RecordedChange, type LiveChanges, findLiveChanges } from './live-changes.js';

const state = (content: string | null, mode = 0o644): NodeState | null =>
  content === null ? null : { kind: 'file', sha256: content, size: 1, mode, uid: 0, gid: 0, image: null };

const file = (path: string, before: string | null, after: string | null, mode?: number): ManifestFile => ({
  root: '/w',
  relative: path,
  asked: path,
  temp: '',
  before: state(before),
  after: state(after, mode),
});

function changed(callId: string, files: readonly ManifestFile[], undoes: readonly string[] = []): RecordedChange {
  const record: TransactionManifest = {
    version: 1,
    callId,
    at: 0,
    segment: 1,
    files,
    folders: [],
    prunes: [],
    order: 0,
  };
  return { callId, undoes, record };
}

/** The latest call of a test stands last; what is asked is given the latest first. */
const standing = (...calls: readonly RecordedChange[]) =>
  findLiveChanges(calls.toReversed()).map((links) => [
    links[0].file.relative,
    links.map(({ record }) => record.callId),
    versions(links),
  ]);

const versions = (links: LiveChanges): readonly [string | null, string | null, boolean] => {
  const { file: merged, broken } = chainChanges(links);
  return [shaOf(merged.before), shaOf(merged.after), broken];
};
const shaOf = (node: NodeState | null) => (node?.kind === 'file' ? node.sha256 : null);

describe('what stands of what calls did', () => {
  it('is one change a file, from before the first to after the last', () => {
    expect(
      standing(changed('c1', [file('a', 'v0', 'v1'), file('b', null, 'b1')]), changed('c2', [file('a', 'v1', 'v2')])),
    ).toEqual([
      ['a', ['c2', 'c1'], ['v0', 'v2', false]],
      ['b', ['c1'], [null, 'b1', false]],
    ]);
  });

  it('says that something else changed it between two of them', () => {
    const calls = [changed('c1', [file('a', 'v0', 'v1')]), changed('c2', [file('a', 'mine', 'v2')])];
    expect(standing(...calls)).toEqual([['a', ['c2', 'c1'], ['v0', 'v2', true]]]);
    const [links] = findLiveChanges(calls.toReversed());
    expect(links === undefined ? [] : takeUnbroken(links).map(({ record }) => record.callId)).toEqual(['c2']);
  });

  it('is nothing where a file is as it was; its rights count', () => {
    expect(standing(changed('c1', [file('a', 'v0', 'v1')]), changed('c2', [file('a', 'v1', 'v0')]))).toEqual([]);
    expect(standing(changed('c1', [file('a', 'v0', 'v0', 0o755)]))).toHaveLength(1);
  });

  it('has not what was undone, of the files that were undone', () => {
    const first = changed('c1', [file('a', 'v0', 'v1'), file('b', 'b0', 'b1')]);
    const second = changed('c2', [file('a', 'v1', 'v2')]);
    expect(standing(first, second, changed('u1', [file('a', 'v2', 'v1')], ['c2']))).toEqual([
      ['a', ['c1'], ['v0', 'v1', false]],
      ['b', ['c1'], ['b0', 'b1', false]],
    ]);
    expect(standing(first, second, changed('u1', [file('a', 'v2', 'v0')], ['c2', 'c1']))).toEqual([
      ['b', ['c1'], ['b0', 'b1', false]],
    ]);
  });

  it('has again what was undone once that is undone itself', () => {
    expect(
      standing(
        changed('c1', [file('a', 'v0', 'v1')]),
        changed('c2', [file('a', 'v1', 'v2')]),
        changed('u1', [file('a', 'v2', 'v0')], ['c2', 'c1']),
        changed('u2', [file('a', 'v0', 'v2')], ['u1']),
      ),
    ).toEqual([['a', ['c2', 'c1'], ['v0', 'v2', false]]]);
  });

  it('takes an undo of what is none of them for a change', () => {
    expect(standing(changed('u1', [file('a', 'v1', 'v0')], ['yesterday']))).toEqual([
      ['a', ['u1'], ['v1', 'v0', false]],
    ]);
  });
});
