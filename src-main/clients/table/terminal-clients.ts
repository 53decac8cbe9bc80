import { join } from 'node:path';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { getConfigFolder, getSettingsFolder, type UserEnvironment } from '../files/user-environment.js';
import {
  type ClientSpec,
  readGooseLaunch,
  includeEdit,
  inOneFile,
  readListLaunch,
  SERVER,
  setEdit,
  USUAL,
} from './spec.js';

const HOUR_MS = 3_600_000;
const HOUR_S = 3600;
const NEXT_START = 'Takes effect at its next start.';
const ONCE_TRUSTED = 'Takes effect at its next start in this folder, once you trust the folder there.';

const claudeFolder = ({ home, environment }: UserEnvironment): string =>
  environment['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude');
const claudeServers = ({ home, environment }: UserEnvironment): readonly string[] => [
  join(environment['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json'),
];
const codexFolder = ({ home, environment }: UserEnvironment): string =>
  environment['CODEX_HOME'] ?? join(home, '.codex');
const opencodeFolder = (around: UserEnvironment): string => join(getConfigFolder(around), 'opencode');
const gooseFolder = (around: UserEnvironment): string =>
  around.platform === 'win32'
    ? join(getSettingsFolder(around), 'Block', 'goose', 'config')
    : join(getConfigFolder(around), 'goose');

const CLAUDE_TOOLS = (
  'Bash Edit Write Read Glob Grep NotebookEdit WebFetch WebSearch Task Agent Artifact BashOutput ClaudeDesign Config CronCreate ' +
  'CronDelete CronList EnterWorktree ExitWorktree KillShell LSP ListAgents Monitor MultiEdit OfferChromeSetup PowerShell Projects ' +
  'ProposeGoal ProposeSkills PushNotification REPL ReadNotifications RemoteTrigger ReportFindings ScheduleWakeup SendFeedback ' +
  'SendMessage SendUserFile ShowOnboardingRolePicker Skill SlashCommand TaskOutput TaskStop TeamCreate TeamDelete Workflow'
).split(' ');

const claudeCode: ClientSpec = {
  ...USUAL,
  id: 'claude-code',
  name: 'Claude Code',
  programs: ['claude'],
  signs: (around) => [claudeFolder(around)],
  files: {
    servers: { format: 'json', paths: claudeServers },
    settings: { format: 'json', paths: (around) => [join(claudeFolder(around), 'settings.json')] },
  },
  inFolder: (folder) => ({
    files: {
      servers: { format: 'json', paths: claudeServers },
      settings: { format: 'json', paths: () => [join(folder, '.claude', 'settings.local.json')] },
    },
    servers: ['projects', folder, 'mcpServers'],
  }),
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ type: 'stdio', command, args, env: environment }),
  ownTools: {
    kind: 'settable',
    edits: [
      // Claude Code has no list of what is allowed: deny all that its versions bring but talk, lists of tasks and plans.
      includeEdit('settings', 'permissions.deny', CLAUDE_TOOLS),
    ],
    left: null,
  },
  confirmation: { kind: 'settable', edits: [includeEdit('settings', 'permissions.allow', [`mcp__${SERVER}`])] },
  asks: {
    args: () => ['--print', '--no-session-persistence', 'hi'],
    environment: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      // Offer all tools at once, and not those alone that it names first.
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    harmless: (
      'AskUserQuestion EnterPlanMode ExitPlanMode TodoWrite TaskCreate TaskGet TaskList TaskUpdate ToolSearch ' +
      'ListMcpResourcesTool ReadMcpResourceTool ReadMcpResourceDirTool RefreshMcpTools'
    ).split(' '),
  },
  tried: ['2.1.197', '2.1.328'],
  afterwards: NEXT_START,
};

