import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import type { OutsideMethod } from '../../../domain/ports/outside.js';
import type { OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';
import { isVersion } from '../../../domain/tool/tool-identity.js';
import { flattenArguments } from './flatten-arguments.js';
import { readRequestBody } from './request-body.js';
import { readParameters } from './parameters.js';
import { type OperationPlan, pinPlan } from './operation-plan.js';
import { resolveReference, shorten, UnusableOperation } from './references.js';
import { type SchemaBudget, SchemaConverter } from './schema-converter.js';
import { readFirstServer } from './servers.js';

export interface PlannedOperation {
  readonly offered: OfferedOperation;
  readonly plan: OperationPlan;
}

export interface OpenApiDocument {
  readonly root: JsonObject;
  /** 3.0, whose schemas are of a dialect of their own. */
  readonly isOld: boolean;
}

export interface OperationContext {
  /** The document's name as it is shown: the file, or the address. */
  readonly documentName: string;
  /** Where all of its requests go. */
  readonly server: string;
  /** Whether the person chose the server: then servers that the document names besides don't count. */
  readonly isServerChosen: boolean;
  /** The base of operations' relative servers. */
  readonly documentUrl: string | null;
  /** Headers that are set for every request, in lower case. */
  readonly headers: ReadonlySet<string>;
}

const METHODS: Readonly<Record<string, OutsideMethod>> = {
  get: 'GET',
  put: 'PUT',
  post: 'POST',
  delete: 'DELETE',
  options: 'OPTIONS',
  head: 'HEAD',
  patch: 'PATCH',
};

/**
 * The budget for each direction of a document: twice what the largest public ones need. Past it answers go unchecked,
 * and operations are refused.
 */
const MAX_DOCUMENT_VALUES = 500_000;
/** The window is answered in between. */
const AT_ONCE_MS = 10;
interface SchemaBudgets {
  readonly sent: SchemaBudget;
  readonly answered: SchemaBudget;
}

interface ListedOperation {
  readonly wanted: string;
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: Json;
}

/** Every operation of the document: offered, or refused with the reason. */
export async function readOperations(
  document: OpenApiDocument,
  situation: OperationContext,
): Promise<{ readonly planned: readonly PlannedOperation[]; readonly refused: readonly RefusedOperation[] }> {
  const planned: PlannedOperation[] = [];
  const budgets: SchemaBudgets = { sent: { left: MAX_DOCUMENT_VALUES }, answered: { left: MAX_DOCUMENT_VALUES } };
  const refused: RefusedOperation[] = [];
  const refuse = (what: string, reason: string): void =>
    void refused.push({ what, file: situation.documentName, line: null, eCode: null, reason });
  const found = listOperations(document, refuse);
  const names = assignNames(found.map(({ wanted }) => wanted));
  let since = performance.now();
  for (const [index, each] of found.entries()) {
    if (performance.now() - since > AT_ONCE_MS) {
      await setImmediate();
      since = performance.now();
    }
    const name = names[index] ?? each.wanted;
    try {
      planned.push(planOperation(document, situation, each, name, budgets));
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      refuse(`${name} (${each.method.toUpperCase()} ${shorten(each.path)})`, `It ${error.message}.`);
    }
  }
  return { planned, refused };
}

function listOperations(
  { root }: OpenApiDocument,
  refuse: (what: string, reason: string) => void,
): readonly ListedOperation[] {
  const paths = isJsonObject(root['paths']) ? root['paths'] : {};
  return Object.entries(paths).flatMap(([path, value]) => {
    if (path.startsWith('x-')) return [];
    let item: JsonObject;
    try {
      item = resolveReference(root, value, 'a path');
    } catch (error) {
      refuse(shorten(path), `It ${error instanceof UnusableOperation ? error.message : 'can’t be read'}.`);
      return [];
    }
    return Object.entries(item).flatMap(([method, operation]) => {
      if (method !== 'trace' && !Object.hasOwn(METHODS, method)) return [];
      const own = isJsonObject(operation) ? operation['operationId'] : undefined;
      const wanted = typeof own === 'string' && own !== '' ? own : `${method}_${path}`;
      return [{ wanted: wanted.replaceAll(/[^A-Za-z0-9_-]/gu, '_'), method, path, item, operation }];
    });
  });
}

/** Names operations in the document’s order: a name that came before gets the next number that is nobody’s own name. */
function assignNames(wanted: readonly string[]): readonly string[] {
  const own = new Set(wanted);
  const taken = new Set<string>();
  return wanted.map((each) => {
    let name = each;
    for (let next = 2; taken.has(name); next += 1) if (!own.has(`${each}_${next}`)) name = `${each}_${next}`;
    taken.add(name);
    return name;
  });
}

function planOperation(
  document: OpenApiDocument,
  situation: OperationContext,
  { method, path, item, operation: value }: ListedOperation,
  name: string,
  budgets: SchemaBudgets,
): PlannedOperation {
  const { root, isOld } = document;
  const verb = METHODS[method];
  if (verb === undefined) throw new UnusableOperation('is a TRACE, which is never sent');
  const operation = resolveReference(root, value, 'an operation');
  const parameters = readParameters(root, item, operation, situation.headers);
  checkPath(
    path,
    parameters.flatMap(({ plan }) => (plan.where === 'path' ? [plan.name] : [])),
  );
  const flat = flattenArguments(root, isOld, budgets.sent, parameters, readRequestBody(root, operation));
  const server = resolveServer(situation, item, operation);
  const inputSchema = addDialect(root, flat.inputSchema);
  // A HEAD is answered without a body, whatever its document says of one.
  const outputSchema = verb === 'HEAD' ? null : readAnswerSchema(document, operation, budgets.answered);
  const summary = readText(operation['summary']) ?? readText(item['summary']);
  const description = [summary, readText(operation['description']) ?? readText(item['description'])]
    .filter((part, index, all) => part !== null && all.indexOf(part) === index)
    .join('\n\n');
  const isRead = verb === 'GET' || verb === 'HEAD';
  const claims = {
    readOnly: isRead,
    destructive: verb === 'DELETE' || verb === 'PUT' || verb === 'PATCH',
    idempotent: isRead,
    openWorld: true,
    requiresApproval: false,
  };
  const isDeprecated = operation['deprecated'] === true;
  const said = `${isDeprecated ? 'Deprecated. ' : ''}${description === '' ? `${verb} ${path}` : description}`;
  const plan: OperationPlan = { method: verb, path, server, parameters: flat.parameters, body: flat.body };
  return {
    plan,
    offered: {
      operation: name,
      toolId: null,
      version: readVersion(root),
      title: summary ?? name,
      description: said,
      inputSchema,
      outputSchema,
      claims,
      pinned: {
        name,
        description: said,
        request: `${verb} ${server.replace(/\/+$/u, '')}${path}`,
        server,
        plan: pinPlan(plan),
        inputSchema,
        outputSchema,
        annotations: { ...claims },
      },
      timeoutMs: null,
      lifecycle: null,
    },
  };
}

function checkPath(path: string, parameters: readonly string[]): void {
  if (!path.startsWith('/')) throw new UnusableOperation('has a path that does not begin with /');
  if (/[#\s\\\p{Cc}]/u.test(path)) throw new UnusableOperation('has a path with characters that no path has');
  const [template = ''] = path.split('?');
  if (/%2f|%5c|%2e|%00/iu.test(template) || template.split('/').some((part) => /^\.{1,2}$/u.test(part)))
    throw new UnusableOperation('has a path that leads elsewhere');
  const missing = [...path.matchAll(/\{([^{}]*)\}/gu)].find(([, name = '']) => !parameters.includes(name));
  if (missing !== undefined)
    throw new UnusableOperation(`has ${shorten(missing[0])} in its path, and no such parameter`);
}

/** An operation may have servers of its own: as long as they are where the person’s headers may go. */
function resolveServer(situation: OperationContext, item: JsonObject, operation: JsonObject): string {
  const servers = operation['servers'] ?? item['servers'];
  if (situation.isServerChosen || !Array.isArray(servers) || servers.length === 0) return situation.server;
  const own = readFirstServer(servers, situation.documentUrl);
  if (!own.ok) throw new UnusableOperation(`has a server of its own that can’t be used: ${own.problem}`);
  const [ours, its] = [parseAddress(situation.server), parseAddress(own.url)];
  if (!ours.ok || !its.ok || ours.address.origin !== its.address.origin)
    throw new UnusableOperation(
      `goes to a server of its own (${shorten(own.url)}): set base_url to send it where the others go`,
    );
  return own.url;
}

/** The one form of JSON that good answers have; null where there is none, or more than one. */
function readAnswerSchema({ root, isOld }: OpenApiDocument, operation: JsonObject, budget: SchemaBudget): Json | null {
  const responses = operation['responses'];
  if (!isJsonObject(responses)) return null;
  const good = Object.entries(responses).filter(([status]) => /^2(?:\d\d|XX)$/iu.test(status));
  const schemas = good.flatMap(([, value]) => {
    const content = resolveReference(root, value, 'an answer')['content'];
    if (!isJsonObject(content)) return [null];
    const type = Object.keys(content).find((each) => /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/iu.test(each));
    return [type === undefined ? null : (resolveReference(root, content[type], 'an answer')['schema'] ?? null)];
  });
  const [first] = schemas;
  if (schemas.length !== 1 || first === undefined || first === null) return null;
  try {
    const gatherer = new SchemaConverter(root, isOld, 'answered', budget);
    const converted = gatherer.convert(isJsonObject(first) ? resolveReference(root, first, 'an answer') : first);
    // Only of an object can it be told to everybody; a list of things goes unchecked.
    if (!isJsonObject(converted) || converted['type'] !== 'object') return null;
    return addDialect(root, { ...converted, ...gatherer.definitions() });
  } catch (error) {
    if (error instanceof UnusableOperation) return null;
    throw error;
  }
}

/**
 * Adds a dialect other than OpenAPI’s own to the schema, so that whoever admits it can say whether it can be checked.
 */
function addDialect(root: JsonObject, schema: JsonObject): JsonObject {
  const dialect = root['jsonSchemaDialect'];
  return typeof dialect !== 'string' || dialect.startsWith('https://spec.openapis.org/oas/3.1/dialect/')
    ? schema
    : { $schema: dialect, ...schema };
}

const readText = (value: Json | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

function readVersion(root: JsonObject): string {
  const version = isJsonObject(root['info']) ? root['info']['version'] : null;
  return typeof version === 'string' && isVersion(version) ? version : '0.0.0';
}
