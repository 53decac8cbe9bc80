import Type, { type Static } from 'typebox';

/**
 * Every setting there is: seed 002 §6 and the contract. From this schema come the TypeScript type, the validation of
 * config.toml, and the Settings page (descriptions are shown to people). Defaults are in resources/default-config.toml.
 */
const closed = { additionalProperties: false } as const;
const table = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, closed);
const bytes = (description: string) => Type.Integer({ minimum: 1, maximum: 2 ** 40, description });
const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });
const strings = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { description, maxItems: 1000 });

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
  digest: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Of what a runner runs, such as the script behind npm test; where that differs, it asks.',
    }),
  ),
});

const ClientRule = table({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The name by which the agent introduces itself, without its version.',
  }),
  access: Type.Enum(['ask', 'blocked'], { description: 'Ask for every call of it, or let none of its calls run.' }),
});

const Definition = table({
  name: Type.String({ minLength: 1, description: 'What a model calls it.' }),
  description: Type.String({ description: 'What it does, for the model.' }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its arguments.' }),
});

export const ConfigSchema = table({
  tools: table({
    mode: Type.Enum(['disabled', 'parse_only', 'enabled'], {
      description:
        'Whether tools run (enabled), only wait for results you give by hand (parse_only), or are refused (disabled).',
    }),
    allow_parallel: Type.Boolean({ description: 'Reserved: calls of one batch always run one after another.' }),
    max_tool_calls_per_batch: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'How many calls one message may ask for.',
    }),
    max_tool_iterations_per_user_turn: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'How often a model may call tools before you speak again.',
    }),
    max_tool_args_bytes: bytes('The largest arguments of one call.'),
    definitions: Type.Array(Definition, { description: 'Tools of your own, for parse_only mode.', maxItems: 200 }),
    approval: table({
      enabled: Type.Boolean({ description: 'Off refuses every call.' }),
      mode: Type.Enum(['auto', 'prompt', 'deny'], {
        description: 'Run unless denied (auto), ask (prompt), or deny unless on the allowlist (deny).',
      }),
      allowlist: strings('Tools that need no asking. Tools that always ask still ask.'),
      denylist: strings('Tools that are always denied.'),
      prompt_side_effects: Type.Boolean({ description: 'Ask for every tool that changes something.' }),
      wait_seconds: Type.Number({
        minimum: 0,
        maximum: 31_536_000,
        description: 'How long a call waits for your decision; 0 waits without limit.',
      }),
      secrets: Type.Enum(['ask', 'deny'], {
        description: 'Files that keep secrets (.env and its like): ask about each, or deny them.',
      }),
      confirmed: Type.Array(Confirmed, {
        description: 'Standing confirmations: your own yes, given in advance.',
        maxItems: 1000,
      }),
    }),
    sandbox: table({
      allowed_roots: strings('Folders that file tools may reach, relative to the workspace.'),
      denied_patterns: strings('Paths that are never touched. Adds to the built-in ones.'),
      allow_absolute: Type.Boolean({
        description: 'Whether tools may name absolute paths inside the allowed folders.',
      }),
      include_default_denies: Type.Boolean({
        description: 'Keep the built-in denied paths (keys, .ssh and the like).',
      }),
    }),
    timeouts: table({
      default_seconds: seconds('For tools that have none of their own.'),
      file_operations_seconds: seconds('For tools that work on files.'),
      shell_commands_seconds: seconds('For commands.'),
    }),
    output: table({ max_bytes: bytes('The most that a caller gets of one result.') }),
    environment: table({
      denylist: strings('Environment variables that commands never see. Adds to the built-in ones.'),
    }),
    read_file: table({
      max_file_read_bytes: bytes('The largest file that is read without a line range.'),
      max_scan_bytes: bytes('How far into a file a line range is looked for.'),
    }),
    list_directory: table({
      max_depth: Type.Integer({ minimum: 1, maximum: 100, description: 'How deep a recursive listing goes.' }),
      max_entries: Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many entries a listing holds.' }),
    }),
    queue: table({
      places: Type.Integer({ minimum: 1, maximum: 1000, description: 'How many calls run side by side.' }),
      per_tool: Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'How many calls of one tool run side by side.',
      }),
      per_agent: Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'How many calls of one agent run side by side.',
      }),
      max_waiting: Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'How many calls may wait for a place; more are refused.',
      }),
      max_wait_seconds: Type.Number({
        minimum: 0,
        maximum: 86_400,
        description: 'How long a call waits for a place before it is refused; 0 waits without limit.',
      }),
    }),
    apply_patch: table({ max_patch_bytes: bytes('The largest patch.') }),
    write_file: table({ max_bytes: bytes('The largest file that may be written.') }),
    run_command: table({
      confinement: Type.Enum(['required', 'preferred', 'off'], {
        description:
          'Confine commands always (required: or they fail), where the machine can (preferred), or never (off).',
      }),
      network: Type.Boolean({
        description:
          'Whether confined commands may reach any host, through a proxy: not this computer, and only with programs that use one.',
      }),
      allowed_hosts: strings(
        'Hosts that confined commands may reach while the network is otherwise off: example.com, *.example.com or an address, with a port if only one is meant. Empty means none.',
      ),
      kill_grace_ms: Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'How long a command may take to end by itself before it is ended.',
      }),
      max_output_file_bytes: bytes('The most that is kept of one command’s output.'),
      env_allowlist: strings('Environment variables that commands may see besides the built-in ones.'),
      home_allowlist: strings(
        'What of your home folder confined commands may read besides where tools keep their programs, from there: .config/mytool. Keys that are known stay covered.',
      ),
      max_cpu_seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'CPU time one command may use.' }),
      max_memory_bytes: bytes(
        'Memory a command may use: all its processes together, and as address space each of them.',
      ),
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
  }),
  model: table({
    provider: Type.Enum(['demo', 'anthropic', 'openai-compatible'], {
      description: 'Who answers in the conversation.',
    }),
    base_url: Type.String({ maxLength: 2000, description: 'Where an OpenAI-compatible server listens.' }),
    model: Type.String({ maxLength: 200, description: 'The model’s name.' }),
    api_key_env: Type.String({ maxLength: 200, description: 'The environment variable that holds the API key.' }),
    context_tokens: Type.Integer({
      minimum: 1024,
      maximum: 100_000_000,
      description: 'How much the model can keep in mind.',
    }),
  }),
  gateway: table({
    enabled: Type.Boolean({ description: 'Serve MCP and HTTP to programs on this machine.' }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: '0 takes any free port.' }),
    clients: Type.Array(ClientRule, {
      description: 'What single agents may do: ask for all their calls, or block them.',
      maxItems: 200,
    }),
    when_client_leaves: Type.Enum(['cancel', 'keep'], {
      description: 'What becomes of a client’s waiting calls when it goes.',
    }),
    limits: table({
      sessions: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Sessions one agent may have at once.' }),
      sheets: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Sheets of one agent that may wait for you.' }),
      recorded_mb_per_minute: Type.Integer({
        minimum: 1,
        maximum: 1_048_576,
        description: 'How much of one agent’s calls and results may be recorded in a minute, in MB.',
      }),
    }),
  }),
  journal: table({
    keep_days: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: 'How long calls stay in the history; those recorded under a longer time stay that long.',
    }),
    output_quota_bytes: bytes('How much stored output is kept in all; the oldest goes first.'),
    image_quota_bytes: bytes('How much is kept for undo in all; the oldest goes first.'),
  }),
  telemetry: table({
    otlp_endpoint: Type.String({
      maxLength: 2000,
      description: 'Where to send metrics (OTLP over HTTP). Empty sends nothing.',
    }),
  }),
});

export type Config = Static<typeof ConfigSchema>;
