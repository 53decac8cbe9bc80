import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Gate, SettledCall } from '../../domain/ports/gate/gate.js';
import type { CatalogTool, ToolCatalog } from '../../domain/ports/gate/tool-catalog.js';
import { askerFor, noTokens, sessionOf } from '../claims.js';
import { askForCall } from '../ask-for-call.js';
import type { ProgramFolders } from '../program-folders.js';
import { answerWith, type Malformed, type Route, route, type RouteRequest } from '../http/route.js';
import { givenValue, type KindOf } from '../given-value.js';
import {
  type EnvelopeContext,
  readRequestEcho,
  buildEnvelope,
  executionOf,
  failedExecution,
  isEnvelope,
} from './envelope.js';
import { type EnvelopeRequest, EnvelopeResponseSchema, EnvelopeSchema } from './envelope-schemas.js';
import { suggestForCode, suggestForMisfit, suggestForUnknown } from './suggestions.js';

export interface ExecuteDeps {
  readonly gate: Gate;
  readonly folders: ProgramFolders;
  readonly catalog: ToolCatalog;
  readonly kindOf: KindOf;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
}

type ExecuteRequest = Pick<RouteRequest, 'bearer' | 'headers' | 'left'> & { readonly body: EnvelopeRequest };

const PARAMETERS = '/payload/tool/parameters';

/** Seed 001: one message in, one out, when the call is settled. */
export function executeRoute(parts: ExecuteDeps): Route {
  return route(
    {
      method: 'POST',
      path: '/v1/execute',
      operationId: 'execute',
      summary: 'Seed 001’s message: asks for a call and answers when it is settled',
      body: EnvelopeSchema,
      asksForCalls: true,
      answers: {
        200: { description: 'What came of it, in an envelope.', schema: EnvelopeResponseSchema },
        400: { description: 'header or payload.tool is no object.', schema: EnvelopeResponseSchema },
      },
      onMalformed: malformed,
    },
    async (asked) => execute(asked, parts),
  );
}

/**
 * Answers a malformed request, naming the parameter: a missing one by its own path, not by that of the object it is
 * missing in.
 */
function malformed({ at, message, body }: Malformed) {
  const asked = readRequestEcho(body);
  const missing = /must have required property '(.+)'/u.exec(message)?.[1];
  const parameter = missing === undefined ? at : `${at}/${missing}`;
  const isWhole = isEnvelope(body);
  const isTool = parameter === '/payload/tool/id';
  const failure: Failure = { code: isTool ? 'UnknownTool' : 'BadArgs', message };
  const field = parameter.slice(parameter.lastIndexOf('/') + 1);
  const suggestion =
    parameter === ''
      ? 'Send one JSON object with header and payload.'
      : missing === undefined
        ? `Change “${field}” at ${parameter}: ${message}`
        : `Add “${field}” at ${parameter}.`;
  const about: EnvelopeContext = { parameter, suggestion, callId: null };
  const whose = isWhole ? asked : { ...asked, messageId: null };
  return answerWith(isWhole ? 200 : 400, buildEnvelope(whose, failedExecution(failure, about)));
}

async function execute({ body: request, bearer, headers, left }: ExecuteRequest, parts: ExecuteDeps) {
  const { header, payload } = request;
  const { tool, context } = payload;
  const claims = {
    agent: header.source ?? null,
    tenant: null,
    user: context?.user_id ?? null,
    session: context?.session_id ?? null,
  };
  // What a program calls itself is nothing that its calls are kept under.
  const own = { ...claims, agent: null };
  const named = { workspace: context?.workspace ?? null, headers };
  const place = await parts.folders.of(sessionOf(bearer, own), named, bearer);
  if (place.unclear !== undefined) {
    const about = { parameter: '/payload/context/workspace', suggestion: place.unclear, callId: null };
    return answerWith(
      400,
      buildEnvelope(readRequestEcho(request), failedExecution({ code: 'BadArgs', message: place.unclear }, about)),
    );
  }
  const { folder, refused } = place;
  const refuseAll = refusedAtOnce(request, folder, parts.catalog) ?? refused;
  const { call, release } = askForCall(
    parts.gate,
    {
      asker: { ...askerFor(bearer, claims), session: askerFor(bearer, own).session },
      folder,
      call: {
        requestId: context?.request_id ?? null,
        tool: `${tool.id}.${tool.capability}`,
        arguments: (tool.parameters ?? {}) as Json,
        wanted: { versions: '*', priority: 'normal', mustAsk: false, detached: false, limits: {} },
      },
      joinable: false,
      ...(refuseAll === null ? {} : { refuseAll }),
    },
    { left, whenClientLeaves: parts.whenClientLeaves },
  );
  const settled = await call.settled;
  release();
  const value = givenValue(settled, parts.kindOf);
  const about = aboutOf(settled, request, folder, parts.catalog);
  return answerWith(200, buildEnvelope(readRequestEcho(request), executionOf(settled, value, about)));
}

/**
 * Refuses what the envelope itself rules out. The gate's own refusals come first: this applies only where there is such
 * a tool, and its parameters fit.
 */
function refusedAtOnce({ payload }: EnvelopeRequest, folder: string, catalog: ToolCatalog): Failure | null {
  const { tool, security } = payload;
  const id = `${tool.id}.${tool.capability}`;
  const found = catalog.findTool(folder, id);
  if (found === null || catalog.findMisfits(folder, id, (tool.parameters ?? {}) as JsonObject).length > 0) return null;
  if ((security?.token ?? '') !== '') return noTokens('payload.security.token');
  const permissions = security?.permissions ?? [];
  const lacking = permissions.length === 0 ? [] : neededBy(found).filter((each) => !permissions.includes(each));
  if (lacking.length === 0) return null;
  return {
    code: 'NotPermitted',
    message: `payload.security.permissions lacks what ${id} needs: ${lacking.join(', ')}.`,
  };
}

const neededBy = ({ tool: { declaration } }: CatalogTool): readonly string[] => declaration?.requiredCapabilities ?? [];

function aboutOf(
  { summary: { callId }, failure }: SettledCall,
  { payload: { tool, security } }: EnvelopeRequest,
  folder: string,
  catalog: ToolCatalog,
): EnvelopeContext {
  if (failure === null) return { parameter: null, suggestion: '', callId };
  if (failure.code === 'UnknownTool')
    return {
      parameter: null,
      suggestion: suggestForUnknown(tool.id, tool.capability, catalog.listTools(folder)),
      callId,
    };
  if (failure.code === 'NotPermitted' && (security?.token ?? '') !== '')
    return { parameter: '/payload/security/token', suggestion: 'Leave payload.security.token out.', callId };
  if (failure.code === 'NotPermitted' && (security?.permissions ?? []).length > 0)
    return {
      parameter: '/payload/security/permissions',
      suggestion: 'Add what is named to payload.security.permissions, or leave the list empty.',
      callId,
    };
  if (failure.code !== 'BadArgs') return { parameter: null, suggestion: suggestForCode(failure.code), callId };
  const [misfit] = catalog.findMisfits(folder, `${tool.id}.${tool.capability}`, (tool.parameters ?? {}) as JsonObject);
  return {
    parameter: `${PARAMETERS}${misfit?.at ?? ''}`,
    suggestion: misfit === undefined ? suggestForCode('BadArgs') : suggestForMisfit(misfit),
    callId,
  };
}
