import Type, { type TSchema } from 'typebox';

const orNull = <Of extends TSchema>(schema: Of) => Type.Union([schema, Type.Null()]);
const text = Type.String();
const whole = Type.Integer();
const anyObject = Type.Unsafe<object>(Type.Object({}));

const callFields = {
  callId: text,
  batchId: text,
  tool: text,
  toolId: orNull(text),
  version: orNull(text),
  state: text,
  outcome: orNull(text),
  code: orNull(text),
  door: text,
  client: orNull(text),
  agent: orNull(text),
  startedAt: Type.Integer({ description: 'Unix ms.' }),
  durationMs: orNull(Type.Number()),
};

const ChangeSchema = Type.Object({ path: text, change: Type.Enum(['created', 'modified', 'deleted']) });

export const CallPageSchema = Type.Object({
  calls: Type.Array(Type.Object(callFields)),
  next: orNull(Type.String({ description: 'What `before` is for the page after this one.' })),
});

export const CallDetailSchema = Type.Object({
  ...callFields,
  providerCallId: orNull(text),
  arguments: anyObject,
  originalArguments: orNull(anyObject),
  capabilities: Type.Array(text),
  result: orNull(text),
  structured: Type.Unsafe<object | null>(Type.Unknown()),
  reason: orNull(text),
  outputBytes: whole,
  outputBytesLeftOut: whole,
  redactions: whole,
  repeats: whole,
  warnings: Type.Array(text),
  e_code: orNull(text),
  confinement: orNull(Type.Enum(['confined', 'network', 'unconfined'])),
  changedFiles: Type.Array(Type.Intersect([ChangeSchema, Type.Object({ undoable: Type.Boolean() })])),
  putAside: Type.Array(ChangeSchema),
  events: Type.Array(Type.Object({ seq: whole, state: text, at: whole, hash: text })),
  undoneBy: orNull(text),
  undoes: orNull(text),
});

export const StatusSchema = Type.Object({
  version: text,
  workspace: orNull(text),
  workspaces: Type.Array(text),
  mode: Type.Enum(['enabled', 'parse_only', 'disabled']),
  journal: text,
  pending: whole,
  running: whole,
  recovering: Type.Boolean(),
});

export const ApprovalsSchema = Type.Object({
  approvals: Type.Array(
    Type.Object({
      callId: text,
      batchId: text,
      tool: text,
      summary: text,
      risk: Type.Enum(['low', 'medium', 'high']),
      for: Type.Enum(['run', 'keep', 'host', 'folder']),
      folder: Type.Optional(text),
      door: text,
      client: orNull(text),
      agent: orNull(text),
      since: whole,
    }),
  ),
});

export const VerdictSchema = Type.Union([
  Type.Object({ ok: Type.Literal(true), events: whole, head: text }),
  Type.Object({ ok: Type.Literal(false), firstBad: whole, reason: text }),
]);

export const SourcesSchema = Type.Object({ sources: Type.Array(anyObject) });
