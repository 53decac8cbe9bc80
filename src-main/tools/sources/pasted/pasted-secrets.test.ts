import { describe, expect, it } from 'vitest';
import { read, one } from './read-pasted.test-support.js';

describe('secrets', () => {
  const token = `ghp_${'Zz9'.repeat(12)}`;

  it('are taken out of what the window is given, and named', () => {
    const pasted = read(
      JSON.stringify({
        mcpServers: {
          GitHub: { command: 'npx', args: ['gh'], env: { GITHUB_TOKEN: token, LOG_LEVEL: 'debug' } },
          n: { url: 'https://n.example/mcp', headers: { Authorization: `Bearer ${token}`, Accept: '*/*' } },
        },
      }),
    );
    expect(JSON.stringify(pasted.sources)).not.toContain('Zz9Zz9');
    expect(pasted.sources[0]?.settings?.env).toEqual({ GITHUB_TOKEN: 'secret:github-token', LOG_LEVEL: 'debug' });
    expect(pasted.sources[0]?.secrets).toEqual([
      { in: 'env', of: 'GITHUB_TOKEN', secret: 'github-token', shown: 'ghp_… (40 characters)' },
    ]);
    expect(pasted.sources[1]?.settings?.headers).toEqual({
      Authorization: 'Bearer secret:n-authorization',
      Accept: '*/*',
    });
    expect(pasted.values).toEqual(
      new Map([
        ['github-token', token],
        ['n-authorization', token],
      ]),
    );
  });

  it('are found by what they look like, too', () => {
    const { settings } = one(
      JSON.stringify({ mcpServers: { db: { command: 'pg', env: { DB: 'postgres://ada:hunter22@h/db', X: token } } } }),
    );
    expect(settings?.env).toEqual({ DB: 'secret:db', X: 'secret:db-x' });
  });

  it('of different values have different names', () => {
    const { sources, values } = read(
      JSON.stringify({
        mcpServers: {
          a: { command: 'x', env: { A_TOKEN: 'one-of-them-1' } },
          'a ': { command: 'x', env: { A_TOKEN: 'another-one-2' } },
        },
      }),
    );
    expect(new Set(sources.flatMap(({ secrets }) => secrets.map(({ secret }) => secret))).size).toBe(2);
    expect([...values.values()]).toEqual(['one-of-them-1', 'another-one-2']);
  });

  it('that are only a place have to be given', () => {
    const text = `{
      "inputs": [{"type": "promptString", "id": "perplexity-key", "password": true, "description": "API key"}],
      "servers": {"p": {"command": "npx", "args": ["p"], "env": {"A": "\${input:perplexity-key}", "B_API_KEY": "<YOUR_API_KEY>"}}}
    }`;
    expect(one(text).secrets).toEqual([
      { in: 'env', of: 'A', secret: 'perplexity-key', shown: null },
      { in: 'env', of: 'B_API_KEY', secret: 'p-b-api-key', shown: null },
    ]);
  });

  it('in an argument or an address are told, and shown in part', () => {
    const { settings, notes } = one(
      JSON.stringify({ mcpServers: { n: { command: 'npx', args: ['n', '--api-key', token] } } }),
    );
    expect(settings).toBeNull();
    expect(notes.join()).toMatch(/key stands in its command line/);
    expect(notes.join()).not.toContain(token);
    const remote = one(JSON.stringify({ mcpServers: { n: { url: `https://n.example/mcp?token=${token}` } } }));
    expect(remote.settings).toBeNull();
    expect(remote.notes.join()).not.toContain(token);
  });

  it('are not seen in what only sounds like one', () => {
    const env = {
      KEYBOARD: 'us',
      TOKENIZERS_PARALLELISM: 'false',
      API_KEY_FILE: '/run/key',
      MAX_TOKENS: '4096',
      KEY: '',
    };
    const { settings, secrets } = one(JSON.stringify({ mcpServers: { n: { command: 'x', env } } }));
    expect(settings?.env).toEqual(env);
    expect(secrets).toEqual([]);
  });
});

