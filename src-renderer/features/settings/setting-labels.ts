import type { SettingKey } from '#contract/vocabulary/config.js';
import type { Unit } from './quantity.js';

/** The sections of the page, in their order. */
export const SECTIONS = {
  asking: 'How it asks',
  files: 'Files',
  commands: 'Commands',
  agents: 'Agents',
  hooks: 'Hooks',
  model: 'Model',
  limits: 'Limits',
  app: 'App',
} as const;
export type SectionId = keyof typeof SECTIONS;

export interface SettingLabel {
  readonly section: SectionId;
  readonly label: string;
  readonly unit?: Unit;
  /** Labels of its choices. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Another place that edits it, entry by entry. */
  readonly place?: 'rules' | 'agents' | 'tools';
}

/** The page's words for each setting; null for one that nothing follows yet, which is in the file all the same. */
export const SETTING_LABELS: { readonly [Key in SettingKey]: SettingLabel | null } = {
  'tools.approval.enabled': { section: 'asking', label: 'Accept calls' },
  'tools.mode': {
    section: 'asking',
    label: 'Tools',
    choices: { enabled: 'On', parse_only: 'Parse only: you give each result', disabled: 'Off' },
  },
  'tools.approval.mode': {
    section: 'asking',
    label: 'Calls without a rule',
    choices: { prompt: 'Ask', auto: 'Run', deny: 'Deny' },
  },
  'tools.approval.prompt_side_effects': { section: 'asking', label: 'Ask before changes' },
  'tools.approval.commands': {
    section: 'asking',
    label: 'Commands',
    choices: { ask: 'Ask', sandbox: 'Run in the sandbox when safe' },
  },
  'tools.approval.edits': {
    section: 'asking',
    label: 'Edits',
    choices: { ask: 'Ask', collect: 'Run and collect under Changes' },
  },
  'tools.approval.secrets': { section: 'asking', label: 'Files of secrets', choices: { ask: 'Ask', deny: 'Deny' } },
  'tools.approval.wait_seconds': { section: 'asking', label: 'Approval timeout', unit: 's' },
  'tools.approval.allowlist': { section: 'asking', label: 'Allowed tools' },
  'tools.approval.denylist': { section: 'asking', label: 'Denied tools' },
  'tools.approval.confirmed': { section: 'asking', label: 'Rules', place: 'rules' },

  'tools.sandbox.allowed_roots': { section: 'files', label: 'Allowed folders' },
  'tools.sandbox.denied_patterns': { section: 'files', label: 'Blocked paths' },
  'tools.sandbox.include_default_denies': { section: 'files', label: 'Block built-in sensitive paths' },
  'tools.sandbox.allow_absolute': { section: 'files', label: 'Accept absolute paths' },
  'tools.read_file.max_file_read_bytes': { section: 'files', label: 'Largest file read whole', unit: 'bytes' },
  'tools.read_file.max_scan_bytes': { section: 'files', label: 'Furthest line lookup', unit: 'bytes' },
  'tools.write_file.max_bytes': { section: 'files', label: 'Largest new file', unit: 'bytes' },
  'tools.apply_patch.max_patch_bytes': { section: 'files', label: 'Largest patch', unit: 'bytes' },
  'tools.list_directory.max_depth': { section: 'files', label: 'Listing depth', unit: 'folders' },
  'tools.list_directory.max_entries': { section: 'files', label: 'Listing length', unit: 'entries' },

  'tools.run_command.confinement': {
    section: 'commands',
    label: 'Sandbox',
    choices: { required: 'Required; commands fail without it', preferred: 'On when available', off: 'Off' },
  },
  'tools.run_command.network': { section: 'commands', label: 'Network' },
  'tools.run_command.allowed_hosts': { section: 'commands', label: 'Allowed hosts' },
  'tools.run_command.readable': { section: 'commands', label: 'Readable folders outside' },
  'tools.run_command.home_allowlist': { section: 'commands', label: 'Readable home folders' },
  'tools.run_command.env_allowlist': { section: 'commands', label: 'Visible environment variables' },
  'tools.environment.denylist': { section: 'commands', label: 'Hidden environment variables' },
  'tools.run_command.max_cpu_seconds': { section: 'commands', label: 'CPU time', unit: 's' },
  'tools.run_command.max_memory_bytes': { section: 'commands', label: 'Memory', unit: 'bytes' },
  'tools.run_command.max_processes': { section: 'commands', label: 'Processes', unit: 'processes' },
  'tools.run_command.max_open_files': { section: 'commands', label: 'Open files', unit: 'files' },
  'tools.run_command.max_file_bytes': { section: 'commands', label: 'Largest written file', unit: 'bytes' },
  'tools.run_command.max_output_file_bytes': { section: 'commands', label: 'Largest stored output', unit: 'bytes' },
  'tools.run_command.kill_grace_ms': { section: 'commands', label: 'Time to exit before it is killed', unit: 'ms' },

  'invoke.sync_wait_seconds': { section: 'agents', label: 'Wait for a result over HTTP', unit: 's' },
  'invoke.starvation_seconds': { section: 'agents', label: 'Low priority waits for', unit: 's' },
  'gateway.enabled': { section: 'agents', label: 'Serve MCP and HTTP' },
  'gateway.port': { section: 'agents', label: 'Port' },
  'gateway.when_client_leaves': {
    section: 'agents',
    label: 'When an agent disconnects',
    choices: { cancel: 'Cancel its waiting calls', keep: 'Keep its waiting calls' },
  },
  'gateway.clients': { section: 'agents', label: 'Single agents', place: 'agents' },
  'gateway.agents': { section: 'agents', label: 'How single agents ask', place: 'agents' },
  'gateway.limits.sessions': { section: 'agents', label: 'Sessions', unit: 'sessions' },
  'gateway.limits.sheets': { section: 'agents', label: 'Waiting requests', unit: 'requests' },
  'gateway.limits.recorded_mb_per_minute': { section: 'agents', label: 'Recording rate', unit: 'MB a minute' },
  'tools.definitions': { section: 'agents', label: 'Your own tools' },
  'tools.advertise_at_most': { section: 'agents', label: 'Tools listed at most', unit: 'tools' },
  'search.provider': {
    section: 'agents',
    label: 'Finding tools',
    choices: { builtin: 'By meaning, on this computer', ollama: 'By meaning, with Ollama', words: 'By words alone' },
  },
  'search.ollama_base_url': { section: 'agents', label: 'Ollama address' },
  'search.embedding_model': { section: 'agents', label: 'Ollama model' },
  'search.threshold': { section: 'agents', label: 'Nearness' },
  sources: { section: 'agents', label: 'Sources of tools', place: 'tools' },
  'domain.package': { section: 'agents', label: 'Domain package' },
  'domain.secrets': null,
  'domain.digest': { section: 'agents', label: 'Domain package accepted' },
  'domain.follow': { section: 'agents', label: 'Take new versions' },
  hooks: { section: 'hooks', label: 'Hooks' },
  'registry.max_versions_per_tool': { section: 'limits', label: 'Versions of one tool', unit: 'versions' },
  'registry.deprecation_warning_days': { section: 'limits', label: 'Notice before a version ends', unit: 'days' },

  'tools.max_tool_calls_per_batch': { section: 'limits', label: 'Calls in one batch', unit: 'calls' },
  'tools.max_tool_args_bytes': { section: 'limits', label: 'Largest arguments', unit: 'bytes' },
  'tools.output.max_bytes': { section: 'limits', label: 'Largest result', unit: 'bytes' },
  'tools.timeouts.default_seconds': { section: 'limits', label: 'Time limit', unit: 's' },
  'tools.timeouts.file_operations_seconds': { section: 'limits', label: 'Time limit of file tools', unit: 's' },
  'tools.timeouts.shell_commands_seconds': { section: 'limits', label: 'Time limit of commands', unit: 's' },
  'tools.queue.places': { section: 'limits', label: 'Running calls', unit: 'calls' },
  'tools.queue.per_tool': { section: 'limits', label: 'Running calls of one tool', unit: 'calls' },
  'tools.queue.per_agent': { section: 'limits', label: 'Running calls of one agent', unit: 'calls' },
  'tools.queue.max_waiting': { section: 'limits', label: 'Queue length', unit: 'calls' },
  'tools.queue.max_wait_seconds': { section: 'limits', label: 'Queue timeout', unit: 's' },

  'journal.keep_days': { section: 'app', label: 'Keep history for', unit: 'days' },
  'journal.output_quota_bytes': { section: 'app', label: 'Space for stored output', unit: 'bytes' },
  'journal.image_quota_bytes': { section: 'app', label: 'Space for undo', unit: 'bytes' },
  'telemetry.otlp_endpoint': { section: 'app', label: 'Send metrics to' },

  'model.provider': {
    section: 'model',
    label: 'Provider',
    choices: {
      demo: 'None: the demo alone',
      anthropic: 'Anthropic',
      openai: 'OpenAI',
      google: 'Google',
      ollama: 'Ollama',
      'openai-compatible': 'OpenAI-compatible server',
    },
  },
  'model.base_url': { section: 'model', label: 'Address' },
  'model.model': { section: 'model', label: 'Model name' },
  'model.api_key_env': { section: 'model', label: 'API key variable' },
  'model.context_tokens': { section: 'model', label: 'Context size', unit: 'tokens' },
  'model.max_output_tokens': { section: 'model', label: 'Longest answer', unit: 'tokens' },
  'model.reserve_tokens': { section: 'model', label: 'Kept free', unit: 'tokens' },
  'model.temperature': { section: 'model', label: 'Temperature' },
  'model.system_prompt': { section: 'model', label: 'System prompt' },
  'model.instructions': { section: 'model', label: 'Instruction files' },

  // Calls of one batch run one after another.
  'tools.allow_parallel': null,
  'tools.max_tool_iterations_per_user_turn': null,
};

