import { randomBytes } from 'node:crypto';
import type { Effect } from '#contract/vocabulary/effects.js';
import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import { sanitizeJson } from '../../domain/text/sanitize.js';
import type { DoorContext, WorkerAnswer } from '../../domain/call/door-context.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import type { Outside } from '../../domain/ports/outside.js';
import type { ProcessTerms, ToolTerms } from '../../domain/tool/terms.js';
import {
  type Tool,
  type ToolContext,
  type ToolDeclaration,
  ToolFailure,
  type ToolOutput,
} from '../../domain/tool/tool.js';
import { admitSchema } from '../foreign/foreign-admission.js';
import { toModelDescription, toModelSchema, removeHidden } from '../foreign/model-texts.js';
import { resolveEgress, type PackagedTool, type PackagePolicies, resolveTimeoutSec } from './domain-package.js';
import { askWorker, type WorkerAddress } from './workers/ask-worker.js';
import { toConfinement, type PlacedWorker } from './workers/placed-worker.js';
import { LOCAL_WORKER_URL } from './workers/service-worker.js';

export interface DomainToolOptions {
  readonly domainId: string;
  readonly tool: PackagedTool;
  /** The tool's name for models. */
  readonly name: string;
  readonly policies: () => PackagePolicies;
  readonly withoutSecrets: (value: Json) => Promise<Json>;
  readonly outside: Outside;
  readonly now: () => number;
  /** How its worker is held; null where it runs elsewhere. */
  readonly held: ProcessTerms | null;
  /** Gives the tool its worker, of those that the gateway runs. */
  readonly place: (signal: AbortSignal) => Promise<PlacedWorker>;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', what: string, facts: object) => void;
}

/** A tool of the package, as the registry has it. */
export function createDomainTool(parts: DomainToolOptions): RegisteredTool {
  const { tool } = parts;
  const declaration = buildDeclaration(parts);
  const { id, version, name, title, description, inputSchema } = declaration;
  const { outputSchema } = tool;
  return {
    tool: buildTool(declaration, parts),
    checkInput: createLazyChecker(tool.inputSchema, 'object'),
    // The output was checked against its own schema where it came in.
    checkOutput: () => null,
    advertised: {
      id,
      version,
      name,
      title,
      description,
      inputSchema,
      outputSchema: outputSchema?.['type'] === 'object' ? toModelSchema(outputSchema) : null,
      declaration,
    },
    stopped: null,
    warnings: [],
    lifecycle: 'active',
    insteadUse: null,
  };
}

const MAX_OUTPUT_BYTES = 2 ** 40;
const MAX_TITLE_LENGTH = 200;
/** The time for a worker that has to be started first: an image may have to be built. */
const START_MS = 10 * 60_000;

function buildDeclaration({ tool, name, policies, domainId }: DomainToolOptions): ToolDeclaration<'remote'> {
  const title = removeHidden(tool.displayName).trim().slice(0, MAX_TITLE_LENGTH);
  const description = toModelDescription(tool.description);
  return {
    id: tool.id,
    version: tool.version,
    name,
    title: title === '' ? name : title,
    description: description === '' ? `A tool of the domain ${removeHidden(domainId)}.` : description,
    nature: 'remote',
    takesBack: 'never',
    inputSchema: { ...toModelSchema(tool.inputSchema ?? ANY_OBJECT), type: 'object' },
    outputSchema: tool.outputSchema ?? {},
    requiredCapabilities: ['upstream'],
    resourceLimits: { maxExecutionTimeMs: resolveTimeLimitMs(tool, policies()), maxOutputBytes: MAX_OUTPUT_BYTES },
    deterministic: false,
    idempotent: tool.idempotent,
    sideEffecting: tool.sideEffecting,
    requiresApproval: tool.requiresApproval,
    risk: tool.risk,
    // What of it only reads runs after foreign text as its package says, which was accepted with all that its workers reach.
    openWorld: tool.sideEffecting,
    destructive: tool.sideEffecting,
    accepted: tool.digest,
    ofDomain: true,
  };
}

const ANY_OBJECT: JsonObject = { type: 'object' };

/** The time until the worker is there. The tool's own time begins when its worker is asked. */
const resolveStartMs = (tool: PackagedTool): number => (tool.worker === null ? 5000 : START_MS);

const resolveTimeLimitMs = (tool: PackagedTool, policies: PackagePolicies): number =>
  resolveTimeoutSec(tool, policies) * 1000 + resolveStartMs(tool);

/** Schemas were admitted when the package was taken; they are compiled when they are first needed. */
function createLazyChecker(schema: JsonObject | null, of: 'object' | 'anything'): (value: unknown) => string | null {
  if (schema === null) return () => null;
  let check: ((value: unknown) => string | null) | null = null;
  return (value) => {
    if (check === null) {
      const admitted = admitSchema(schema, of);
      check = admitted.ok ? admitted.checkInput : () => 'its schema can’t be checked any more';
    }
    return check(value);
  };
}

