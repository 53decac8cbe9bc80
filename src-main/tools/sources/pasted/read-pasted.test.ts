import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPasted } from './read-pasted.js';
import { AROUND, read, one } from './read-pasted.test-support.js';

const problemOf = (text: string): string => {
  const pasted = readPasted(text, AROUND);
  expect(pasted.ok).toBe(false);
  return pasted.ok ? '' : pasted.problem;
};

describe('where the servers of each program stand', () => {
  const everything = {
    kind: 'mcp',
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-everything'],
  };
  const entry = '{"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]}';
  it.each([
    ['Claude Desktop, Cursor, Gemini CLI, Qwen Code, Cline', `{"mcpServers": {"everything": ${entry}}}`],
    ['VS Code', `{"inputs": [], "servers": {"everything": ${entry.replace('{', '{"type": "stdio", ')}}}`],
    ['VS Code’s settings', `{"editor.tabSize": 2, "mcp": {"servers": {"everything": ${entry}}}}`],
    ['Zed', `{"context_servers": {"everything": ${entry.replace('{', '{"source": "custom", ')}}}`],
    [
      'an older Zed',
      `{"context_servers": {"everything": {"command": {"path": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"], "env": null}, "settings": {}}}}`,
    ],
    [
      'opencode',
      '{"$schema": "https://opencode.ai/config.json", "mcp": {"everything": {"type": "local", "command": ["npx", "-y", "@modelcontextprotocol/server-everything"], "enabled": true}}}',
    ],
    ['Codex', '[mcp_servers.everything]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-everything"]\n'],
    [
      'goose',
      'extensions:\n  everything:\n    type: stdio\n    cmd: npx\n    args: [-y, "@modelcontextprotocol/server-everything"]\n    enabled: true\n',
    ],
    [
      'Continue',
      'name: mine\nmcpServers:\n  - name: everything\n    command: npx\n    args:\n      - -y\n      - "@modelcontextprotocol/server-everything"\n',
    ],
    ['Claude Code, of one folder', `{"projects": {"/w": {"mcpServers": {"everything": ${entry}}}}}`],
    ['only the servers', `{"everything": ${entry}}`],
    ['a part of a file', `"mcpServers": {"everything": ${entry}},`],
    ['the inside of that part', `"everything": ${entry}`],
    ['comments and a comma after the last', `{ // mine\n "mcpServers": {"everything": ${entry},},}`],
    ['a byte order mark', `\uFEFF{"mcpServers": {"everything": ${entry}}}`],
  ])('%s', (_, text) => {
    expect(one(text)).toMatchObject({ name: 'everything', calledThere: 'everything', settings: everything, notes: [] });
  });

  it('takes a single server, a command line and an address, and gives them a name', () => {
    expect(one(entry)).toMatchObject({ name: 'server-everything', settings: everything });
    expect(one('npx -y @modelcontextprotocol/server-everything')).toMatchObject({
      name: 'server-everything',
      settings: everything,
    });
    expect(one(`uvx mcp-server-time --local-timezone 'Europe/Berlin'`)).toMatchObject({
      name: 'mcp-server-time',
      settings: { command: 'uvx', args: ['mcp-server-time', '--local-timezone', 'Europe/Berlin'] },
    });
    expect(one('https://mcp.example.com/mcp')).toMatchObject({
      name: 'mcp-example-com',
      settings: { kind: 'mcp', url: 'https://mcp.example.com/mcp' },
    });
  });

  it('takes what is typed for Claude Code', () => {
    expect(one('claude mcp add --scope user time -- uvx mcp-server-time')).toMatchObject({
      name: 'time',
      settings: { command: 'uvx', args: ['mcp-server-time'] },
    });
    expect(one('claude mcp add --transport http notes https://notes.example/mcp')).toMatchObject({
      name: 'notes',
      settings: { url: 'https://notes.example/mcp' },
    });
    const { settings, secrets } = one(`claude mcp add gh -e GITHUB_TOKEN=ghp_${'a'.repeat(36)} -- npx gh-server`);
    expect(settings).toMatchObject({ command: 'npx', env: { GITHUB_TOKEN: 'secret:gh-github-token' } });
    expect(secrets).toHaveLength(1);
  });
});

