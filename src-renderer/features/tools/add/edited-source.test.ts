import { expect, it } from 'vitest';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { toForm, hasOtherIdentity, applyEdits } from './edited-source.js';
import { type FormValues, readForm } from './form-values.js';

const edited = (was: SourceSettings, change: Partial<FormValues> = {}): SourceSettings => {
  const read = readForm({ ...toForm('notes', was), ...change }, []);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return applyEdits(was, read.source.settings);
};

it.each<SourceSettings>([
  {
    kind: 'mcp',
    command: 'npx',
    args: ['-y', 'my server', "it's"],
    cwd: '/srv',
    env: { A: 'secret:a', B: 'env:B', C: 'plain', D: 'Bearer secret:d' },
    enabled: false,
    include: ['a', 'b*'],
    exclude: [],
    definitions: 'first',
    approval: 'ask',
    timeout_seconds: 0.5,
    start: 'with-app',
    network: ['a.example:443'],
    filesystem: 'none',
    elicitation: true,
    sampling: false,
  },
  { kind: 'mcp', command: 'x', network: ['*'], filesystem: 'write', include: ['*'] },
  { kind: 'mcp', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer secret:x' } },
  { kind: 'openapi', file: 'api.yaml', base_url: 'https://x.example', start: 'with-app' },
  { kind: 'langchain', url: 'https://x.example/chain', enabled: true },
  { kind: 'program', manifest: 'tools/', credentials: { key: 'env:KEY' } },
])('what is not touched stays as it is: %j', (was) => {
  expect(edited(was)).toEqual(was);
  expect(hasOtherIdentity(was, edited(was))).toBe(false);
});

it('what is touched changes, and what is no longer meant goes', () => {
  const was: SourceSettings = { kind: 'mcp', command: 'x', network: ['a.example'], timeout_seconds: 5, enabled: false };
  expect(edited(was, { seconds: '', reach: { network: 'none', hosts: '', filesystem: 'read' } })).toEqual({
    kind: 'mcp',
    command: 'x',
    filesystem: 'read',
    enabled: false,
  });
  expect(
    edited({ ...was, sampling: true, elicitation: true }, { kind: 'mcp-remote', what: 'https://x.example/' }),
  ).toEqual({
    kind: 'mcp',
    url: 'https://x.example/',
    timeout_seconds: 5,
    enabled: false,
    sampling: true,
    elicitation: true,
  });
  expect(edited(was, { kind: 'program', what: 'm.yaml' })).toEqual({
    kind: 'program',
    manifest: 'm.yaml',
    timeout_seconds: 5,
    enabled: false,
  });
});

it('says when it is another server to what was accepted, and only then', () => {
  const was: SourceSettings = { kind: 'mcp', command: 'x', args: ['a'], env: { A: 'secret:a' } };
  for (const change of [
    { what: 'x b' },
    { folder: '/srv' },
    { given: [] },
    { kind: 'mcp-remote', what: 'https://x.example/' },
  ] as const)
    expect(hasOtherIdentity(was, edited(was, change)), JSON.stringify(change)).toBe(true);
  for (const change of [
    { given: [{ key: 1, name: 'A', as: 'environment', value: 'A' }] },
    { seconds: '5' },
    { approval: 'annotations' },
    { include: 'a' },
  ] as const)
    expect(hasOtherIdentity(was, edited(was, change)), JSON.stringify(change)).toBe(false);
});
