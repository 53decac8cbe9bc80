import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import type { OutsideMethod } from '../../../domain/ports/outside.js';
import type { OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';
import { isVersion } from '../../../domain/tool/tool-identity.js';
import { flatArguments } from './arguments.js';
import { offeredBody } from './body.js';
import { offeredParameters } from './parameters.js';
import { type OperationPlan, pinnedPlan } from './plan.js';
import { followed, shown, Unusable } from './references.js';
import { type SchemaBudget, SchemaGatherer } from './schemas.js';
import { firstServer } from './servers.js';

export interface PlannedOperation {
  readonly offered: OfferedOperation;
  readonly plan: OperationPlan;
}

export interface OpenApiDocument {
  readonly root: JsonObject;
  /** 3.0, whose schemas are of a dialect of their own. */
  readonly isOld: boolean;
}

export interface Situation {
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
const MOST_VALUES = 500_000;
/** The window is answered in between. */
const AT_ONCE_MS = 10;
interface Budgets {
  readonly sent: SchemaBudget;
  readonly answered: SchemaBudget;
}

interface Found {
  readonly wanted: string;
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: Json;
}

/** Every operation of the document: offered, or refused with the reason. */
export async function operationsOf(
  document: OpenApiDocument,
  situation: Situation,
): Promise<{ readonly planned: readonly PlannedOperation[]; readonly refused: readonly RefusedOperation[] }> {
  const planned: PlannedOperation[] = [];
  const budgets: Budgets = { sent: { left: MOST_VALUES }, answered: { left: MOST_VALUES } };
  const refused: RefusedOperation[] = [];
  const refuse = (what: string, reason: string): void =>
    void refused.push({ what, file: situation.documentName, line: null, eCode: null, reason });
  const found = foundIn(document, refuse);
  const names = namesOf(found.map(({ wanted }) => wanted));
  let since = performance.now();
  for (const [index, each] of found.entries()) {
    if (performance.now() - since > AT_ONCE_MS) {
      await setImmediate();
      since = performance.now();
    }
    const name = names[index] ?? each.wanted;
    try {
      planned.push(plannedFor(document, situation, each, name, budgets));
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      refuse(`${name} (${each.method.toUpperCase()} ${shown(each.path)})`, `It ${error.message}.`);
    }
  }
  return { planned, refused };
}

function foundIn({ root }: OpenApiDocument, refuse: (what: string, reason: string) => void): readonly Found[] {
  const paths = isJsonObject(root['paths']) ? root['paths'] : {};
  return Object.entries(paths).flatMap(([path, value]) => {
    if (path.startsWith('x-')) return [];
    let item: JsonObject;
    try {
      item = followed(root, value, 'a path');
    } catch (error) {
      refuse(shown(path), `It ${error instanceof Unusable ? error.message : 'can’t be read'}.`);
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
function namesOf(wanted: readonly string[]): readonly string[] {
  const own = new Set(wanted);
  const taken = new Set<string>();
  return wanted.map((each) => {
    let name = each;
    for (let next = 2; taken.has(name); next += 1) if (!own.has(`${each}_${next}`)) name = `${each}_${next}`;
    taken.add(name);
    return name;
  });
}

function plannedFor(
  document: OpenApiDocument,
  situation: Situation,
  { method, path, item, operation: value }: Found,
  name: string,
  budgets: Budgets,
): PlannedOperation {
  const { root, isOld } = document;
  const verb = METHODS[method];
  if (verb === undefined) throw new Unusable('is a TRACE, which is never sent');
  const operation = followed(root, value, 'an operation');
  const parameters = offeredParameters(root, item, operation, situation.headers);
  checkPath(
    path,
    parameters.flatMap(({ plan }) => (plan.where === 'path' ? [plan.name] : [])),
  );
  const flat = flatArguments(root, isOld, budgets.sent, parameters, offeredBody(root, operation));
  const server = serverOf(situation, item, operation);
  const inputSchema = withDialect(root, flat.inputSchema);
  // A HEAD is answered without a body, whatever its document says of one.
  const outputSchema = verb === 'HEAD' ? null : answeredSchema(document, operation, budgets.answered);
  const summary = textOf(operation['summary']) ?? textOf(item['summary']);
  const description = [summary, textOf(operation['description']) ?? textOf(item['description'])]
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
      version: versionOf(root),
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
        plan: pinnedPlan(plan),
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
  if (!path.startsWith('/')) throw new Unusable('has a path that does not begin with /');
  if (/[#\s\\\p{Cc}]/u.test(path)) throw new Unusable('has a path with characters that no path has');
  const [template = ''] = path.split('?');
  if (/%2f|%5c|%2e|%00/iu.test(template) || template.split('/').some((part) => /^\.{1,2}$/u.test(part)))
    throw new Unusable('has a path that leads elsewhere');
  const missing = [...path.matchAll(/\{([^{}]*)\}/gu)].find(([, name = '']) => !parameters.includes(name));
  if (missing !== undefined) throw new Unusable(`has ${shown(missing[0])} in its path, and no such parameter`);
}

/** An operation may have servers of its own: as long as they are where the person’s headers may go. */
function serverOf(situation: Situation, item: JsonObject, operation: JsonObject): string {
  const servers = operation['servers'] ?? item['servers'];
  if (situation.isServerChosen || !Array.isArray(servers) || servers.length === 0) return situation.server;
  const own = firstServer(servers, situation.documentUrl);
  if (!own.ok) throw new Unusable(`has a server of its own that can’t be used: ${own.problem}`);
  const [ours, its] = [parseAddress(situation.server), parseAddress(own.url)];
  if (!ours.ok || !its.ok || ours.address.origin !== its.address.origin)
    throw new Unusable(`goes to a server of its own (${shown(own.url)}): set base_url to send it where the others go`);
  return own.url;
}

/** The one form of JSON that good answers have; null where there is none, or more than one. */
function answeredSchema({ root, isOld }: OpenApiDocument, operation: JsonObject, budget: SchemaBudget): Json | null {
  const responses = operation['responses'];
  if (!isJsonObject(responses)) return null;
  const good = Object.entries(responses).filter(([status]) => /^2(?:\d\d|XX)$/iu.test(status));
  const schemas = good.flatMap(([, value]) => {
    const content = followed(root, value, 'an answer')['content'];
    if (!isJsonObject(content)) return [null];
    const type = Object.keys(content).find((each) => /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/iu.test(each));
    return [type === undefined ? null : (followed(root, content[type], 'an answer')['schema'] ?? null)];
  });
  const [first] = schemas;
  if (schemas.length !== 1 || first === undefined || first === null) return null;
  try {
    const gatherer = new SchemaGatherer(root, isOld, 'answered', budget);
    const converted = gatherer.converted(isJsonObject(first) ? followed(root, first, 'an answer') : first);
    // Only of an object can it be told to everybody; a list of things goes unchecked.
    if (!isJsonObject(converted) || converted['type'] !== 'object') return null;
    return withDialect(root, { ...converted, ...gatherer.definitions() });
  } catch (error) {
    if (error instanceof Unusable) return null;
    throw error;
  }
}

/**
 * Adds a dialect other than OpenAPI’s own to the schema, so that whoever admits it can say whether it can be checked.
 */
function withDialect(root: JsonObject, schema: JsonObject): JsonObject {
  const dialect = root['jsonSchemaDialect'];
  return typeof dialect !== 'string' || dialect.startsWith('https://spec.openapis.org/oas/3.1/dialect/')
    ? schema
    : { $schema: dialect, ...schema };
}

const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

function versionOf(root: JsonObject): string {
  const version = isJsonObject(root['info']) ? root['info']['version'] : null;
  return typeof version === 'string' && isVersion(version) ? version : '0.0.0';
}
