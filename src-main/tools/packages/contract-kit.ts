import { randomBytes, randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { type Outside, OutsideProblem } from '../../domain/ports/outside.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { admitSchema } from '../foreign/foreign-admission.js';
import { MAX_WORKER_ANSWER_BYTES, buildRequestBody, type RunMeta } from './worker-envelope.js';
import { askWorker, type WorkerAddress } from './workers/ask-worker.js';

export interface KitSubject {
  readonly toolId: string;
  readonly domainId: string;
  readonly at: WorkerAddress;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  readonly timeoutMs: number;
}

export interface KitFinding {
  /** The trial, in words. */
  readonly tried: string;
  /** Null: the contract holds. */
  readonly wrong: string | null;
}

interface TrialRequest {
  readonly input: JsonObject;
  readonly meta?: Partial<RunMeta>;
}

/**
 * Proves a worker against the contract, whatever it does: each request that a gateway may send, one time, and whether what comes back is
 * what a gateway takes. That it fails is no fault, where it says so as workers do.
 */
export async function proveWorker(outside: Outside, subject: KitSubject): Promise<readonly KitFinding[]> {
  const findings: KitFinding[] = [];
  const prove = async (tried: string, trial: () => Promise<string | null>): Promise<void> => {
    findings.push({ tried, wrong: await trial().catch(describeError) });
  };
  const input = buildSample(subject.inputSchema);
  // Nobody asks a worker that runs elsewhere for its health.
  if (subject.at.socketPath !== undefined)
    await prove('GET /health has an answer', () => tryHealth(outside, subject.at));
  await prove('a request is answered with its own ids', () => tryRequest(outside, subject, { input }));
  // A worker that can't answer one request has nothing more to show.
  if (findings.some(({ wrong }) => wrong !== null)) return findings;
  await prove('eight requests at once are each answered with their own ids', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => tryRequest(outside, subject, { input })));
    return all.find((wrong) => wrong !== null) ?? null;
  });
  await prove('ids of any kind come back as they were', () =>
    tryRequest(outside, subject, {
      input,
      meta: { trace_id: 'ä “trace” \\ 1', tool_run_id: `run/${'x'.repeat(200)}` },
    }),
  );
  await prove('input that fits nothing is answered in the envelope', () =>
    tryRequest(
      outside,
      subject,
      { input: { [`unexpected_${randomBytes(4).toString('hex')}`]: [null, { deep: true }] } },
      'any',
    ),
  );
  await prove('a deadline that is over is answered in the envelope', () =>
    tryRequest(outside, subject, { input, meta: { deadline_ms: 1 } }, 'any'),
  );
  await prove('a body that is no request does not end it', async () => {
    await sendJunk(outside, subject.at);
    return tryRequest(outside, subject, { input });
  });
  return findings;
}

async function tryRequest(
  outside: Outside,
  { toolId, domainId, at, outputSchema, timeoutMs }: KitSubject,
  { input, meta = {} }: TrialRequest,
  output: 'checked' | 'any' = 'checked',
): Promise<string | null> {
  const answer = await askWorker(
    outside,
    at,
    {
      toolId,
      sideEffecting: false,
      meta: {
        trace_id: randomBytes(16).toString('hex'),
        tool_run_id: randomUUID(),
        domain_id: domainId,
        deadline_ms: Date.now() + timeoutMs,
        ...meta,
      },
      input,
      traceParent: { traceId: randomBytes(16).toString('hex'), flags: '01' },
      spanId: randomBytes(8).toString('hex'),
      withinMs: timeoutMs,
      byCaller: false,
    },
    new AbortController().signal,
  );
  if (answer.kind === 'error' || output === 'any' || outputSchema === null) return null;
  const admitted = admitSchema(outputSchema, 'anything');
  const misfit = admitted.ok ? admitted.checkInput(answer.output) : admitted.problems.join('; ');
  return misfit === null ? null : `its output does not fit its schema: ${misfit}`;
}

const WITHIN_MS = 10_000;

async function tryHealth(outside: Outside, { baseUrl, socketPath }: WorkerAddress): Promise<string | null> {
  const answer = await outside.send(
    {
      method: 'GET',
      url: `${baseUrl.replace(/\/+$/u, '')}/health`,
      within: baseUrl,
      headers: {},
      body: null,
      keys: [],
      ...(socketPath === undefined ? {} : { socketPath }),
    },
    AbortSignal.timeout(WITHIN_MS),
  );
  await answer.bytes(MAX_WORKER_ANSWER_BYTES).catch(() => undefined);
  return null;
}

/** Sends bodies that are no requests. Whatever the worker answers, if at all: the next request has to be answered. */
async function sendJunk(outside: Outside, at: WorkerAddress): Promise<void> {
  for (const body of ['{', '[]', 'null', '', buildRequestBody({} as RunMeta, {})]) {
    await outside
      .send(
        {
          method: 'POST',
          url: `${at.baseUrl.replace(/\/+$/u, '')}${at.endpoint}`,
          within: at.baseUrl,
          headers: { 'content-type': 'application/json' },
          body,
          keys: [],
          ...(at.socketPath === undefined ? {} : { socketPath: at.socketPath }),
        },
        AbortSignal.timeout(WITHIN_MS),
      )
      .then((answer) => answer.bytes(MAX_WORKER_ANSWER_BYTES))
      .catch(() => undefined);
  }
}

function describeError(error: unknown): string {
  if (error instanceof ToolFailure) return error.failure.message;
  if (error instanceof OutsideProblem) return error.message;
  return error instanceof Error ? error.message : String(error);
}

/** The simplest that may fit: whatever it is, it is answered. */
export function buildSample(schema: JsonObject | null): JsonObject {
  const sample = schema === null ? {} : buildSampleValue(schema, 0);
  return isJsonObject(sample) ? sample : {};
}

const MAX_SAMPLE_DEPTH = 8;

function buildSampleValue(schema: Json, depth: number): Json {
  if (!isJsonObject(schema) || depth > MAX_SAMPLE_DEPTH) return null;
  const { default: given, examples, const: only, enum: some, anyOf, oneOf } = schema;
  if (given !== undefined) return given;
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(some) && some[0] !== undefined) return some[0];
  const parts = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
  if (parts?.[0] !== undefined) return buildSampleValue(parts[0], depth + 1);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return 'x'.repeat(Math.min(1000, Math.max(1, asNumber(schema['minLength']) ?? 1)));
    case 'integer':
    case 'number':
      return asNumber(schema['minimum']) ?? (asNumber(schema['exclusiveMinimum']) ?? 0) + 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Math.min(100, asNumber(schema['minItems']) ?? 0) }, () =>
        buildSampleValue(schema['items'] ?? {}, depth + 1),
      );
    default: {
      const properties = isJsonObject(schema['properties'] ?? null) ? (schema['properties'] as JsonObject) : {};
      const required = Array.isArray(schema['required']) ? schema['required'] : [];
      return Object.fromEntries(
        required.flatMap((name) =>
          typeof name === 'string' ? [[name, buildSampleValue(properties[name] ?? {}, depth + 1)]] : [],
        ),
      );
    }
  }
}

const asNumber = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
