import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, minLength = 1) => Type.String({ minLength, maxLength });
const texts = (maxItems: number, maxLength: number) => Type.Array(text(maxLength), { maxItems });
const seconds = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 });
const port = Type.Integer({ minimum: 1, maximum: 65_535 });

/** How the gateway runs a worker: a container of an image, one of a folder of the package, or a program. */
const WorkerSchema = Type.Object(
  {
    image: Type.Optional(text(300)),
    build: Type.Optional(text(300)),
    command: Type.Optional(Type.Array(text(4096), { minItems: 1, maxItems: 100 })),
    port_env: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,99}$' })),
    port: Type.Optional(port),
    isolation: Type.Optional(Type.Enum(['gvisor'])),
  },
  closed,
);
export type WorkerShape = Static<typeof WorkerSchema>;

const ManifestTool = Type.Object(
  {
    tool_id: text(200),
    kind: Type.Enum(['service_worker', 'job_worker']),
    version: Type.Optional(text(60)),
    display_name: Type.Optional(text(200)),
    description: Type.Optional(text(20_000, 0)),
    capabilities: Type.Optional(texts(100, 200)),
    transport: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['http']),
          base_url: Type.Optional(text(2000)),
          endpoint: Type.Optional(text(1000)),
        },
        closed,
      ),
    ),
    timeout_sec: Type.Optional(seconds),
    egress_allowlist: Type.Optional(texts(1000, 300)),
    input_schema_ref: Type.Optional(text(1000)),
    output_schema_ref: Type.Optional(text(1000)),
    idempotent: Type.Optional(Type.Boolean()),
    side_effecting: Type.Optional(Type.Boolean()),
    requires_approval: Type.Optional(Type.Boolean()),
    risk: Type.Optional(Type.Enum(['low', 'medium', 'high'])),
    security_level: Type.Optional(text(200)),
    secrets: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,199}$' }), { maxItems: 100 })),
    worker: Type.Optional(WorkerSchema),
  },
  closed,
);
export type ManifestTool = Static<typeof ManifestTool>;

export const ManifestSchema = Type.Object(
  {
    domain_id: Type.String({ pattern: '^[^\\p{Cc}\\p{Cf}]{1,200}$' }),
    version: Type.String({ pattern: '^[^\\p{Cc}\\p{Cf}]{1,100}$' }),
    tools: Type.Array(ManifestTool, { minItems: 1, maxItems: 500 }),
  },
  closed,
);
export type PackageManifest = Static<typeof ManifestSchema>;

const places = Type.Integer({ minimum: 1, maximum: 1000 });
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export const PoliciesSchema = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Object(
        { global: Type.Optional(places), per_tool: Type.Optional(Type.Record(Type.String(), places)) },
        closed,
      ),
    ),
    default_timeout_sec: Type.Optional(seconds),
    egress_allowlist: Type.Optional(texts(1000, 300)),
    logging: Type.Optional(Type.Object({ level: Type.Optional(Type.Enum([...LOG_LEVELS])) }, closed)),
    queue: Type.Optional(
      Type.Object(
        {
          max_waiting: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
          max_wait_sec: Type.Optional(seconds),
        },
        closed,
      ),
    ),
  },
  closed,
);
