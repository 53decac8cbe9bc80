import Type, { type Static, type TSchema } from 'typebox';
import { PRIORITIES } from '../../domain/call/call-options.js';
import { INVOCATION_STATUSES, TOOL_ERROR_CODES } from './outcome-words.js';

/** Where the seed says Optional, it may be left out or null. */
const optional = <Of extends TSchema>(schema: Of) => Type.Optional(Type.Union([schema, Type.Null()]));
const orNull = <Of extends TSchema>(schema: Of) => Type.Union([schema, Type.Null()]);
const claim = Type.String({ maxLength: 500 });
const open = Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}));
const limit = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 });
export const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const AgentContextSchema = Type.Object(
  { agent_did: optional(claim), tenant_id: optional(claim), user_did: optional(claim), session_id: optional(claim) },
  { description: 'For whom it is asked: claims within the bearer. Left out, it is the bearer’s own.' },
);
export type AgentContext = Static<typeof AgentContextSchema>;

export const InvokeSchema = Type.Object({
  tool_id: Type.String({ minLength: 1, maxLength: 500, description: 'An id, or a name.' }),
  tool_version: optional(Type.String({ maxLength: 100, description: 'A version or a range; left out, any.' })),
  invocation_id: optional(Type.String({ pattern: UUID, description: 'A UUID; left out, one is made.' })),
  agent_context: optional(AgentContextSchema),
  parameters: open,
  workspace: optional(
    Type.String({ maxLength: 4096, description: 'The path of an open folder; left out, the session’s.' }),
  ),
  resource_limits: optional(
    Type.Object(
      {
        cpu_millicore_limit: optional(limit),
        memory_mb_limit: optional(limit),
        timeout_seconds: optional(limit),
        network_bandwidth_mbps: optional(limit),
      },
      { description: 'They tighten, and never loosen.' },
    ),
  ),
  document_context: optional(
    Type.Object({
      document_refs: optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 })),
      version_pinning: optional(Type.Boolean()),
      query: optional(Type.String()),
    }),
  ),
  checkpoint_config: optional(
    Type.Object({
      enable_checkpointing: optional(Type.Boolean()),
      checkpoint_interval_seconds: optional(Type.Number()),
      resume_from_checkpoint_id: optional(Type.String({ maxLength: 500 })),
    }),
  ),
  execution_options: optional(
    Type.Object({
      async_mode: optional(Type.Boolean()),
      priority: optional(Type.Enum([...PRIORITIES])),
      idempotency_key: optional(Type.String({ minLength: 1, maxLength: 256 })),
      require_approval: optional(Type.Boolean()),
    }),
  ),
  capability_token: optional(Type.String({ maxLength: 100_000 })),
});
export type InvokeRequest = Static<typeof InvokeSchema>;

const ErrorSchema = Type.Object({
  code: Type.Enum([...TOOL_ERROR_CODES]),
  message: Type.String(),
  details: Type.Object({
    code: orNull(Type.String({ description: 'Gatehouse’s own.' })),
    e_code: orNull(Type.String()),
    call_id: orNull(Type.String()),
    fields: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
  }),
  retryable: Type.Boolean(),
});
export type ToolError = Static<typeof ErrorSchema>;

const CheckpointSchema = Type.Object({
  checkpoint_id: Type.String(),
  checkpoint_type: Type.Enum(['micro', 'macro', 'named']),
  timestamp: Type.String(),
});

const MetadataSchema = Type.Object({
  duration_ms: Type.Number({ description: 'Without waiting.' }),
  started_at: Type.String(),
  completed_at: orNull(Type.String()),
  cpu_used_millicore_seconds: Type.Number(),
  memory_peak_mb: Type.Number(),
  network_bytes_sent: Type.Number(),
  network_bytes_received: Type.Number(),
  documents_accessed: Type.Array(
    Type.Object({ document_id: Type.String(), document_version: Type.String(), access_count: Type.Integer() }),
  ),
  checkpoints_created: Type.Array(CheckpointSchema),
  unknown: Type.Array(Type.String({ description: 'What stands as 0 and is not known.' })),
});

const PollingSchema = Type.Object({
  status_url: Type.String(),
  estimated_completion_seconds: orNull(Type.Integer()),
});

export const InvokeResponseSchema = Type.Object({
  invocation_id: orNull(Type.String()),
  status: Type.Enum([...INVOCATION_STATUSES]),
  result: Type.Unknown({ description: 'What the tool gave; null where it gave nothing.' }),
  error: orNull(ErrorSchema),
  execution_metadata: orNull(MetadataSchema),
  checkpoint_ref: orNull(Type.String()),
  polling_info: orNull(PollingSchema),
  warnings: Type.Array(Type.String()),
});
export type InvokeResponse = Static<typeof InvokeResponseSchema>;

export const StatusRequestSchema = Type.Object({
  invocation_id: Type.String(),
  agent_context: optional(AgentContextSchema),
});

export const StatusResponseSchema = Type.Object({
  invocation_id: Type.String(),
  status: Type.Enum([...INVOCATION_STATUSES]),
  progress_percent: orNull(Type.Integer()),
  current_phase: orNull(Type.String()),
  error: orNull(ErrorSchema),
  latest_checkpoint: orNull(CheckpointSchema),
  result: Type.Optional(Type.Unknown({ description: 'Of a success.' })),
  execution_metadata: Type.Optional(MetadataSchema),
  warnings: Type.Optional(Type.Array(Type.String())),
});

export const CancelRequestSchema = Type.Object({
  invocation_id: Type.String(),
  agent_context: optional(AgentContextSchema),
  reason: optional(Type.String({ maxLength: 10_000 })),
});

export const CancelResponseSchema = Type.Object({
  invocation_id: Type.String(),
  cancelled: Type.Boolean(),
  message: Type.String(),
});

export const MAX_PAGE = 100;
export const ListRequestSchema = Type.Object({
  agent_context: optional(AgentContextSchema),
  filters: optional(
    Type.Object({
      category: optional(Type.String()),
      tags: optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })])),
      source: optional(Type.String()),
      state: optional(Type.String()),
    }),
  ),
  capability_query: optional(Type.String({ maxLength: 4000 })),
  pagination: optional(
    Type.Object({
      page: optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
      page_size: optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
    }),
  ),
});
export type ListRequest = Static<typeof ListRequestSchema>;

const ToolSummarySchema = Type.Object({
  tool_id: Type.String(),
  tool_name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  versions: Type.Array(Type.String()),
  latest_version: Type.String(),
  tags: Type.Array(Type.String()),
  requires_approval: Type.Boolean(),
  source: Type.String(),
  deprecation: Type.Array(
    Type.Object({
      version: Type.String(),
      state: Type.String(),
      date: orNull(Type.String()),
      use: orNull(Type.String()),
    }),
  ),
  score: Type.Optional(Type.Number({ description: 'How well it answers the query, 0 to 1.' })),
});
export type ToolSummary = Static<typeof ToolSummarySchema>;

export const ListResponseSchema = Type.Object({
  tools: Type.Array(ToolSummarySchema),
  total_count: Type.Integer(),
  page: Type.Integer(),
  page_size: Type.Integer(),
  warnings: Type.Array(Type.String()),
  search: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  error: Type.Optional(ErrorSchema),
});

/** 400, 404 and 409: there is no such invocation to tell about. */
export const RefusedSchema = Type.Object({
  invocation_id: orNull(Type.String()),
  status: Type.Literal('error'),
  error: ErrorSchema,
});
