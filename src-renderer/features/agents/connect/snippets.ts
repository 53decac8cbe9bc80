import type { ConnectInfo } from '#contract/window/agents.js';

export type Transport = 'stdio' | 'http';

/** A text for a person to paste, and where. */
export interface Snippet {
  /** A file, or the place where a command is typed. */
  readonly where: string;
  readonly text: string;
  /** Further steps, or things to know. */
  readonly note: string | null;
}

export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  /** How long it waits for one call, and what to do about it. A person may take longer than an agent's patience. */
  readonly patience: string;
  /** Null where the agent can't connect in this way. */
  readonly stdio: (info: ConnectInfo) => Snippet;
  readonly http: ((info: HttpInfo) => Snippet) | null;
}

export interface HttpInfo {
  readonly url: string;
  readonly token: string;
}

const NAME = 'gatehouse';
const HOUR_MS = 3_600_000;
const HOUR_S = 3600;

const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** A JSON string is a string in TOML and YAML too. */
const quoteToml = (text: string): string => JSON.stringify(text);
const quoteTomlList = (texts: readonly string[]): string => `[${texts.map(quoteToml).join(', ')}]`;
/** Quotes a word for a POSIX shell. */
const quoteWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
const buildBearer = ({ token }: HttpInfo): { readonly Authorization: string } => ({ Authorization: `Bearer ${token}` });
const shell = 'In a terminal';

const PROGRESS = 'Gatehouse sends progress while you decide, which most versions take as a sign of life.';

