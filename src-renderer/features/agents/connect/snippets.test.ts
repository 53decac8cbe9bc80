import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { AGENTS } from './snippets.js';

const info = {
  command: '/opt/Gate house/gatehouse',
  args: ['/opt/it’s here', '--mcp-stdio', '--data-dir', '/home/me/"data" $HOME'],
  url: 'http://127.0.0.1:4242',
  token: 'secret-token_1',
};

const agent = (id: string) => {
  const found = AGENTS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

describe('configuration to paste', () => {
  it('is there for every agent that was promised, and a plain one', () => {
    expect(AGENTS.map(({ id }) => id)).toEqual([
      'claude-code',
      'claude-desktop',
      'cursor',
      'vscode',
      'codex',
      'gemini-cli',
      'goose',
      'opencode',
      'qwen-code',
      'cline',
      'plain',
    ]);
  });

  it.each(['claude-desktop', 'cursor', 'vscode', 'gemini-cli', 'opencode', 'qwen-code', 'cline'])(
    'is JSON for %s that keeps the command whole',
    (id) => {
      const { stdio, http } = agent(id);
      const text = JSON.stringify(JSON.parse(stdio(info).text));
      for (const part of [info.command, ...info.args]) expect(text).toContain(JSON.stringify(part));
      if (http !== null) {
        const remote = JSON.stringify(JSON.parse(http(info).text));
        expect(remote).toContain('"http://127.0.0.1:4242/mcp"');
        expect(remote).toContain('"Bearer secret-token_1"');
      }
    },
  );

  it('is TOML for Codex, and keeps the token out of the file', () => {
    const { stdio, http } = agent('codex');
    expect(parseToml(stdio(info).text)).toMatchObject({
      mcp_servers: { gatehouse: { command: info.command, args: info.args } },
    });
    const remote = http?.(info);
    expect(parseToml(remote?.text ?? '')).toMatchObject({
      mcp_servers: { gatehouse: { url: 'http://127.0.0.1:4242/mcp', bearer_token_env_var: 'GATEHOUSE_TOKEN' } },
    });
    expect(remote?.text).not.toContain(info.token);
    expect(remote?.note).toContain(info.token);
  });

  it.each(['claude-code', 'plain'])('quotes for a shell what is not a plain word, for %s', (id) => {
    const { text } = agent(id).stdio({ ...info, args: ['--mcp-stdio', "/it's", '$HOME `x` "y"', '/plain-path_1'] });
    expect(text.slice(text.indexOf("'/opt"))).toBe(
      `'/opt/Gate house/gatehouse' --mcp-stdio '/it'\\''s' '$HOME \`x\` "y"' /plain-path_1`,
    );
  });
});
