import Type, { type Static } from 'typebox';
import { HookSettingsSchema } from './hooks.js';
import { bytes, strings, table } from './settings/setting-types.js';
import { GatewaySettingsSchema } from './settings/gateway-settings.js';
import { ToolSettingsSchema } from './settings/tool-settings.js';
import { SourceSettingsSchema } from './tools/sources.js';

/**
 * Every setting there is: seed 002 §6 and the contract. From this schema come the TypeScript type, the validation of
 * config.toml, and the Settings page (descriptions are shown to people). Defaults are in resources/default-config.toml.
 */
export const ConfigSchema = table({
  tools: ToolSettingsSchema,
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
  gateway: GatewaySettingsSchema,
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