describe('what other programs fill in', () => {
  it.each(['${env:NOTES_HOME}', '${NOTES_HOME}', '$NOTES_HOME', '{env:NOTES_HOME}', '${NOTES_HOME:-/tmp}'])(
    'takes %s as a place for what the person gives, and says which variable is meant',
    (value) => {
      const { settings, secrets, notes } = one(
        JSON.stringify({ mcpServers: { n: { command: 'x', env: { A: value } } } }),
      );
      expect(settings?.env).toEqual({ A: 'secret:n-a' });
      expect(secrets).toEqual([{ in: 'env', of: 'A', secret: 'n-a', shown: null }]);
      expect(notes.join()).toContain('your variable NOTES_HOME');
    },
  );

  it('knows the home folder, and says what it does not know', () => {
    const known = one('{"mcpServers": {"n": {"command": "~/bin/x", "args": ["${userHome}/a", "${HOME}/b", "~/c"]}}}');
    expect(known.settings).toMatchObject({
      command: '/home/ada/bin/x',
      args: ['/home/ada/a', '/home/ada/b', '/home/ada/c'],
    });
    const unknown = one('{"servers": {"n": {"command": "x", "args": ["${workspaceFolder}/a"]}}}');
    expect(unknown.settings).toBeNull();
    expect(unknown.notes.join()).toContain('${workspaceFolder}');
  });

  it('asks for the variables that Codex passes', () => {
    const { settings, secrets } = one('[mcp_servers.n]\ncommand = "x"\nenv_vars = ["A", "B"]\n');
    expect(settings?.env).toEqual({ A: 'secret:n-a', B: 'secret:n-b' });
    expect(secrets.map(({ of, shown }) => [of, shown])).toEqual([
      ['A', null],
      ['B', null],
    ]);
  });
});

describe('a reference that others wrote', () => {
  const SPELLINGS = [
    'secret:github',
    'Bearer secret:github',
    'a longer text with secret:github in it',
    '  secret:github  ',
    'SECRET:github',
    'Secret : github',
    'ſecret:github',
    'ｓｅｃｒｅｔ：github',
    'sec\u200bret:github',
    'secret%3Agithub',
    'secret%253Agithub',
    '%73ecret:github',
    'x;secret:github',
    'env:ANTHROPIC_API_KEY',
    'Token env:ANTHROPIC_API_KEY',
    'vault:team/github#token',
    'sign-in:tracker',
    'secret:model:https:api.anthropic.com:443',
    'secret:gatehouse:sign-in:tracker:refresh',
    'secret:gatehouse:journal-head',
    'secret:gatehouse:sealing',
  ];
  it.each(SPELLINGS)('%j names a key of the person’s, so the server is not taken', (value) => {
    for (const entry of [
      { url: 'https://docs.example/mcp', headers: { 'X-Session': value } },
      { url: 'https://docs.example/mcp', http_headers: { 'X-Session': value } },
      { command: 'x', env: { SESSION: value } },
      { command: 'x', environment: { SESSION: value } },
    ]) {
      const { settings, notes } = one(JSON.stringify({ mcpServers: { docs: entry } }));
      expect(settings).toBeNull();
      expect(notes.join()).toContain('names a key of yours');
    }
  });

  it.each(['${GITHUB_TOKEN:-secret:github}', 'Bearer ${GITHUB_TOKEN}', '{env:GITHUB_TOKEN}'])(
    '%j gives no variable of the person’s',
    (value) => {
      const { settings } = one(
        JSON.stringify({ mcpServers: { docs: { url: 'https://d.example', headers: { A: value } } } }),
      );
      expect(settings?.headers?.['A']).toMatch(/^(?:Bearer )?secret:docs-a$/u);
    },
  );

  it.each([
    'production',
    'https://example.com/secrets',
    'node:env',
    'my-secret',
    'environment: test',
    'the secret: none',
  ])('%j is only text, or close enough to one to be refused', (value) => {
    const { settings } = one(JSON.stringify({ mcpServers: { n: { command: 'x', env: { MODE: value } } } }));
    if (settings !== null) expect(settings.env).toEqual({ MODE: value });
    expect(settings === null).toBe(value === 'the secret: none');
  });
});