const codex: ClientSpec = {
  ...USUAL,
  id: 'codex',
  name: 'Codex',
  programs: ['codex'],
  signs: (around) => [codexFolder(around)],
  files: { servers: { format: 'toml', paths: (around) => [join(codexFolder(around), 'config.toml')] } },
  inFolder: (folder) => ({ ...inOneFile('toml', '.codex/config.toml')(folder), afterwards: ONCE_TRUSTED }),
  servers: ['mcp_servers'],
  entry: ({ command, args }) => ({ command, args, startup_timeout_sec: 60, tool_timeout_sec: HOUR_S }),
  isOff: ({ enabled }) => enabled === false,
  ownTools: {
    kind: 'settable',
    edits: [
      setEdit('servers', 'web_search', 'disabled'),
      setEdit('servers', 'sandbox_mode', 'read-only'),
      setEdit('servers', 'features.shell_tool', false),
      setEdit('servers', 'features.view_image', false),
      setEdit('servers', 'features.multi_agent', false),
    ],
    // Tried: which models get it is the model's catalogue's to say, and no setting takes it away.
    left: 'its own patch tool and agents beside it, which its read-only sandbox keeps from writing unasked',
  },
  confirmation: {
    kind: 'settable',
    edits: [setEdit('servers', `mcp_servers.${SERVER}.default_tools_approval_mode`, 'approve')],
  },
  asks: {
    args: (model) => [
      'exec',
      '--skip-git-repo-check',
      '--ephemeral',
      '-c',
      `model_providers.${SERVER}={name="${SERVER}",base_url="${model}/v1",wire_api="responses"}`,
      '-c',
      `model_provider="${SERVER}"`,
      'hi',
    ],
    environment: () => ({}),
    // Codex's program runs nothing but the tools that are declared to it, which are named themselves.
    harmless: (
      'exec wait sleep clock__curr_time request_user_input request_user_input_async update_plan create_goal get_goal update_goal ' +
      'list_mcp_resources list_mcp_resource_templates read_mcp_resource interrupt_agent list_agents wait_agent'
    ).split(' '),
  },
  tried: ['0.169.0'],
  afterwards: NEXT_START,
};

const geminiCli: ClientSpec = {
  ...USUAL,
  id: 'gemini-cli',
  name: 'Gemini CLI',
  programs: ['gemini'],
  signs: ({ home }) => [join(home, '.gemini')],
  files: { servers: { format: 'json', paths: ({ home }) => [join(home, '.gemini', 'settings.json')] } },
  inFolder: (folder) => ({ ...inOneFile('json', '.gemini/settings.json')(folder), afterwards: ONCE_TRUSTED }),
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment, timeout: HOUR_MS }),
  ownTools: {
    kind: 'settable',
    // The only tools that it may have: whatever else it brings, now or later, is none of them.
    edits: [setEdit('servers', 'tools.core', [`mcp_${SERVER}_*`])],
    left: null,
  },
  confirmation: { kind: 'settable', edits: [setEdit('servers', `mcpServers.${SERVER}.trust`, true)] },
  asks: {
    // With no question of its own: without a terminal it gives its model nothing that it would ask about.
    args: () => ['--skip-trust', '--approval-mode', 'yolo', '--prompt', 'hi'],
    environment: (model) => ({ GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: 'none' }),
    harmless: ['update_topic', 'enter_plan_mode', 'exit_plan_mode', 'ask_user', 'write_todos'],
  },
  tried: ['0.61.0'],
  afterwards: NEXT_START,
};

