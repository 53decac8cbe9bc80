import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/vocabulary/json.js';
import type { OfferedOperation } from '../../../domain/ports/sources/source.js';
import { admitOffer } from './offered-tools.js';

const operation = (name: string, more: Partial<OfferedOperation> = {}): OfferedOperation => ({
  operation: name,
  toolId: null,
  version: '0.0.0',
  title: name,
  description: 'd',
  inputSchema: { type: 'object' },
  outputSchema: null,
  claims: { readOnly: false, destructive: false, idempotent: false, openWorld: true, requiresApproval: false },
  pinned: {},
  timeoutMs: null,
  lifecycle: null,
  ...more,
});

const taken = (operations: readonly OfferedOperation[], include = ['*'], exclude: readonly string[] = []) =>
  admitOffer(
    { ownName: null, operations, refused: [] },
    { source: 'src', settings: { include, exclude: [...exclude] }, maxVersions: 5, warningDays: 90, now: 0 },
  );
const ids = (...asked: Parameters<typeof taken>) => taken(...asked).tools.map(({ toolId }) => toolId);

it('tools get ids of their source, and the second of two that would be equal is marked', () => {
  expect(ids([operation('create issue'), operation('create_issue'), operation('create issue')])).toEqual([
    'src.create_issue',
    expect.stringMatching(/^src\.create_issue_[0-9a-f]{6}$/u),
  ]);
  expect(taken([operation('a'), operation('a', { description: 'other' })]).refused).toEqual([
    expect.objectContaining({ what: 'a', reason: expect.stringContaining('twice') }),
  ]);
});

describe('include and exclude', () => {
  it.each([
    [['*'], [], ['get_a', 'get_b', 'set_a']],
    [['get_*'], [], ['get_a', 'get_b']],
    [['*_a'], ['set*'], ['get_a']],
    [['get_a'], [], ['get_a']],
    [['*e*_*a*'], [], ['get_a', 'set_a']],
    [['get_a*get_a'], [], []],
    [[], [], []],
  ])('%j without %j', (include, exclude, left) => {
    expect(ids([operation('get_a'), operation('get_b'), operation('set_a')], include, exclude)).toEqual(
      left.map((name) => `src.${name}`),
    );
  });
});

it('the first 500 tools by name are taken, and that is said', () => {
  const many = Array.from({ length: 501 }, (_, at) => operation(`op${String(at).padStart(4, '0')}`)).toReversed();
  const { tools, remarks, refused } = taken(many);
  expect(tools).toHaveLength(500);
  expect(tools.some(({ toolId }) => toolId === 'src.op0500')).toBe(false);
  expect(remarks).toEqual([expect.stringContaining('501 tools')]);
  expect(refused).toEqual([]);
});

it.each<[string, Json, RegExp]>([
  ['a remote reference', { properties: { a: { $ref: 'https://x/y' } } }, /refers outside/u],
  ['no object at its top', { type: 'array' }, /no object at its top/u],
  ['no schema', 'x', /no object/u],
])('the tool with %s is refused, and the others are taken', (_what, inputSchema, reason) => {
  const { tools, refused } = taken([operation('bad', { inputSchema }), operation('good')]);
  expect(tools.map(({ toolId }) => toolId)).toEqual(['src.good']);
  expect(refused).toEqual([expect.objectContaining({ what: 'bad', reason: expect.stringMatching(reason) })]);
});

it('a result may be a list as well as an object; one whose schema can’t be checked gets a remark', () => {
  const { tools } = taken([
    operation('list', { outputSchema: { type: 'array', items: { type: 'string' } } }),
    operation('broken', { outputSchema: { type: 'none' } }),
  ]);
  expect(tools.map(({ remarks }) => remarks)).toEqual([[], [expect.stringContaining('aren’t checked')]]);
});

it('the digest is another whenever anything that is accepted is another', () => {
  const digestOf = (more: Partial<OfferedOperation>) => taken([operation('a', more)]).tools[0]?.digest;
  const changes: readonly Partial<OfferedOperation>[] = [
    { description: 'D' },
    { title: 'A' },
    { inputSchema: { type: 'object', properties: { n: { default: 1 } } } },
    { outputSchema: { type: 'object' } },
    { pinned: { url: 'https://elsewhere' } },
    { claims: { readOnly: true, destructive: false, idempotent: false, openWorld: true, requiresApproval: false } },
  ];
  const all = [{}, ...changes].map(digestOf);
  expect(new Set(all).size).toBe(all.length);
  expect(digestOf({ version: '9.9.9' })).toBe(digestOf({}));
});

it('tools of one source are taken up to 8 MB together, and the others are told of', () => {
  const words = 'x'.repeat(2 ** 20);
  const all = Array.from({ length: 12 }, (_, at) => operation(`t${at}`, { description: words }));
  const { tools, refused, remarks } = taken(all);
  expect([tools.length, refused.length]).toEqual([7, 5]);
  expect(refused[0]?.reason).toBe('all that it lists is over 8 MB.');
  expect(remarks).toEqual(['It lists more than 8 MB. 5 tools are left out.']);
});

it('a tool of a file that is refused is told with its place and its code', () => {
  const from = { file: '/m/tool.yaml', line: 3, eCode: 'E3008' };
  const wrong = operation('wrong', { inputSchema: { type: 'string' }, from });
  const [one, other] = ['1', '2'].map((words) =>
    operation('twice', { toolId: 'src.twice', description: words, from: { ...from, line: Number(words) } }),
  );
  const { refused } = taken([wrong, ...(one === undefined || other === undefined ? [] : [one, other])]);
  expect(refused.map(({ what, file, line, eCode }) => [what, file, line, eCode])).toEqual([
    ['wrong', '/m/tool.yaml', 3, 'E3008'],
    ['twice', '/m/tool.yaml', 2, 'E3007'],
  ]);
});
