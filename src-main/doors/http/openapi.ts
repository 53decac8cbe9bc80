import Type, { type TSchema } from 'typebox';
import { answerWith, ErrorSchema, type Route, route, type RouteFacts } from './route.js';

/** The answers that the gateway itself gives on each route, before the route is asked. */
const BY_GATEWAY: Readonly<Record<number, string>> = {
  401: 'No token, or nobody’s.',
  403: 'Of a foreign origin, or not by a loopback name.',
  408: 'The request was not in within the time allowed.',
  429: 'This agent has too much under way.',
  500: 'Gatehouse failed; its log says why.',
};
const OF_BODIES: Readonly<Record<number, string>> = { 413: 'The body is over 4 MiB.' };

const DocumentSchema = Type.Unsafe<object>(Type.Object({ openapi: Type.String(), paths: Type.Object({}) }));

/** Adds the route that serves the document of all routes, built from the schemas that validate. */
export function withDocument(routes: readonly Route[], version: string): readonly Route[] {
  let made: object | null = null;
  const own: Route = route(
    {
      method: 'GET',
      path: '/v1/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This document',
      answers: { 200: { description: 'OpenAPI 3.1.', schema: DocumentSchema } },
    },
    () => answerWith(200, (made ??= documentOf(all, version))),
  );
  const all: readonly Route[] = [...routes, own];
  return all;
}

export function documentOf(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { facts } of routes) (paths[facts.path] ??= {})[facts.method.toLowerCase()] = operationOf(facts);
  return stripBuilderMarks({
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version,
      description: 'Tools of this computer over loopback HTTP. Each call is judged, asked about and recorded.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  });
}

function operationOf({ operationId, summary, description, parameters = {}, query = {}, body, answers }: RouteFacts) {
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...Object.entries(parameters).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: responsesOf(answers, body !== undefined),
  };
}

function responsesOf(answers: RouteFacts['answers'], hasBody: boolean): object {
  const byGateway = { 400: 'This is no request that can be read.', ...BY_GATEWAY, ...(hasBody ? OF_BODIES : {}) };
  const all = new Map(
    Object.entries(byGateway).map(([status, description]) => [status, { description, content: json(ErrorSchema) }]),
  );
  for (const [status, { description, schema }] of Object.entries(answers)) {
    const isGateways = all.has(status) && schema !== ErrorSchema;
    all.set(status, { description, content: json(isGateways ? Type.Union([schema, ErrorSchema]) : schema) });
  }
  return Object.fromEntries(all);
}

const json = (schema: TSchema) => ({ 'application/json': { schema } });

/** Strips what the schemas’ builder keeps in them for itself. */
const stripBuilderMarks = (document: object): object => JSON.parse(JSON.stringify(document)) as object;