/** The settings on the page, for whoever looks for them by name. */
export const SHOWN_SETTINGS = Object.entries(SETTING_LABELS).flatMap(([key, words]) =>
  words === null ? [] : [{ key, label: words.label, section: SECTIONS[words.section] }],
);

/** Other people's words for what is in a section, or for a setting. */
const SYNONYMS: Readonly<Record<string, string>> = {
  asking: 'approval permission strict careful balanced mode',
  'tools.run_command.network': 'proxy internet offline',
  'tools.run_command.allowed_hosts': 'proxy internet firewall',
  'tools.run_command.confinement': 'bubblewrap isolation',
  'gateway.enabled': 'http server token',
  'journal.keep_days': 'retention delete',
};

/** Parts of the page that are no setting of the file. */
export const OTHER_SECTIONS = {
  asking: 'how it asks asking approval permission strict careful balanced mode',
  theme: 'theme appearance dark light color colour mode system',
  notifications: 'notifications notification notify sound alert tray',
  secrets: 'secrets keys api key token password',
} as const;

export const findSynonyms = (section: SectionId, key: string): string =>
  `${SYNONYMS[section] ?? ''} ${SYNONYMS[key] ?? ''}`;

/** Whether each of these words is in a text, or begins one of its words. */
export const matchesWords = (text: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.toLowerCase().includes(word));
