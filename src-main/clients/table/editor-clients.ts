import { join } from 'node:path';
import { getConfigFolder, getSettingsFolder, type UserEnvironment } from '../files/user-environment.js';
import { type ClientSpec, inOneFile, type OwnTools, SERVER, setEdit, USUAL } from './spec.js';

const HOUR_S = 3600;
/** The names of our tools, for a client that has no word for all of a server's. */
const OUR_TOOLS = ['read_file', 'list_directory', 'write_file', 'apply_patch', 'run_command'];
const vscodeFolder = (around: UserEnvironment): string => join(getSettingsFolder(around), 'Code', 'User');
const zedFolder = (around: UserEnvironment): string =>
  around.platform === 'win32' ? join(getSettingsFolder(around), 'Zed') : join(getConfigFolder(around), 'zed');
const clineInCode = (around: UserEnvironment): string =>
  join(vscodeFolder(around), 'globalStorage', 'saoudrizwan.claude-dev', 'settings');
const clineStandalone = ({ home }: UserEnvironment): string => join(home, '.cline', 'data', 'settings');

/** The entry for a client whose files have nothing that takes its shell away. */
const OWN_SHELL_STAYS: OwnTools = {
  kind: 'fixed',
  why: 'Its own tools can’t be turned off in its settings files.',
  left: 'its own shell and file tools',
};
const ASKS_ITSELF = 'Its own question before a tool call can’t be turned off for one server in its settings files.';

const claudeDesktop: ClientSpec = {
  ...USUAL,
  id: 'claude-desktop',
  name: 'Claude Desktop',
  programs: ['claude-desktop'],
  signs: (around) => [join(getSettingsFolder(around), 'Claude')],
  files: {
    servers: {
      format: 'json',
      paths: (around) => [join(getSettingsFolder(around), 'Claude', 'claude_desktop_config.json')],
    },
  },
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment }),
  namesFolder: true,
  ownTools: {
    kind: 'fixed',
    why: 'Its extensions and connectors are set in its own window.',
    left: null,
    loosened: () => 'what its own window gives it',
  },
  confirmation: { kind: 'fixed', why: ASKS_ITSELF },
  afterwards: 'Restart Claude Desktop.',
};

const cursor: ClientSpec = {
  ...USUAL,
  id: 'cursor',
  name: 'Cursor',
  programs: ['cursor', 'cursor-agent'],
  signs: ({ home }) => [join(home, '.cursor')],
  files: { servers: { format: 'json', paths: ({ home }) => [join(home, '.cursor', 'mcp.json')] } },
  inFolder: inOneFile('json', '.cursor/mcp.json'),
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment }),
  isOff: ({ disabled }) => disabled === true,
  ownTools: OWN_SHELL_STAYS,
  confirmation: { kind: 'fixed', why: ASKS_ITSELF },
  afterwards: 'Turn the server on in Cursor’s MCP settings if it asks.',
};

const vscode: ClientSpec = {
  ...USUAL,
  id: 'vscode',
  name: 'VS Code',
  programs: ['code'],
  signs: (around) => [vscodeFolder(around)],
  files: { servers: { format: 'json', paths: (around) => [join(vscodeFolder(around), 'mcp.json')] } },
  inFolder: inOneFile('json', '.vscode/mcp.json'),
  servers: ['servers'],
  entry: ({ command, args, environment }) => ({ type: 'stdio', command, args, env: environment }),
  ownTools: OWN_SHELL_STAYS,
  confirmation: { kind: 'fixed', why: ASKS_ITSELF },
  afterwards: 'Start the server with “MCP: List Servers” if it isn’t running.',
};

const zed: ClientSpec = {
  ...USUAL,
  id: 'zed',
  name: 'Zed',
  programs: ['zed', 'zeditor'],
  signs: (around) => [zedFolder(around)],
  files: { servers: { format: 'json', paths: (around) => [join(zedFolder(around), 'settings.json')] } },
  servers: ['context_servers'],
  entry: ({ command, args, environment }) => ({ source: 'custom', command, args, env: environment }),
  isOff: ({ enabled }) => enabled === false,
  ownTools: {
    kind: 'settable',
    edits: [
      setEdit('servers', 'agent.default_profile', SERVER),
      setEdit('servers', `agent.profiles.${SERVER}`, {
        name: 'Gatehouse',
        tools: {},
        enable_all_context_servers: false,
        context_servers: {
          [SERVER]: { tools: Object.fromEntries(OUR_TOOLS.map((tool) => [tool, true])) },
        },
      }),
    ],
    left: null,
    loosened: () => 'other profiles, which you can choose in its panel',
  },
  confirmation: { kind: 'fixed', why: ASKS_ITSELF },
  afterwards: 'Takes effect in its next thread.',
};

const cline: ClientSpec = {
  ...USUAL,
  id: 'cline',
  name: 'Cline',
  programs: ['cline'],
  signs: (around) => [clineStandalone(around), clineInCode(around)],
  files: {
    servers: {
      format: 'json',
      paths: (around) =>
        [clineStandalone(around), clineInCode(around)].map((folder) => join(folder, 'cline_mcp_settings.json')),
    },
  },
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment, disabled: false, timeout: HOUR_S }),
  isOff: ({ disabled }) => disabled === true,
  ownTools: OWN_SHELL_STAYS,
  confirmation: { kind: 'settable', edits: [setEdit('servers', `mcpServers.${SERVER}.autoApprove`, [...OUR_TOOLS])] },
  afterwards: 'Takes effect at once, or at its next start.',
};

/** The clients that have a window. */
export const EDITOR_CLIENTS: readonly ClientSpec[] = [claudeDesktop, cursor, vscode, zed, cline];
