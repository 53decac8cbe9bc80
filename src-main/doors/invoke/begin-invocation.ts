import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Bearer } from '../../domain/call/asker.js';
import type { CallOptions, RequestedLimits } from '../../domain/call/call-options.js';
import type { InvocationClaim, InvocationRequest } from '../../domain/ports/invocations.js';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import { digestJson, sha256 } from '../../platform/digest.js';
import type { RouteRequest } from '../http/route.js';
import type { InvokeDeps } from './invoke-deps.js';
import { askForCall, type AwaitedCall } from '../ask-for-call.js';
import { askerFor, noTokens, scopeOf, sessionOf } from '../claims.js';
import { claimsIn, namesAnother } from './agent-context.js';
import type { InvokeRequest } from './tool-schemas.js';

/** An invocation that was taken: begun now, or one that was before. */
export type BegunInvocation =
  | { readonly kind: 'begun'; readonly callId: string; readonly awaited: AwaitedCall }
  | { readonly kind: 'same'; readonly callId: string }
  | { readonly kind: 'conflict' }
  /** The request does not say clearly what it asks for. */
  | { readonly kind: 'unclear'; readonly why: string };

/** Takes its id and key, and asks the gate for it; once, however often and from wherever it comes. */
export async function beginInvocation(
  request: InvokeRequest,
  { bearer, headers, left }: Pick<RouteRequest, 'bearer' | 'headers' | 'left'>,
  parts: InvokeDeps,
): Promise<BegunInvocation> {
  const context = request.agent_context ?? null;
  const wanted = wantedOf(request);
  const claims = claimsIn(context);
  const named = { workspace: request.workspace ?? null, headers };
  const place = await parts.folders.of(sessionOf(bearer, claims), named, bearer);
  if (place.unclear !== undefined) return { kind: 'unclear', why: place.unclear };
  const { folder, refused } = place;
  const claim = claimed(request, bearer, wanted, folder, parts);
  if (claim !== null && claim.kind !== 'new')
    return claim.kind === 'conflict' ? { kind: 'conflict' } : { kind: 'same', callId: claim.callId };
  const refuseAll = refusedAtOnce(request, namesAnother(bearer, context)) ?? refused;
  const awaited = askForCall(
    parts.gate,
    {
      asker: askerFor(bearer, claims),
      folder,
      call: {
        requestId: null,
        tool: request.tool_id,
        arguments: request.parameters as Json,
        wanted,
        ...(claim === null ? {} : { callId: claim.callId }),
      },
      joinable: false,
      ...(refuseAll === null ? {} : { refuseAll }),
    },
    // What outlives its asker isn't taken back when that one leaves.
    { left: wanted.detached ? undefined : left, whenClientLeaves: parts.whenClientLeaves },
  );
  return { kind: 'begun', callId: awaited.call.callId, awaited };
}

/** Null where the journal can't write: its call will say so. */
function claimed(
  request: InvokeRequest,
  bearer: Bearer,
  wanted: CallOptions,
  folder: string,
  { invocations, gate, catalog }: InvokeDeps,
): InvocationClaim | null {
  const { tool_id: tool, tool_version: version, parameters, invocation_id: id, agent_context: context } = request;
  const digestFor = (named: string): string =>
    digestOfAsked({ tool: named, version: version ?? '*', parameters: parameters as JsonObject, folder });
  const known = catalog.findTool(folder, tool)?.tool;
  const asked: InvocationRequest = {
    scope: scopeOf(bearer, claimsIn(context ?? null)),
    invocationId: id ?? null,
    key: keyIn(folder, request.execution_options?.idempotency_key ?? null),
    digest: digestFor(tool),
    alike: known === undefined ? [] : [known.id, known.name].map(digestFor),
    wanted,
  };
  try {
    return invocations.claim(asked, (callId) => gate.findActiveCall(callId) !== null);
  } catch (error) {
    if (error instanceof JournalUnavailableError) return null;
    throw error;
  }
}

/** The same key in another folder is another. */
const keyIn = (folder: string, key: string | null): string | null =>
  key === null ? null : JSON.stringify([folder, key]);

/** Digests the request; one that has no canonical form (half a character) as it came. */
function digestOfAsked(asked: JsonObject): string {
  try {
    return digestJson(asked);
  } catch {
    return sha256(JSON.stringify(asked));
  }
}

function wantedOf({
  tool_version: version,
  execution_options: options,
  resource_limits: limits,
}: InvokeRequest): CallOptions {
  return {
    versions: version ?? '*',
    priority: options?.priority ?? 'normal',
    mustAsk: options?.require_approval === true,
    detached: options?.async_mode === true,
    limits: limitsOf(limits),
  };
}

function limitsOf(limits: InvokeRequest['resource_limits']): RequestedLimits {
  const {
    timeout_seconds: time = null,
    memory_mb_limit: memory = null,
    cpu_millicore_limit: cpu = null,
    network_bandwidth_mbps: bandwidth = null,
  } = limits ?? {};
  return {
    ...(time === null ? {} : { timeoutMs: time * 1000 }),
    ...(memory === null ? {} : { memoryBytes: memory * 2 ** 20 }),
    ...(cpu === null ? {} : { cpuMillicores: cpu }),
    ...(bandwidth === null ? {} : { bandwidthMbps: bandwidth }),
  };
}

/**
 * Refuses, whatever the call is, a request for another agent or for what can't be had yet. The refusal is recorded as
 * any other.
 */
function refusedAtOnce(request: InvokeRequest, isForAnother: boolean): Failure | null {
  if (isForAnother)
    return {
      code: 'NotPermitted',
      message:
        'agent_context.agent_did names another agent than the one whose token this is. Leave it out, or name that one.',
    };
  if ((request.capability_token ?? '') !== '') return noTokens('capability_token');
  if ((request.document_context?.document_refs ?? []).length > 0)
    return {
      code: 'ExecutionFailed',
      message: 'There are no documents here: none of document_context.document_refs can be found. Leave them out.',
      eCode: 'E3601',
    };
  if ((request.checkpoint_config?.resume_from_checkpoint_id ?? '') !== '')
    return {
      code: 'ExecutionFailed',
      message: 'There are no checkpoints here to resume from. Leave checkpoint_config.resume_from_checkpoint_id out.',
      eCode: 'E3702',
    };
  return null;
}

/** Warnings for the caller about parts of the request that have no effect. */
export const listIgnoredFields = ({ document_context: documents }: InvokeRequest): readonly string[] =>
  (documents?.query ?? '') === '' ? [] : ['document_context.query adds nothing: there are no documents here.'];