describe('servers elsewhere', () => {
  it.each([
    ['VS Code', '{"servers": {"n": {"type": "http", "url": "https://n.example/mcp"}}}'],
    ['Cline', '{"mcpServers": {"n": {"type": "streamableHttp", "url": "https://n.example/mcp"}}}'],
    ['Gemini CLI', '{"mcpServers": {"n": {"httpUrl": "https://n.example/mcp"}}}'],
    ['Windsurf', '{"mcpServers": {"n": {"serverUrl": "https://n.example/mcp"}}}'],
    ['opencode', '{"mcp": {"n": {"type": "remote", "url": "https://n.example/mcp"}}}'],
    ['goose', 'extensions:\n  n:\n    type: streamable_http\n    uri: https://n.example/mcp\n    enabled: true\n'],
  ])('of %s', (_, text) => {
    expect(one(text).settings).toEqual({ kind: 'mcp', url: 'https://n.example/mcp' });
  });

  it('takes Codex’ ways to name what is sent, without the variables of the person', () => {
    const text =
      '[mcp_servers.n]\nurl = "https://n.example/mcp"\nbearer_token_env_var = "N_TOKEN"\nhttp_headers = { "X-Team" = "blue" }\nenv_http_headers = { "X-User" = "N_USER" }\n';
    const { settings, secrets, notes } = one(text);
    expect(settings?.headers).toEqual({
      'X-Team': 'blue',
      'X-User': 'secret:n-x-user',
      Authorization: 'Bearer secret:n-authorization',
    });
    expect(secrets.map(({ of, shown }) => [of, shown])).toEqual([
      ['X-User', null],
      ['Authorization', null],
    ]);
    expect(notes.join(' ')).toMatch(
      /X-User is to be your variable N_USER.*Authorization is to be your variable N_TOKEN/u,
    );
  });

  it('takes the address behind a bridge that would fetch it', () => {
    const { settings, notes } = one(
      '{"mcpServers": {"n": {"command": "npx", "args": ["-y", "mcp-remote@latest", "https://n.example/mcp"]}}}',
    );
    expect(settings).toEqual({ kind: 'mcp', url: 'https://n.example/mcp' });
    expect(notes.join()).toContain('mcp-remote');
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'http://user:pw@n.example/mcp', 'n.example/mcp'])(
    'refuses the address %s',
    (url) => {
      const { settings, notes } = one(JSON.stringify({ mcpServers: { n: { url } } }));
      expect(settings).toBeNull();
      expect(notes.join()).toMatch(/address/);
      expect(notes.join()).not.toContain('pw@');
    },
  );
});

describe('what is told', () => {
  it('says what is not taken over, and never takes a yes given elsewhere', () => {
    const { settings, notes } = one(
      JSON.stringify({
        mcpServers: {
          n: { command: 'x', cwd: '~/n', trust: true, autoApprove: ['a'], envFile: '.env', gallery: true },
        },
      }),
    );
    expect(settings).toEqual({ kind: 'mcp', command: 'x', cwd: '/home/ada/n' });
    expect(notes).toEqual([
      'Gatehouse asks before its tools run, whatever “autoApprove” and “trust” say there.',
      'The variables in .env are not taken over. Add those that it needs.',
      'Not taken over: gallery.',
    ]);
  });

  it('takes over what is off, limits of time and choices of tools', () => {
    expect(
      one(
        '{"mcpServers": {"n": {"command": "x", "disabled": true, "timeout": 30000, "includeTools": ["a"], "excludeTools": ["b"]}}}',
      ).settings,
    ).toEqual({ kind: 'mcp', command: 'x', enabled: false, timeout_seconds: 30, include: ['a'], exclude: ['b'] });
    expect(one('[mcp_servers.n]\ncommand = "x"\ntool_timeout_sec = 90\nenabled = false\n').settings).toEqual({
      kind: 'mcp',
      command: 'x',
      enabled: false,
      timeout_seconds: 90,
    });
  });

  it('does not start itself', () => {
    for (const entry of [
      { command: '/opt/gatehouse/gatehouse', args: ['--mcp-stdio', '--agent', 'cursor'] },
      { command: 'env', args: ['gatehouse', '--mcp-stdio'] },
    ]) {
      const { settings, notes } = one(JSON.stringify({ mcpServers: { gatehouse: entry } }));
      expect(settings).toBeNull();
      expect(notes.join()).toContain('Gatehouse itself');
    }
  });

  it('gives names that are allowed, and that nothing has', () => {
    const { sources } = read(
      '{"mcpServers": {"My Server!": {"command": "x"}, "my-server": {"command": "y"}, "gatehouse": {"command": "z"}, "日本": {"command": "w"}}}',
      ['my-server-2'],
    );
    expect(sources.map(({ name }) => name)).toEqual(['my-server', 'my-server-3', 'gatehouse-2', 'server']);
    expect(read(`{"mcpServers": {"${'a'.repeat(200)}": {"command": "x"}}}`).sources[0]?.name).toHaveLength(32);
  });

  it('says of each entry why it can’t be taken, and takes the others', () => {
    const { sources } = read(
      '{"mcpServers": {"a": {"command": "x"}, "b": 7, "c": {}, "d": {"command": ["x", 1]}, "e": {"command": "x", "env": {"A": {"b": 1}}}, "f": {"command": ""}}}',
    );
    expect(sources.map(({ settings }) => settings !== null)).toEqual([true, false, false, false, false, false]);
    for (const { notes } of sources.slice(1)) expect(notes[0]).toMatch(/\.$/);
  });

  it('tells goose’s own extensions from servers', () => {
    const { sources } = read(
      'extensions:\n  developer:\n    type: builtin\n    enabled: true\n  t:\n    type: stdio\n    cmd: x\n    env_keys: [T_KEY]\n',
    );
    expect(sources.map(({ calledThere, settings }) => [calledThere, settings?.command ?? null])).toEqual([
      ['developer', null],
      ['t', 'x'],
    ]);
    expect(sources[1]?.secrets).toEqual([{ in: 'env', of: 'T_KEY', secret: 't-key', shown: null }]);
  });
});

