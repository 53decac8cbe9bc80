import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NOT_PINNED } from '../../../domain/ports/sources/source.js';
import {
  type AcceptedSource,
  serializeAccepted,
  isOtherServer,
  NOTHING_ACCEPTED,
  type CurrentOffer,
  readAccepted,
  buildReview,
  acceptTools,
  addSeenFiles,
  acceptFirstSeen,
} from './source-acceptance.js';
import type { OfferedTool } from './offered-tools.js';

const tool = (key: string, digest = key): OfferedTool => ({
  key,
  toolId: key,
  digest,
  lifecycle: 'active',
  remarks: [],
  operation: {
    operation: key,
    toolId: null,
    version: '0.0.0',
    title: key,
    description: '',
    inputSchema: {},
    outputSchema: null,
    claims: { readOnly: false, destructive: false, idempotent: false, openWorld: true, requiresApproval: false },
    pinned: {},
    timeoutMs: null,
    lifecycle: null,
  },
});
const offering = (identity: JsonObject, ...tools: readonly OfferedTool[]): CurrentOffer => ({
  server: { identity, ownName: 'own' },
  tools,
});
const [MINE, OTHER] = [{ command: 'mine' }, { command: 'other' }];
const accepted: AcceptedSource = acceptFirstSeen(NOTHING_ACCEPTED, offering(MINE, tool('a'), tool('b')), {
  kind: 'mcp',
  mayBeWritten: () => false,
});
const keysOf = ({ tools }: AcceptedSource): readonly string[] => [...tools.keys()];
const noName = () => null;
const mayBeWritten = (path: string): boolean => path.startsWith('/open/');
const SEEN = { kind: 'mcp', mayBeWritten } as const;

it('what another server offers is not accepted for being seen first', () => {
  expect(acceptFirstSeen(accepted, offering(OTHER, tool('new')), SEEN)).toBe(accepted);
  const renamed = { ...offering(MINE, tool('new')), server: { identity: MINE, ownName: 'x' } };
  expect(acceptFirstSeen(accepted, renamed, SEEN)).toBe(accepted);
  const more = acceptFirstSeen(accepted, offering(MINE, tool('a', 'changed'), tool('new')), SEEN);
  expect([keysOf(more), more.tools.get('a')?.digest]).toEqual([['a', 'b', 'new'], 'a']);
  expect(acceptFirstSeen(accepted, offering(MINE, tool('a'), tool('b')), SEEN)).toBe(accepted);
});

it('a yes is to what was chosen, and to another server none to what was accepted of the one before', () => {
  const chosen = acceptTools(
    accepted,
    offering(MINE, tool('a', 'changed'), tool('b', 'changed')),
    new Set(['a']),
    mayBeWritten,
  );
  expect(['a', 'b'].map((key) => chosen.tools.get(key)?.digest)).toEqual(['changed', 'b']);
  const moved = acceptTools(accepted, offering(OTHER, tool('a'), tool('c')), new Set(['c']), mayBeWritten);
  expect([keysOf(moved), moved.server?.identity]).toEqual([['c'], OTHER]);
});

it('what is reviewed is all that differs, the server with it, and its digest is of that', () => {
  const of = (offered: CurrentOffer) => buildReview('src', accepted, offered, noName, mayBeWritten);
  expect(of(offering(MINE, tool('a'), tool('b'))).tools).toEqual([]);
  const [changed, another] = [of(offering(MINE, tool('a', 'x'), tool('b'))), of(offering(OTHER, tool('a'), tool('b')))];
  expect(changed.tools.map(({ toolId, change }) => [toolId, change])).toEqual([['a', 'changed']]);
  // Of another server each tool is another, whatever it calls itself.
  expect(another.tools.map(({ change }) => change)).toEqual(['changed', 'changed']);
  const third = of(offering({ command: 'third' }, tool('a'), tool('b')));
  expect(new Set([changed.digest, another.digest, third.digest]).size).toBe(3);
  const gone = of(offering(MINE, tool('a'), tool('c')));
  expect(gone.tools.map(({ toolId, change }) => [toolId, change])).toEqual([
    ['c', 'new'],
    ['b', 'gone'],
  ]);
});

