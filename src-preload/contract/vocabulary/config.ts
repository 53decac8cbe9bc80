import Type, { type Static } from 'typebox';
import { HookSettingsSchema } from './hooks.js';
import { SourceSettingsSchema } from './tools/sources.js';

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

const ClientRule = table({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The name by which the agent introduces itself, without its version.',
  }),
  access: Type.Enum(['normal', 'ask', 'blocked'], {
    description: 'As your rules say, ask for every call of it, or let none of its calls run.',
  }),
  folders: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
      description: 'The folders that it may work in, and what lies in them; absent means every open one.',
      maxItems: 100,
    }),
  ),
});

const COMMANDS = ['ask', 'sandbox'] as const;
const EDITS = ['ask', 'collect'] as const;
const SECRETS = ['ask', 'deny'] as const;

const AgentSettings = table({
  name: Type.String({ minLength: 1, maxLength: 100, description: 'The agent, by the name of its token.' }),
  commands: Type.Optional(Type.Enum([...COMMANDS], { description: 'Its commands; absent means as for all.' })),
  edits: Type.Optional(Type.Enum([...EDITS], { description: 'Its edits; absent means as for all.' })),
  secrets: Type.Optional(Type.Enum([...SECRETS], { description: 'Files that keep secrets; absent means as for all.' })),
  allow_absolute: Type.Optional(
    Type.Boolean({ description: 'Whether it may name absolute paths; absent means as for all.' }),
  ),
});

const Definition = table({
  name: Type.String({ minLength: 1, description: 'What a model calls it.' }),
  description: Type.String({ description: 'What it does, for the model.' }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its arguments.' }),
});

export const ConfigSchema = table({
  tools: table({
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
  }),
  model: table({
    provider: Type.Enum(['demo', 'anthropic', 'openai-compatible', 'openai', 'google', 'ollama'], {
      description: 'Who answers in the conversation.',
    }),
    base_url: Type.String({
      maxLength: 2000,
      description:
        'What stands before /messages or /chat/completions. Leave empty for the provider’s own. A key that comes from the API key variable goes to whatever address stands here.',
    }),
    model: Type.String({ maxLength: 200, description: 'As its provider calls it.' }),
    api_key_env: Type.String({
      maxLength: 200,
      description:
        'An environment variable of Gatehouse that holds the key. It comes before a key kept here, and goes to this address alone.',
    }),
    context_tokens: Type.Integer({
      minimum: 1024,
      maximum: 100_000_000,
      description: 'How many tokens the model can take.',
    }),
    reserve_tokens: Type.Integer({
      minimum: 0,
      maximum: 100_000_000,
      description: 'What of the context stays free for the answer.',
    }),
    max_output_tokens: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: 'The limit that is sent with each request.',
    }),
    system_prompt: Type.String({
      maxLength: 100_000,
      description: 'Goes before every conversation, in your words.',
    }),
    instructions: strings(
      'Files of a folder that tell a model how to work there. Each is used once you have accepted its text.',
    ),
    temperature: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 2,
        description: 'How freely it chooses its words; left out, its provider’s own.',
      }),
    ),
  }),
  search: table({
    provider: Type.Enum(['builtin', 'ollama', 'words'], {
      description:
        'How tools are found: by what their descriptions mean, with a small model that stays on this computer or with your Ollama, or by words alone.',
    }),
    ollama_base_url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Your Ollama. It is sent descriptions of tools and what is searched for.',
    }),
    embedding_model: Type.String({ minLength: 1, maxLength: 200, description: 'As Ollama calls it.' }),
    threshold: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How near a meaning must come, from 0 to 1, with Ollama.',
    }),
  }),
  invoke: table({
    sync_wait_seconds: Type.Integer({
      minimum: 1,
      maximum: 600,
      description: 'How long a program waits for the result of a call over HTTP before it has to ask again.',
    }),
    starvation_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'How long a call of low priority waits in the queue before it counts as normal.',
    }),
  }),
  gateway: table({
    enabled: Type.Boolean({ description: 'Programs on this computer can send requests over HTTP.' }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: '0 uses any free port.' }),
    clients: Type.Array(ClientRule, {
      description: 'What each agent may do.',
      maxItems: 200,
    }),
    agents: Type.Array(AgentSettings, {
      description: 'Agents that ask more or less often than the others.',
      maxItems: 200,
    }),
    when_client_leaves: Type.Enum(['cancel', 'keep'], {
      description: 'What happens to an agent’s waiting calls when it disconnects.',
    }),
    limits: table({
      sessions: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Sessions one agent may have at the same time.',
      }),
      sheets: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Requests of one agent that may wait for you.',
      }),
      recorded_mb_per_minute: Type.Integer({
        minimum: 1,
        maximum: 1_048_576,
        description: 'How much one agent may add to the history in a minute.',
      }),
    }),
  }),
  sources: Type.Record(Type.String(), SourceSettingsSchema, {
    description: 'Where tools come from besides those that are built in.',
  }),
  domain: table({
    package: Type.String({
      maxLength: 4096,
      description: 'The folder of a domain package, whose tools are served. Leave empty for none.',
    }),
    secrets: Type.Record(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,199}$' }),
      Type.String({ pattern: '^(?:secret|env):[\\w.:/@-]+$' }),
      { description: 'What its workers get: the names of their variables, each secret:<name> or env:<variable>.' },
    ),
    digest: Type.String({
      pattern: '^(?:sha256:[0-9a-f]{64})?$',
      description: 'Of the package that you say yes to in advance, as “npm run -s domain -- check” prints it.',
    }),
    follow: Type.Boolean({
      description: 'Take each new version at once, where no tool may write to the package’s folder.',
    }),
  }),
  hooks: Type.Array(HookSettingsSchema, {
    description: 'Programs of yours that judge calls before they run, or are told of them afterwards.',
    maxItems: 100,
  }),
  registry: table({
    max_versions_per_tool: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'How many versions of one tool are kept. The lowest go first.',
    }),
    deprecation_warning_days: Type.Integer({
      minimum: 0,
      maximum: 3650,
      description: 'How long a deprecated version can still be asked for after its date.',
    }),
  }),
  journal: table({
    keep_days: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: 'Older calls are removed. Calls recorded under a longer limit keep it.',
    }),
    output_quota_bytes: bytes('When it is full, the oldest output is removed.'),
    image_quota_bytes: bytes('When it is full, the oldest copies are removed.'),
  }),
  telemetry: table({
    otlp_endpoint: Type.String({
      maxLength: 2000,
      description: 'OTLP over HTTP. Leave empty to send nothing.',
    }),
  }),
});

export type Config = Static<typeof ConfigSchema>;

type Leaves<Group, Prefix extends string = ''> = {
  [Key in keyof Group & string]-?: Group[Key] extends readonly unknown[]
    ? `${Prefix}${Key}`
    : string extends keyof Group[Key]
      ? `${Prefix}${Key}`
      : Group[Key] extends object
        ? Leaves<Group[Key], `${Prefix}${Key}.`>
        : `${Prefix}${Key}`;
}[keyof Group & string];

/** Dotted: `tools.approval.mode`. A setting is a leaf of the schema; lists, and tables with names of the person's own, are leaves. */
export type SettingKey = Leaves<Config>;
