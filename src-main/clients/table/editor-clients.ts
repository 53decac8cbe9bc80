import { join } from 'node:path';
import { dotConfig, settingsFolder, type Surroundings } from '../files/surroundings.js';
import { type ClientSpec, type OwnTools, SERVER, set, USUAL } from './spec.js';

const HOUR_S = 3600;
/** The names of our tools, for a client that has no word for all of a server's. */
const OUR_TOOLS = ['read_file', 'list_directory', 'write_file', 'apply_patch', 'run_command'];
const vscodeFolder = (around: Surroundings): string => join(settingsFolder(around), 'Code', 'User');
const zedFolder = (around: Surroundings): string =>
  around.platform === 'win32' ? join(settingsFolder(around), 'Zed') : join(dotConfig(around), 'zed');
const clineInCode = (around: Surroundings): string =>
  join(vscodeFolder(around), 'globalStorage', 'saoudrizwan.claude-dev', 'settings');
const clineOfItsOwn = ({ home }: Surroundings): string => join(home, '.cline', 'data', 'settings');

/** The entry for a client whose files have nothing that takes its shell away. */
const shellStays: OwnTools = {
  kind: 'fixed',
  why: 'Its own tools can’t be turned off in its settings files.',
  left: 'its own shell and file tools',
};
const asksItself = 'Its own question before a tool call can’t be turned off for one server in its settings files.';

const claudeDesktop: ClientSpec = {
  ...USUAL,
  id: 'claude-desktop',
  name: 'Claude Desktop',
  programs: ['claude-desktop'],
  signs: (around) => [join(settingsFolder(around), 'Claude')],
  files: {
    servers: {
      format: 'json',
      paths: (around) => [join(settingsFolder(around), 'Claude', 'claude_desktop_config.json')],
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
  confirmation: { kind: 'fixed', why: asksItself },
  afterwards: 'Restart Claude Desktop.',
};

const cursor: ClientSpec = {
  ...USUAL,
  id: 'cursor',
  name: 'Cursor',
  programs: ['cursor', 'cursor-agent'],
  signs: ({ home }) => [join(home, '.cursor')],
  files: { servers: { format: 'json', paths: ({ home }) => [join(home, '.cursor', 'mcp.json')] } },
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment }),
  isOff: ({ disabled }) => disabled === true,
  ownTools: shellStays,
  confirmation: { kind: 'fixed', why: asksItself },
  afterwards: 'Turn the server on in Cursor’s MCP settings if it asks.',
};

const vscode: ClientSpec = {
  ...USUAL,
  id: 'vscode',
  name: 'VS Code',
  programs: ['code'],
  signs: (around) => [vscodeFolder(around)],
  files: { servers: { format: 'json', paths: (around) => [join(vscodeFolder(around), 'mcp.json')] } },
  servers: ['servers'],
  entry: ({ command, args, environment }) => ({ type: 'stdio', command, args, env: environment }),
  ownTools: shellStays,
  confirmation: { kind: 'fixed', why: asksItself },
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
      set('servers', 'agent.default_profile', SERVER),
      set('servers', `agent.profiles.${SERVER}`, {
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
  confirmation: { kind: 'fixed', why: asksItself },
  afterwards: 'Takes effect in its next thread.',
};

const cline: ClientSpec = {
  ...USUAL,
  id: 'cline',
  name: 'Cline',
  programs: ['cline'],
  signs: (around) => [clineOfItsOwn(around), clineInCode(around)],
  files: {
    servers: {
      format: 'json',
      paths: (around) =>
        [clineOfItsOwn(around), clineInCode(around)].map((folder) => join(folder, 'cline_mcp_settings.json')),
    },
  },
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment, disabled: false, timeout: HOUR_S }),
  isOff: ({ disabled }) => disabled === true,
  ownTools: shellStays,
  confirmation: { kind: 'settable', edits: [set('servers', `mcpServers.${SERVER}.autoApprove`, [...OUR_TOOLS])] },
  afterwards: 'Takes effect at once, or at its next start.',
};

/** The clients that have a window. */
export const EDITOR_CLIENTS: readonly ClientSpec[] = [claudeDesktop, cursor, vscode, zed, cline];