const qwenCode: ClientSpec = {
  ...USUAL,
  id: 'qwen-code',
  name: 'Qwen Code',
  programs: ['qwen'],
  signs: ({ home }) => [join(home, '.qwen')],
  files: { servers: { format: 'json', paths: ({ home }) => [join(home, '.qwen', 'settings.json')] } },
  inFolder: (folder) => ({ ...inOneFile('json', '.qwen/settings.json')(folder), afterwards: ONCE_TRUSTED }),
  servers: ['mcpServers'],
  entry: ({ command, args, environment }) => ({ command, args, env: environment, timeout: HOUR_MS }),
  ownTools: {
    kind: 'settable',
    edits: [
      includeEdit('servers', 'permissions.deny', [
        'run_shell_command',
        'monitor',
        'edit',
        'write_file',
        'notebook_edit',
        'read_file',
        'list_directory',
        'grep_search',
        'glob',
        'lsp',
        'web_fetch',
        'web_search',
        'agent',
        'skill',
        'task_stop',
        'send_message',
      ]),
      // Its memory is kept by an agent of its own, which has a shell that reads.
      setEdit('servers', 'memory.enableManagedAutoMemory', false),
    ],
    left: null,
  },
  confirmation: { kind: 'settable', edits: [setEdit('servers', `mcpServers.${SERVER}.trust`, true)] },
  asks: {
    args: () => ['--approval-mode', 'yolo', '--prompt', 'hi'],
    environment: (model) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'none' }),
    harmless: ['tool_search', 'todo_write', 'exit_plan_mode', 'ask_user_question'],
  },
  tried: ['0.15.10', '0.24.4'],
  afterwards: NEXT_START,
};

const opencode: ClientSpec = {
  ...USUAL,
  id: 'opencode',
  name: 'opencode',
  programs: ['opencode'],
  signs: (around) => [opencodeFolder(around)],
  files: {
    servers: {
      format: 'json',
      paths: (around) =>
        ['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => join(opencodeFolder(around), name)),
    },
  },
  inFolder: inOneFile('json', 'opencode.json', 'opencode.jsonc'),
  servers: ['mcp'],
  entry: ({ command, args, environment }) => ({
    type: 'local',
    command: [command, ...args],
    environment,
    enabled: true,
    timeout: 60_000,
  }),
  launchOf: readListLaunch,
  isOff: ({ enabled }) => enabled === false,
  ownTools: {
    kind: 'settable',
    // The last that fits decides: nothing but ours, whatever it brings later.
    edits: [setEdit('servers', 'permission', { '*': 'deny', [`${SERVER}_*`]: 'allow' })],
    left: null,
    loosened: (settings) => (hasOwnPermissions(settings) ? 'agents with permissions of their own' : null),
  },
  confirmation: { kind: 'fixed', why: 'It asks nothing before it calls a server’s tools, unless told to.' },
  tried: ['1.18.33'],
  afterwards: NEXT_START,
};

/** Whether an agent has permissions of its own, which take precedence over those of all. */
function hasOwnPermissions(settings: Json): boolean {
  if (!isJsonObject(settings)) return false;
  const agents = [settings['agent'], settings['mode']].flatMap((each) =>
    isJsonObject(each) ? Object.values(each) : [],
  );
  return (
    settings['tools'] !== undefined ||
    agents.some((agent) => isJsonObject(agent) && (agent['permission'] !== undefined || agent['tools'] !== undefined))
  );
}

const goose: ClientSpec = {
  ...USUAL,
  id: 'goose',
  name: 'goose',
  programs: ['goose'],
  signs: (around) => [gooseFolder(around)],
  files: { servers: { format: 'yaml', paths: (around) => [join(gooseFolder(around), 'config.yaml')] } },
  servers: ['extensions'],
  entry: ({ command, args, environment }) => ({
    name: SERVER,
    type: 'stdio',
    cmd: command,
    args,
    envs: environment,
    enabled: true,
    timeout: HOUR_S,
  }),
  launchOf: readGooseLaunch,
  isOff: ({ enabled }) => enabled === false,
  ownTools: {
    kind: 'settable',
    edits: [setEdit('servers', 'extensions.developer.enabled', false)],
    left: null,
  },
  confirmation: { kind: 'fixed', why: 'It can only be told to ask about no tool at all.' },
  afterwards: 'Takes effect in its next session.',
};

/** The clients that run in a terminal. */
export const TERMINAL_CLIENTS: readonly ClientSpec[] = [claudeCode, codex, geminiCli, qwenCode, opencode, goose];