function buildTool(declaration: ToolDeclaration<'remote'>, parts: DomainToolOptions): Tool<unknown> {
  const { tool, policies } = parts;
  const misfit = createLazyChecker(tool.outputSchema, 'anything');
  const made: Tool<JsonObject, 'remote'> = {
    declaration,
    argumentsBoundedElsewhere: [],
    timeoutMs: () => resolveTimeLimitMs(tool, policies()),
    startMs: resolveStartMs(tool),
    termsFor: ({ config }) => ({
      nature: 'remote',
      process: parts.held,
      network: resolveNetwork(tool, policies()),
      paths: 'none',
      secrets: tool.secrets,
      limits: { timeMs: resolveTimeoutSec(tool, policies()) * 1000, outputBytes: config.tools.output.max_bytes },
    }),
    ruleScope: () => ({ of: 'tool' }),
    parse: (args) => args,
    summary: () => declaration.title,
    preflight: async () => ({ risk: declaration.risk, mustAsk: null }),
    effect: async (): Promise<Effect> => ({ kind: 'arguments' }),
    execute: (args, context) => runTool(args, context, parts, misfit),
  };
  return made;
}

/**
 * The hosts of the terms: for a worker that runs here those that it may reach, for one elsewhere its own. What a worker
 * elsewhere says that it reaches is a claim.
 */
function resolveNetwork(tool: PackagedTool, policies: PackagePolicies): ToolTerms['network'] {
  const hosts = tool.worker === null ? [URL.parse(tool.baseUrl ?? '')?.host ?? ''] : resolveEgress(tool, policies);
  return hosts.length === 0 ? NO_NETWORK : { reach: 'hosts', hosts, by: 'settings' };
}

async function runTool(
  input: JsonObject,
  context: ToolContext<'remote'>,
  parts: DomainToolOptions,
  misfit: (output: unknown) => string | null,
): Promise<ToolOutput> {
  const { tool, domainId, policies, now, log } = parts;
  const { callId, signal, limits, pocket } = context;
  const placed = tool.worker === null ? null : await parts.place(signal);
  try {
    const began = now();
    const limitMs = Math.min(resolveTimeoutSec(tool, policies()) * 1000, limits.timeoutMs ?? Infinity);
    const deadline = Math.min(began + limitMs, pocket?.deadlineMs ?? Infinity);
    const traceId = pocket?.traceId ?? randomBytes(16).toString('hex');
    log('debug', 'A worker is asked', { tool: tool.id, callId, traceId });
    const answer = await askWorker(
      parts.outside,
      locateWorker(tool, placed),
      {
        toolId: tool.id,
        sideEffecting: tool.sideEffecting,
        meta: {
          trace_id: traceId,
          tool_run_id: callId,
          domain_id: domainId,
          deadline_ms: Math.floor(deadline),
        },
        input,
        traceParent: pocket?.traceParent ?? null,
        spanId: randomBytes(8).toString('hex'),
        withinMs: deadline - began,
        byCaller: deadline < began + limitMs,
      },
      signal,
    );
    placed?.answered();
    const durationMs = answer.durationMs ?? now() - began;
    if (answer.kind === 'error') {
      await passAnswerOn(pocket, { ...answer.error, kind: 'error', durationMs }, parts);
      const { code, message } = answer.error;
      throw new ToolFailure({ code: 'ExecutionFailed', message: `${code}: ${message}`, eCode: 'E3304' });
    }
    const wrong = misfit(answer.output);
    if (wrong !== null)
      throw new ToolFailure({
        code: 'OutputInvalid',
        message: `${tool.id} gave an output that does not fit its schema: ${wrong}`,
        eCode: 'E3501',
      });
    const output = sanitizeJson(answer.output);
    await passAnswerOn(pocket, { kind: 'output', output, durationMs }, parts);
    log('info', 'A worker answered', { tool: tool.id, callId, durationMs });
    return toToolOutput(output, tool, placed, policies(), context);
  } catch (error) {
    const failure = error instanceof ToolFailure ? error.failure : null;
    log('warn', 'A worker gave no result', { tool: tool.id, callId, code: failure?.code, why: failure?.message });
    throw error;
  } finally {
    await placed?.done();
  }
}

/** Passes the worker's answer to whoever asked for the run. As all that is passed on, it goes without secrets. */
async function passAnswerOn(
  pocket: DoorContext | null,
  answer: WorkerAnswer,
  { withoutSecrets }: Pick<DomainToolOptions, 'withoutSecrets'>,
): Promise<void> {
  if (pocket === null) return;
  if (answer.kind === 'output') return pocket.onAnswer({ ...answer, output: await withoutSecrets(answer.output) });
  const { message, details } = answer;
  pocket.onAnswer({ ...answer, ...((await withoutSecrets({ message, details })) as typeof details) });
}

const locateWorker = (tool: PackagedTool, placed: PlacedWorker | null): WorkerAddress =>
  placed === null
    ? { baseUrl: tool.baseUrl ?? '', endpoint: tool.endpoint }
    : { baseUrl: LOCAL_WORKER_URL, endpoint: tool.endpoint, socketPath: placed.running.socketPath };

function toToolOutput(
  output: Json,
  tool: PackagedTool,
  placed: PlacedWorker | null,
  policies: PackagePolicies,
  { outputLimit }: ToolContext<'remote'>,
): ToolOutput {
  const content = JSON.stringify(output);
  const bytes = Buffer.byteLength(content);
  const isWhole = bytes <= outputLimit;
  return {
    content,
    structured: isWhole && isJsonObject(output) ? output : null,
    allowTruncation: true,
    outputBytes: bytes,
    outputBytesLeftOut: 0,
    storedOutputs: [],
    changedFiles: [],
    ...(placed === null ? {} : { aftermath: { ...NO_AFTERMATH, networkUse: placed.traffic() } }),
    confinement: placed === null ? null : toConfinement(placed.running.isolation, resolveEgress(tool, policies)),
    resources: null,
    ...(isWhole ? {} : { warnings: ['Its output is larger than the limit for results, and was cut here.'] }),
  };
}
