import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import {
  type Accepted,
  acceptedText,
  isOtherServer,
  NOTHING_ACCEPTED,
  type OfferedNow,
  readAccepted,
  reviewOf,
  withAccepted,
  withFirstSeen,
} from './accepted.js';
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
const offering = (identity: JsonObject, ...tools: readonly OfferedTool[]): OfferedNow => ({
  server: { identity, ownName: 'own' },
  tools,
});
const [MINE, OTHER] = [{ command: 'mine' }, { command: 'other' }];
const accepted: Accepted = withFirstSeen(NOTHING_ACCEPTED, offering(MINE, tool('a'), tool('b')));
const keysOf = ({ tools }: Accepted): readonly string[] => [...tools.keys()];
const noName = () => null;

it('what another server offers is not accepted for being seen first', () => {
  expect(withFirstSeen(accepted, offering(OTHER, tool('new')))).toBe(accepted);
  expect(withFirstSeen(accepted, { ...offering(MINE, tool('new')), server: { identity: MINE, ownName: 'x' } })).toBe(
    accepted,
  );
  const more = withFirstSeen(accepted, offering(MINE, tool('a', 'changed'), tool('new')));
  expect([keysOf(more), more.tools.get('a')?.digest]).toEqual([['a', 'b', 'new'], 'a']);
  expect(withFirstSeen(accepted, offering(MINE, tool('a'), tool('b')))).toBe(accepted);
});

it('a yes is to what was chosen, and to another server none to what was accepted of the one before', () => {
  const chosen = withAccepted(accepted, offering(MINE, tool('a', 'changed'), tool('b', 'changed')), new Set(['a']));
  expect(['a', 'b'].map((key) => chosen.tools.get(key)?.digest)).toEqual(['changed', 'b']);
  const moved = withAccepted(accepted, offering(OTHER, tool('a'), tool('c')), new Set(['c']));
  expect([keysOf(moved), moved.server?.identity]).toEqual([['c'], OTHER]);
});

it('what is reviewed is all that differs, the server with it, and its digest is of that', () => {
  const of = (offered: OfferedNow) => reviewOf('src', accepted, offered, noName);
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
  expect(isOtherServer(null, OTHER, null)).toBe(false);
  expect(isOtherServer(server, MINE, null)).toBe(false);
  expect(isOtherServer(server, OTHER, null)).toBe(true);
  expect(isOtherServer(server, MINE, { ...offering(MINE), server: { identity: MINE, ownName: 'x' } })).toBe(true);
  expect(isOtherServer(server, { ...MINE, files: { '/open/x.mjs': 'd' } }, null), 'a file came into reach').toBe(true);
  const withFile = { identity: { ...MINE, files: { '/open/x.mjs': 'd' } }, ownName: 'own' };
  expect(isOtherServer(withFile, { ...MINE, files: { '/open/x.mjs': 'e' } }, null)).toBe(true);
  expect(isOtherServer(withFile, MINE, null), 'its folder is closed').toBe(false);
});

it('is kept whole; what can’t be read was not accepted', () => {
  expect(readAccepted(acceptedText(accepted))).toEqual(accepted);
  for (const text of [null, '', '[]', '{"server":{}}', '{"server":[],"tools":[]}', '{"server":{},"tools":['])
    expect(readAccepted(text)).toBe(NOTHING_ACCEPTED);
  const half = JSON.parse(acceptedText(accepted)) as { tools: Record<string, unknown>[] };
  delete half.tools[0]?.['digest'];
  expect(keysOf(readAccepted(JSON.stringify(half)))).toEqual(['b']);
});
