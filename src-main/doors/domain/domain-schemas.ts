import Type from 'typebox';

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const DomainSchema = Type.Object({ domain_id: Type.String(), version: Type.String() });

export const CatalogSchema = Type.Object({
  domain_id: Type.String(),
  version: Type.String(),
  tools: Type.Array(
    Type.Object({
      tool_id: Type.String(),
      display_name: Type.String(),
      description: Type.String(),
      capabilities: Type.Array(Type.String()),
      timeout_sec: Type.Number(),
      egress_allowlist: Type.Array(Type.String()),
      transport_type: Type.Literal('http'),
      transport_endpoint: Type.String(),
      input_schema_ref: nullableText,
      output_schema_ref: nullableText,
    }),
  ),
});

/** A JSON Schema, whatever it says. */
export const AnySchema = Type.Record(Type.String(), Type.Unknown());

export const LONGEST_TRACE_ID = 256;

export const RunRequestSchema = Type.Object({
  input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  meta: Type.Optional(
    Type.Object({
      trace_id: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_TRACE_ID })),
      workspace: Type.Optional(
        Type.String({ maxLength: 4096, description: 'The path of an open folder; left out, the one that is shown.' }),
      ),
      deadline_ms: Type.Optional(
        Type.Number({ minimum: 0, description: 'Unix ms. The least of this and the tool’s own limit counts.' }),
      ),
    }),
  ),
});

const Meta = Type.Object({ trace_id: Type.String(), tool_run_id: nullableText, duration_ms: Type.Number() });

export const RanSchema = Type.Object({ ok: Type.Literal(true), meta: Meta, output: Type.Unknown() });

export const FailedSchema = Type.Object({
  ok: Type.Literal(false),
  meta: Meta,
  error: Type.Object({
    code: Type.Enum(['UPSTREAM_ERROR', 'VALIDATION_ERROR', 'TIMEOUT', 'INTERNAL']),
    message: Type.String(),
    retryable: Type.Boolean(),
    details: Type.Record(Type.String(), Type.Unknown()),
  }),
});
