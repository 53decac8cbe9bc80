import { expect, it } from 'vitest';
import { EMPTY_FORM, type FormValues, readForm } from './form-values.js';
import { NO_REACH } from './reach.js';

const form = (more: Partial<FormValues>) => readForm({ ...EMPTY_FORM, name: 'notes', ...more }, ['github']);
const settings = (more: Partial<FormValues>) => {
  const read = form(more);
  return read.ok ? read.source.settings : read.problems;
};

it('writes what each kind needs, and nothing that was left as it is', () => {
  expect(settings({ what: 'npx -y "my server"' })).toEqual({ kind: 'mcp', command: 'npx', args: ['-y', 'my server'] });
  expect(settings({ kind: 'mcp-remote', what: ' https://n.example/mcp ' })).toEqual({
    kind: 'mcp',
    url: 'https://n.example/mcp',
  });
  expect(settings({ kind: 'openapi', what: 'api.yaml', baseUrl: 'https://n.example' })).toEqual({
    kind: 'openapi',
    file: 'api.yaml',
    base_url: 'https://n.example',
  });
  expect(settings({ kind: 'openapi', what: 'https://n.example/api.json' })).toEqual({
    kind: 'openapi',
    url: 'https://n.example/api.json',
  });
  expect(settings({ kind: 'program', what: 'tools/' })).toEqual({ kind: 'program', manifest: 'tools/' });
  expect(
    settings({
      what: 'x',
      folder: '/srv',
      approval: 'annotations',
      reach: { network: 'hosts', hosts: 'api.example.com, localhost:80', filesystem: 'read' },
    }),
  ).toEqual({
    kind: 'mcp',
    command: 'x',
    cwd: '/srv',
    approval: 'annotations',
    network: ['api.example.com', 'localhost:80'],
    filesystem: 'read',
  });
  expect(settings({ what: 'x', reach: { ...NO_REACH, network: 'any' } })).toMatchObject({ network: ['*'] });
});

it('gives keys by reference alone', () => {
  const read = form({
    what: 'x',
    given: [
      { key: 1, name: 'NOTES_TOKEN', as: 'key', value: 'abc' },
      { key: 2, name: 'A', as: 'kept', value: 'github-token' },
      { key: 3, name: 'B', as: 'environment', value: 'B_KEY' },
      { key: 4, name: 'C', as: 'text', value: '' },
      { key: 5, name: ' ', as: 'text', value: 'left out' },
    ],
  });
  expect(read).toEqual({
    ok: true,
    source: {
      name: 'notes',
      settings: {
        kind: 'mcp',
        command: 'x',
        env: { NOTES_TOKEN: 'secret:notes-token', A: 'secret:github-token', B: 'env:B_KEY', C: '' },
      },
      secrets: [{ name: 'notes-token', value: 'abc' }],
    },
  });
});

it('says what is wrong, field by field', () => {
  for (const name of ['', 'A', '-a', 'gatehouse', 'github', 'a'.repeat(33)]) {
    expect(settings({ name, what: 'x' })).toMatchObject({ name: expect.any(String) });
  }
  expect(settings({ what: ' ' })).toMatchObject({ what: expect.stringContaining('command') });
  for (const what of ['', 'n.example', 'file:///etc/passwd', 'https://a:b@n.example']) {
    expect(settings({ kind: 'mcp-remote', what })).toMatchObject({ what: expect.any(String) });
  }
  expect(settings({ kind: 'openapi', what: 'a.json', baseUrl: 'x' })).toMatchObject({ baseUrl: expect.any(String) });
  expect(settings({ what: 'x', reach: { network: 'hosts', hosts: '', filesystem: 'none' } })).toMatchObject({
    reach: expect.any(String),
  });
  expect(settings({ what: 'x', reach: { network: 'hosts', hosts: 'http://a', filesystem: 'none' } })).toMatchObject({
    reach: expect.stringContaining('http://a'),
  });
  const row = { name: 'A', as: 'text', value: 'x' } as const;
  expect(
    settings({
      what: 'x',
      given: [
        { key: 1, ...row },
        { key: 2, ...row },
      ],
    }),
  ).toMatchObject({ given: expect.any(String) });
  expect(settings({ what: 'x', given: [{ key: 1, name: 'A', as: 'key', value: ' ' }] })).toMatchObject({
    given: expect.any(String),
  });
});