export const AGENTS: readonly AgentConfig[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    patience:
      'Waits as long as progress arrives. MCP_TOOL_TIMEOUT (milliseconds) in its environment sets another limit.',
    stdio: ({ command, args }) => ({
      where: shell,
      text: `claude mcp add --scope user ${NAME} -- ${[command, ...args].map(quoteWord).join(' ')}`,
      note: null,
    }),
    http: (info) => ({
      where: shell,
      text: `claude mcp add --scope user --transport http ${NAME} ${info.url}/mcp --header ${quoteWord(`Authorization: Bearer ${info.token}`)}`,
      note: null,
    }),
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    patience: `Its limit can’t be set in this file. ${PROGRESS}`,
    stdio: ({ command, args }) => ({
      where: 'claude_desktop_config.json (Settings → Developer → Edit Config)',
      text: json({ mcpServers: { [NAME]: { command, args } } }),
      note: 'Restart Claude Desktop afterwards.',
    }),
    http: null,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    patience: `Its limit can’t be set in this file. ${PROGRESS}`,
    stdio: ({ command, args }) => ({
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [NAME]: { command, args } } }),
      note: null,
    }),
    http: (info) => ({
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [NAME]: { url: `${info.url}/mcp`, headers: buildBearer(info) } } }),
      note: null,
    }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    patience: `Its limit can’t be set in this file. ${PROGRESS}`,
    stdio: ({ command, args }) => ({
      where: '.vscode/mcp.json, or “MCP: Open User Configuration”',
      text: json({ servers: { [NAME]: { type: 'stdio', command, args } } }),
      note: null,
    }),
    http: (info) => ({
      where: '.vscode/mcp.json, or “MCP: Open User Configuration”',
      text: json({ servers: { [NAME]: { type: 'http', url: `${info.url}/mcp`, headers: buildBearer(info) } } }),
      note: 'Prefer the user configuration: the one in .vscode travels with the folder, and holds the token.',
    }),
  },
  {
    id: 'codex',
    name: 'Codex',
    patience: 'Waits a minute unless tool_timeout_sec says otherwise; here it is an hour.',
    stdio: ({ command, args }) => ({
      where: '~/.codex/config.toml',
      text: [
        `[mcp_servers.${NAME}]`,
        `command = ${quoteToml(command)}`,
        `args = ${quoteTomlList(args)}`,
        `startup_timeout_sec = 60`,
        `tool_timeout_sec = ${HOUR_S}`,
      ].join('\n'),
      note: null,
    }),
    http: ({ url, token }) => ({
      where: '~/.codex/config.toml',
      text: [
        `[mcp_servers.${NAME}]`,
        `url = ${quoteToml(`${url}/mcp`)}`,
        `bearer_token_env_var = "GATEHOUSE_TOKEN"`,
        `tool_timeout_sec = ${HOUR_S}`,
      ].join('\n'),
      note: `Start Codex with the token in its environment: GATEHOUSE_TOKEN=${token}`,
    }),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    patience: 'Waits ten minutes unless timeout (milliseconds) says otherwise; here it is an hour.',
    stdio: ({ command, args }) => ({
      where: '~/.gemini/settings.json',
      text: json({ mcpServers: { [NAME]: { command, args, timeout: HOUR_MS } } }),
      note: null,
    }),
    http: (info) => ({
      where: '~/.gemini/settings.json',
      text: json({
        mcpServers: { [NAME]: { httpUrl: `${info.url}/mcp`, headers: buildBearer(info), timeout: HOUR_MS } },
      }),
      note: null,
    }),
  },
  {
    id: 'goose',
    name: 'goose',
    patience: 'Waits five minutes unless timeout (seconds) says otherwise; here it is an hour.',
    stdio: ({ command, args }) => ({
      where: '~/.config/goose/config.yaml',
      text: goose(['type: stdio', `cmd: ${quoteToml(command)}`, `args: ${quoteTomlList(args)}`]),
      note: null,
    }),
    http: ({ url, token }) => ({
      where: '~/.config/goose/config.yaml',
      text: goose([
        'type: streamable_http',
        `uri: ${quoteToml(`${url}/mcp`)}`,
        `headers: { Authorization: ${quoteToml(`Bearer ${token}`)} }`,
      ]),
      note: null,
    }),
  },
  {
    id: 'opencode',
    name: 'opencode',
    patience: PROGRESS,
    stdio: ({ command, args }) => ({
      where: '~/.config/opencode/opencode.json',
      text: json({ mcp: { [NAME]: { type: 'local', command: [command, ...args], enabled: true, timeout: 60_000 } } }),
      note: null,
    }),
    http: (info) => ({
      where: '~/.config/opencode/opencode.json',
      text: json({
        mcp: {
          [NAME]: { type: 'remote', url: `${info.url}/mcp`, enabled: true, oauth: false, headers: buildBearer(info) },
        },
      }),
      note: null,
    }),
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    patience: 'Waits ten minutes unless timeout (milliseconds) says otherwise; here it is an hour.',
    stdio: ({ command, args }) => ({
      where: '~/.qwen/settings.json',
      text: json({ mcpServers: { [NAME]: { command, args, timeout: HOUR_MS } } }),
      note: null,
    }),
    http: (info) => ({
      where: '~/.qwen/settings.json',
      text: json({
        mcpServers: { [NAME]: { httpUrl: `${info.url}/mcp`, headers: buildBearer(info), timeout: HOUR_MS } },
      }),
      note: null,
    }),
  },
  {
    id: 'cline',
    name: 'Cline',
    patience: 'Waits a minute unless timeout (seconds) says otherwise; here it is an hour.',
    stdio: ({ command, args }) => ({
      where: '~/.cline/data/settings/cline_mcp_settings.json',
      text: json({ mcpServers: { [NAME]: { command, args, env: {}, disabled: false, timeout: HOUR_S } } }),
      note: null,
    }),
    http: (info) => ({
      where: '~/.cline/data/settings/cline_mcp_settings.json',
      text: json({
        mcpServers: {
          [NAME]: {
            type: 'streamableHttp',
            url: `${info.url}/mcp`,
            headers: buildBearer(info),
            disabled: false,
            timeout: HOUR_S,
          },
        },
      }),
      note: null,
    }),
  },
  {
    id: 'plain',
    name: 'Another agent',
    patience: 'Give it as long a time-out for tool calls as it allows: a call waits until you decide.',
    stdio: ({ command, args }) => ({
      where: 'The command of an MCP server on stdin and stdout',
      text: [command, ...args].map(quoteWord).join(' '),
      note: null,
    }),
    http: ({ url, token }) => ({
      where: 'The address of an MCP server over Streamable HTTP, and its header',
      text: `${url}/mcp\nAuthorization: Bearer ${token}`,
      note: null,
    }),
  },
];

function goose(lines: readonly string[]): string {
  return [
    'extensions:',
    `  ${NAME}:`,
    `    name: ${NAME}`,
    '    enabled: true',
    ...lines.map((line) => `    ${line}`),
    `    timeout: ${HOUR_S}`,
  ].join('\n');
}