it('a server is another by its identity, by what it calls itself once that is known, and by its files', () => {
  const { server } = accepted;
  const isOther = (was: AcceptedSource['server'], now: JsonObject, offered: CurrentOffer | null = null): boolean =>
    isOtherServer(was, now, offered, mayBeWritten);
  expect(isOther(null, OTHER)).toBe(false);
  expect(isOther(server, MINE)).toBe(false);
  expect(isOther(server, OTHER)).toBe(true);
  expect(isOther(server, MINE, { ...offering(MINE), server: { identity: MINE, ownName: 'x' } })).toBe(true);
  expect(isOther(server, { ...MINE, files: { '/open/x.mjs': 'd' } }), 'a file where tools may write').toBe(true);
  expect(isOther(server, { ...MINE, files: { '/own/x.mjs': 'd' } }), 'a file where none may').toBe(false);
  for (const path of ['/open/x.mjs', '/own/x.mjs']) {
    const withFile = { identity: { ...MINE, files: { [path]: 'd' } }, ownName: 'own' };
    expect(isOther(withFile, { ...MINE, files: { [path]: 'd' } })).toBe(false);
    expect(isOther(withFile, { ...MINE, files: { [path]: 'e' } }), `${path} changed`).toBe(true);
    expect(isOther(withFile, MINE), `${path} is gone`).toBe(true);
  }
});

it('a server that could not be pinned is another where a reason is new that the yes did not name', () => {
  const named = { identity: { ...MINE, [NOT_PINNED]: ['one', 'two'] }, ownName: 'own' };
  const isOther = (...reasons: readonly string[]): boolean =>
    isOtherServer(named, { ...MINE, [NOT_PINNED]: [...reasons] }, null, mayBeWritten);
  expect([isOther(), isOther('one'), isOther('two', 'one'), isOther('one', 'three')]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  const never = offering({ ...MINE, [NOT_PINNED]: ['one'] }, tool('a'));
  expect(acceptFirstSeen(NOTHING_ACCEPTED, never, SEEN)).toBe(NOTHING_ACCEPTED);
});

it('“first” is for what a server says: not for files that tools may write to, nor for a manifest that comes later', () => {
  const at = (path: string): CurrentOffer => offering({ ...MINE, files: { [path]: 'd' } }, tool('a'));
  for (const kind of ['openapi', 'langchain', 'program'] as const) {
    expect(acceptFirstSeen(NOTHING_ACCEPTED, at('/open/x.json'), { kind, mayBeWritten }), kind).toBe(NOTHING_ACCEPTED);
    expect(keysOf(acceptFirstSeen(NOTHING_ACCEPTED, at('/own/x.json'), { kind, mayBeWritten })), kind).toEqual(['a']);
  }
  expect(keysOf(acceptFirstSeen(NOTHING_ACCEPTED, at('/open/x.mjs'), SEEN))).toEqual(['a']);
  const later = offering(MINE, tool('a'), tool('b'), tool('later'));
  expect(acceptFirstSeen(accepted, later, { kind: 'program', mayBeWritten })).toBe(accepted);
});

it('a file that is seen where no tool may write is what it is compared with from then on', () => {
  const seen = addSeenFiles(accepted, { ...MINE, files: { '/own/x.mjs': 'd' } });
  expect(seen?.server?.identity).toEqual({ ...MINE, files: { '/own/x.mjs': 'd' } });
  expect(addSeenFiles(seen ?? accepted, { ...MINE, files: { '/own/x.mjs': 'e' } })).toBe(null);
});

it('what was accepted is kept whole; what can’t be read was not accepted', () => {
  expect(readAccepted(serializeAccepted(accepted))).toEqual(accepted);
  for (const text of [null, '', '[]', '{"server":{}}', '{"server":[],"tools":[]}', '{"server":{},"tools":['])
    expect(readAccepted(text)).toBe(NOTHING_ACCEPTED);
  const half = JSON.parse(serializeAccepted(accepted)) as { tools: Record<string, unknown>[] };
  delete half.tools[0]?.['digest'];
  expect(keysOf(readAccepted(JSON.stringify(half)))).toEqual(['b']);
});
