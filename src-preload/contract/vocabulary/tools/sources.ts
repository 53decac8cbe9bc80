import Type, { type Static } from 'typebox';

export const SOURCE_KINDS = ['mcp', 'openapi', 'langchain', 'program'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The states of a source that the Tools page and `GET /v1/sources` tell. */
export type SourceStateName = 'running' | 'starting' | 'stopped' | 'changed' | 'refused' | 'failed';
/** The stage of a source that is being started. */
export type SourceStage = 'fetching' | 'starting' | 'listing';

/**
 * Lifecycles of an operation, in the order in which it goes through them; a range takes the highest active version,
 * else the highest deprecated one.
 */
export const LIFECYCLES = ['active', 'deprecated', 'sunset', 'removed'] as const;
export type ToolLifecycle = (typeof LIFECYCLES)[number];

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description }));
const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 8192 }), { maxItems: 1000, description }));
const namedTexts = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 8192 }), {
      maxProperties: 200,
      description,
    }),
  );
const choice = <const T extends string>(choices: readonly T[], description: string) =>
  Type.Optional(Type.Unsafe<T>(Type.Enum([...choices], { description })));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const SOURCE_NAME = '^[a-z0-9][a-z0-9-]{0,31}$';

/** `[sources.<name>]` as a person writes it. Which of them go together with which kind, and what else has to be so, `wrongSource` says. */
export const SourceSettingsSchema = Type.Object(
  {
    kind: Type.Enum([...SOURCE_KINDS], { description: 'What it is.' }),
    command: text('A local server: the program that is started.'),
    args: texts('What it is started with.'),
    cwd: text('The folder that it is started in; left out, a temporary one.'),
    env: namedTexts('What it is given in its environment; secret:<name> stands for a key that is kept here.'),
    url: text('Where it is reached.'),
    headers: namedTexts('What is sent with each request; secret:<name> stands for a key that is kept here.'),
    file: text('The document that defines its tools.'),
    base_url: text('Where its requests go; left out, where its document says.'),
    manifest: text('A manifest, or a folder of them.'),
    enabled: flag('Whether its tools can be called.'),
    include: texts('Only these operations; * stands for anything.'),
    exclude: texts('Not these operations.'),
    definitions: choice(['ask', 'first'], 'Whether you accept its tools, or those that are seen first are accepted.'),
    approval: choice(['ask', 'annotations'], 'Whether its calls ask, or those that only read, as it says, don’t.'),
    timeout_seconds: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description: 'How long one call may take.' }),
    ),
    start: choice(['on-demand', 'with-app'], 'Started when a tool of it is called, or with Gatehouse.'),
    network: texts('Hosts that a local server can reach; * opens the network to it.'),
    filesystem: choice(['none', 'read', 'write'], 'What a local server can do in the open folder.'),
    elicitation: flag('Whether it may ask you something.'),
    sampling: flag('Whether it may ask your model something.'),
    credentials: namedTexts('The keys that its manifest asks for: secret:<name> or env:<name>.'),
  },
  closed,
);
export type SourceSettings = Static<typeof SourceSettingsSchema>;

/** Defaults for keys that a source leaves out. */
export const SOURCE_DEFAULTS = {
  args: [],
  env: {},
  headers: {},
  enabled: true,
  include: ['*'],
  exclude: [],
  definitions: 'ask',
  approval: 'ask',
  timeout_seconds: 60,
  start: 'on-demand',
  network: [],
  filesystem: 'none',
  elicitation: false,
  sampling: false,
  credentials: {},
} satisfies Partial<SourceSettings>;

export type SourceConfig = SourceSettings & Required<Pick<SourceSettings, keyof typeof SOURCE_DEFAULTS>>;

/** Where signing in at a source stands, in the person's browser. */
export interface SignInState {
  /** The stage of signing in. `wanted`: a request was refused for want of a sign-in. */
  readonly kind: 'none' | 'wanted' | 'under-way' | 'signed-in';
  /** The host of the page that signs the person in, once that is known. */
  readonly host: string | null;
  /** The whole address that the browser is led to, while it is under way. */
  readonly address: string | null;
  /** Hosts that take part besides that one and the source's own. */
  readonly others: readonly string[];
  /** The scope that is asked for, in its server's own words. */
  readonly scope: string | null;
  /** Why the last try came to nothing. */
  readonly problem: string | null;
}