describe('what is none', () => {
  it.each([
    ['', /Nothing/],
    ['   \n', /Nothing/],
    ['{"mcpServers": {"a": ', /Line 1/],
    ['{"a": 1}', /No MCP server/],
    ['[1, 2]', /No MCP server/],
    ['just some words about servers', /No MCP server/],
    ['{"mcpServers": {}}', /no servers in it/],
    ['{"openapi": "3.1.0", "servers": [{"url": "/"}], "paths": {}}', /OpenAPI/],
    ['npx a | sh', /shell/],
    ['npx a; rm -rf /', /shell/],
    [`{"mcpServers": ${'{"a":'.repeat(2000)}`, /./],
  ])('%j', (text, expected) => {
    expect(problemOf(text)).toMatch(expected);
  });

  it('bounds what it reads', () => {
    expect(problemOf('x'.repeat(2_000_000))).toMatch(/1 MB/);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`s${at}`, { command: 'x' }]));
    const { sources, more } = read(JSON.stringify({ mcpServers: many }));
    expect([sources.length, more]).toEqual([200, 300]);
  });

  it.each([
    ['lines without end', `a:${'\n'.repeat(900_000)}b: 1`],
    ['a command with lines without end', `npx${'\n'.repeat(900_000)}x`],
    ['colons', JSON.stringify({ mcpServers: { n: { command: 'x', env: { A: `a://${':'.repeat(900_000)}` } } } })],
    ['at signs', JSON.stringify({ command: '@/'.repeat(400_000) })],
    ['quotes', `npx ${`"'`.repeat(400_000)}`],
    ['backslashes', `npx "${'\\'.repeat(400_001)}`],
    ['brackets', `x: ${'['.repeat(400_000)}`],
    ['dashes', `${'- '.repeat(300_000)}x`],
    ['tables', '[a]\n'.repeat(200_000)],
    ['placeholders', JSON.stringify({ command: '${'.repeat(400_000) })],
    ['commas', `"a": ${', '.repeat(400_000)}x`],
    ['aliases', `a: &a [x]\n${Array.from({ length: 2000 }, (_, at) => `b${at}: [*a, *a]`).join('\n')}`],
  ])('is not held up by %s', (_, text) => {
    expect(readPasted(text, AROUND)).toBeDefined();
  });

  it('answers whatever it is given, and never with a value that it was to hide', () => {
    const name = fc.constantFrom(
      'command',
      'args',
      'env',
      'url',
      'headers',
      'type',
      '__proto__',
      'constructor',
      'API_KEY',
      'x',
    );
    const tree = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        tie('table'),
      ),
      table: fc.dictionary(name, tie('any'), { maxKeys: 4 }),
    })).table;
    fc.assert(
      fc.property(tree, (servers) => {
        const pasted = readPasted(JSON.stringify({ mcpServers: { n: servers } }), AROUND);
        if (!pasted.ok) return;
        for (const { settings, name: given } of pasted.sources) {
          expect(given).toMatch(/^[a-z0-9][a-z0-9-]{0,31}$/);
          expect(settings === null || (settings.command === undefined) !== (settings.url === undefined)).toBe(true);
        }
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readPasted(text, AROUND)));
  });
});
