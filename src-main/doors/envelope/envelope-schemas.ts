import Type, { type Static, type TSchema } from 'typebox';
import { ERROR_TYPES, EXECUTION_STATUSES } from './envelope-words.js';

const optional = <Of extends TSchema>(schema: Of) => Type.Optional(Type.Union([schema, Type.Null()]));
const orNull = <Of extends TSchema>(schema: Of) => Type.Union([schema, Type.Null()]);
const text = Type.String({ maxLength: 500 });
const DATE_TIME = '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:?\\d{2})?$';

export const EnvelopeSchema = Type.Object({
  header: Type.Object({
    version: Type.String({ pattern: '^1\\.\\d+(\\.\\d+)?$', description: '1.x' }),
    messageId: Type.String({ minLength: 1, maxLength: 500 }),
    timestamp: Type.String({ pattern: DATE_TIME, description: 'A date and time of ISO 8601.' }),
    messageType: Type.Enum(['request']),
    source: optional(text),
    destination: Type.Optional(Type.Unknown()),
  }),
  payload: Type.Object({
    tool: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 500 }),
      capability: Type.String({ minLength: 1, maxLength: 500 }),
      parameters: optional(Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}))),
    }),
    context: optional(
      Type.Object({
        session_id: optional(text),
        request_id: optional(text),
        user_id: optional(text),
        workspace: optional(
          Type.String({ maxLength: 4096, description: 'The path of an open folder; left out, the session’s.' }),
        ),
      }),
    ),
    security: optional(
      Type.Object({
        token: optional(Type.String({ maxLength: 100_000 })),
        permissions: optional(Type.Array(text, { maxItems: 1000, description: 'What the caller says it holds.' })),
      }),
    ),
  }),
});
export type EnvelopeRequest = Static<typeof EnvelopeSchema>;

export const EnvelopeResponseSchema = Type.Object({
  header: Type.Object({
    version: Type.String(),
    messageId: Type.String(),
    timestamp: Type.String(),
    messageType: Type.Literal('response'),
    requestId: orNull(Type.String()),
    source: Type.String(),
    destination: orNull(Type.String()),
  }),
  payload: Type.Object({
    tool: Type.Object({ id: orNull(Type.String()), capability: orNull(Type.String()) }),
    execution: Type.Object({
      status: Type.Enum([...EXECUTION_STATUSES]),
      result: Type.Optional(Type.Unknown()),
      error: Type.Optional(
        Type.Object({
          code: Type.Enum([...ERROR_TYPES]),
          message: Type.String(),
          details: Type.Object({
            parameter: orNull(Type.String({ description: 'A JSON pointer from the message’s root.' })),
            reason: Type.String(),
            suggestion: Type.String({ description: 'What the caller can do.' }),
            code: orNull(Type.String({ description: 'Gatehouse’s own.' })),
            e_code: orNull(Type.String()),
            call_id: orNull(Type.String()),
          }),
        }),
      ),
      execution_time_ms: Type.Number(),
      resource_usage: Type.Object({ memory_bytes: Type.Number(), cpu_time_ms: Type.Number() }),
      warnings: Type.Array(Type.String()),
    }),
  }),
});
export type EnvelopeResponse = Static<typeof EnvelopeResponseSchema>;
