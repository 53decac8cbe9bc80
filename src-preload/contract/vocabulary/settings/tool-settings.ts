import Type from 'typebox';
import { bytes, COMMANDS, EDITS, seconds, SECRETS, strings, table } from './setting-types.js';

const Confirmed = table({
  tool: Type.String({ minLength: 1, description: 'The tool this yes is for.' }),
  command: Type.Optional(Type.String({ minLength: 1, description: 'The whole command, equal word by word.' })),
  prefix: Type.Optional(Type.String({ minLength: 1, description: 'The command’s first words.' })),
  expires: Type.Optional(Type.String({ description: 'Until when (a date); absent means always.' })),
  workspace: Type.Optional(
    Type.String({ minLength: 1, description: 'The one folder it holds in; absent means every folder.' }),
  ),
  agent: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The one agent it holds for, by its token; absent means all.',
    }),
  ),
  confinement: Type.Optional(
    Type.Enum(['confined', 'network', 'unconfined'], {
      description:
        'It holds only where commands are held at least as closely as this; absent means confined, or what your own settings give.',
    }),
  ),
  foreign: Type.Optional(Type.Boolean({ description: 'Whether it holds also after text from elsewhere was read.' })),
  readable: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
      maxItems: 100,
      description: 'Folders outside the open one that it may read, by where they lead each time.',
    }),
  ),
  digest: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Of what a runner runs, such as the script behind npm test; where that differs, it asks.',
    }),
  ),
});

const Definition = table({
  name: Type.String({ minLength: 1, description: 'What a model calls it.' }),
  description: Type.String({ description: 'What it does, for the model.' }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its arguments.' }),
});

/** The settings of tools: when they ask, what they may reach, and their limits. */
export const ToolSettingsSchema = table({
  mode: Type.Enum(['disabled', 'parse_only', 'enabled'], {
    description: 'What happens to the calls of agents.',
  }),
  allow_parallel: Type.Boolean({ description: 'Reserved: calls of one batch always run one after another.' }),
  max_tool_calls_per_batch: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'How many calls one request may contain.',
  }),
  max_tool_iterations_per_user_turn: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'How often a model may call tools before you speak again.',
  }),
  max_tool_args_bytes: bytes('Calls with larger arguments are refused.'),
  advertise_at_most: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description:
      'With more tools of your sources than this, agents and models search for them instead of being given all.',
  }),
  definitions: Type.Array(Definition, {
    description: 'In parse-only mode agents can call these, and you give the results.',
    maxItems: 200,
  }),
  approval: table({
    enabled: Type.Boolean({ description: 'When off, every call is refused.' }),
    mode: Type.Enum(['auto', 'prompt', 'deny'], {
      description: 'What happens to a call that no other rule decides.',
    }),
    allowlist: strings('These run without asking, except those that always ask.'),
    denylist: strings('Agents can’t call these.'),
    prompt_side_effects: Type.Boolean({ description: 'Review every call that changes something.' }),
    wait_seconds: Type.Number({
      minimum: 0,
      maximum: 31_536_000,
      description: 'How long a call waits for your answer before it is denied. 0 means no limit.',
    }),
    commands: Type.Enum([...COMMANDS], {
      description: 'Commands that are sandboxed, offline, fully understood and undoable can run without asking.',
    }),
    edits: Type.Enum([...EDITS], {
      description: 'Edits that can be undone can run without asking and collect under Changes.',
    }),
    secrets: Type.Enum([...SECRETS], {
      description: 'Reading files such as .env asks each time, or is denied.',
    }),
    confirmed: Type.Array(Confirmed, {
      description: 'What runs without asking.',
      maxItems: 1000,
    }),
  }),
  sandbox: table({
    allowed_roots: strings('Folders that tools can use, relative to the open folder.'),
    denied_patterns: strings('Tools never touch these, in addition to the built-in ones.'),
    allow_absolute: Type.Boolean({
      description: 'Agents may name absolute paths inside the allowed folders.',
    }),
    include_default_denies: Type.Boolean({
      description: 'Keys, .ssh and similar paths stay out of reach.',
    }),
  }),
  timeouts: table({
    default_seconds: seconds('For tools without a limit of their own.'),
    file_operations_seconds: seconds('For reading and changing files.'),
    shell_commands_seconds: seconds('For commands.'),
  }),
  output: table({ max_bytes: bytes('The most an agent gets of one result.') }),
  environment: table({
    denylist: strings('Commands never see these, in addition to the built-in ones.'),
  }),
  read_file: table({
    max_file_read_bytes: bytes('Larger files are read in parts.'),
    max_scan_bytes: bytes('How far into a file lines are looked up.'),
  }),
  list_directory: table({
    max_depth: Type.Integer({ minimum: 1, maximum: 100, description: 'How deep a recursive listing goes.' }),
    max_entries: Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many entries a listing contains.' }),
  }),
  queue: table({
    places: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Calls of all agents that run at the same time.',
    }),
    per_tool: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Calls of one tool that run at the same time.',
    }),
    per_agent: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Calls of one agent that run at the same time.',
    }),
    max_waiting: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Further calls are refused.',
    }),
    max_wait_seconds: Type.Number({
      minimum: 0,
      maximum: 86_400,
      description: 'How long a call may wait in the queue before it is refused. 0 means no limit.',
    }),
  }),
  apply_patch: table({ max_patch_bytes: bytes('The largest patch.') }),
  write_file: table({ max_bytes: bytes('The largest file that may be written.') }),
  run_command: table({
    confinement: Type.Enum(['required', 'preferred', 'off'], {
      description: 'How commands are kept to this folder.',
    }),
    network: Type.Boolean({
      description: 'Sandboxed commands can reach any host through a proxy, but not this computer.',
    }),
    allowed_hosts: strings(
      'Hosts that sandboxed commands can reach while the network is off, such as example.com, *.example.com or example.com:443.',
    ),
    kill_grace_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'How long a stopped command gets to exit before it is killed.',
    }),
    max_output_file_bytes: bytes('The most that is stored of one command’s output.'),
    env_allowlist: strings('Commands see these, in addition to the built-in ones.'),
    home_allowlist: strings(
      'Folders of your home folder that sandboxed commands can read, such as .config/mytool. Known keys stay hidden.',
    ),
    readable: strings(
      'Folders outside the open one that commands and programs can read without asking, such as /data/models or ~/shared. Known keys stay hidden.',
    ),
    max_cpu_seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'CPU time one command may use.' }),
    max_memory_bytes: bytes('Memory one command may use, with all its processes.'),
    max_open_files: Type.Integer({
      minimum: 16,
      maximum: 1_048_576,
      description: 'Files each process of a command may have open.',
    }),
    max_file_bytes: bytes('The largest file a command may write.'),
    max_processes: Type.Integer({
      minimum: 8,
      maximum: 65_536,
      description: 'Processes a command may have at once.',
    }),
  }),
});
