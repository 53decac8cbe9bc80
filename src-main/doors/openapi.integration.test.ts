import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { generateApi } from 'swagger-typescript-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compileForeignValidator } from '../platform/json-schema.js';
import { sampledTimes } from '../tests/sampled.test-support.js';
import { openPrograms, type Programs } from './programs.test-support.js';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: object }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const documentOf = async (programs: Programs): Promise<Document> =>
  (await programs.get('/v1/openapi.json')).body as unknown as Document;

describe('the document of all routes', () => {
  it('is valid OpenAPI 3.1 with all that is served, and refers to nothing outside', async () => {
    const programs = await openPrograms();
    const document = await documentOf(programs);
    const validated = await new Validator().validate(structuredClone(document) as never);
    expect([validated.valid, validated.errors]).toEqual([true, undefined]);
    expect(document.openapi).toBe('3.1.0');
    const served = [
      '/v1/approvals',
      '/v1/audit/verify',
      '/v1/calls',
      '/v1/calls/{callId}',
      '/v1/execute',
      '/v1/openapi.json',
      '/v1/sources',
      '/v1/status',
      '/v1/tool/cancel',
      '/v1/tool/invoke',
      '/v1/tool/list',
      '/v1/tool/status',
      '/v1/tool/status/{invocation_id}',
    ];
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(served));
    expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#)/u);
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters, responses } of Object.values(operations)) {
        const named = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
        expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(named);
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '429', '500']));
      }
  });

  it('is enough for a client that a generator makes of it', async () => {
    const programs = await openPrograms();
    writeFileSync(join(programs.gate.workspace, 'a.txt'), 'hello\n');
    const { files } = await generateApi({
      spec: await documentOf(programs),
      httpClientType: 'fetch',
      generateClient: true,
      silent: true,
      output: false,
    });
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'client.ts');
    writeFileSync(file, files.map(({ fileContent }) => fileContent).join('\n'));
    const made = (await import(file)) as { readonly Api: new (options: object) => Client };
    const client = new made.Api({
      baseUrl: programs.url,
      baseApiParams: { headers: { authorization: `Bearer ${programs.token()}` }, format: 'json' },
    });
    const { data } = await client.v1.invokeTool({ tool_id: 'gatehouse.read_file', parameters: { path: 'a.txt' } });
    expect(data).toMatchObject({ status: 'success' });
    const status = await client.v1.getToolStatus(data.invocation_id, {});
    expect(status.data).toMatchObject({ status: 'success', invocation_id: data.invocation_id });
  });
});

interface Client {
  readonly v1: {
    invokeTool(body: object): Promise<{ readonly data: { readonly invocation_id: string; readonly status: string } }>;
    getToolStatus(id: string, query: object): Promise<{ readonly data: object }>;
  };
}

/** Values of a schema, mostly; and now and then anything. */
function valuesOf(schema: object): fc.Arbitrary<unknown> {
  const {
    type,
    properties,
    items,
    anyOf,
    enum: values,
    const: only,
    required = [],
    pattern,
  } = schema as {
    readonly type?: string;
    readonly properties?: Readonly<Record<string, object>>;
    readonly items?: object;
    readonly anyOf?: readonly object[];
    readonly enum?: readonly unknown[];
    readonly const?: unknown;
    readonly required?: readonly string[];
    readonly pattern?: string;
  };
  const fitting = (): fc.Arbitrary<unknown> => {
    if (values !== undefined) return fc.constantFrom(...values);
    if (only !== undefined) return fc.constant(only);
    if (anyOf !== undefined) return fc.oneof(...anyOf.map(valuesOf));
    if (pattern?.includes('0-9a-fA-F') === true) return fc.uuid();
    if (type === 'string')
      return fc.oneof(
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.constantFrom('read_file', 'gatehouse.read_file', 'gatehouse', '1.0', '*', 'request', '2025-03-21T10:00:00Z'),
      );
    if (type === 'integer') return fc.integer({ min: -2, max: 200 });
    if (type === 'number') return fc.double({ noNaN: true, min: -5, max: 1e6 });
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'array') return fc.array(valuesOf(items ?? {}), { maxLength: 3 });
    if (properties !== undefined)
      return fc.record(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valuesOf(each)])), {
        requiredKeys: [...required],
      });
    return fc.jsonValue({ maxDepth: 3 });
  };
  return fc.oneof({ arbitrary: fitting(), weight: 24 }, { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 });
}

it('whatever comes to any route, it answers as its document says: no 500, no hang, nothing that is not logged', async () => {
  const programs = await openPrograms();
  writeFileSync(join(programs.gate.workspace, 'read_file'), 'hello\n');
  const { paths } = await documentOf(programs);
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
  );
  const requests = operations.map(({ path, method, operation }) => {
    const named = (where: 'path' | 'query') => operation.parameters.filter((each) => each.in === where);
    return fc.record({
      path: fc.constant(path),
      method: fc.constant(method),
      operation: fc.constant(operation),
      agent: fc.constantFrom(undefined, 'ada', 'bob'),
      parameters: fc.record(
        Object.fromEntries(
          named('path').map(({ name }) => [name, fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 50 }))]),
        ),
      ),
      query: fc.record(
        Object.fromEntries(
          named('query').map(({ name, schema }) => [
            name,
            fc.option(name === 'wait' ? fc.constantFrom('0', '0.01', '-1', 'x', '31', '') : valuesOf(schema), {
              nil: undefined,
            }),
          ]),
        ),
      ),
      body:
        operation.requestBody === undefined
          ? fc.constant(undefined)
          : valuesOf(operation.requestBody.content['application/json'].schema),
    });
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), async ({ path, method, operation, agent, parameters, query, body }) => {
      const target = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) =>
        encodeURIComponent((parameters as Record<string, string>)[name] ?? ''),
      );
      const given = Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
      );
      const response = await fetch(`${programs.url}${target}?${new URLSearchParams(given as never).toString()}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${programs.token(agent)}` },
        ...(body === undefined ? {} : { body: JSON.stringify(withoutWaiting(body)) }),
        signal: AbortSignal.timeout(60_000),
      });
      const said = operation.responses[String(response.status)];
      const answer = (await response.json()) as never;
      expect([target, response.status, said === undefined]).toEqual([
        target,
        response.status,
        response.status === 404 && said === undefined,
      ]);
      expect(response.status).not.toBe(500);
      if (said === undefined) return;
      const checked = compileForeignValidator(said.content['application/json'].schema as never);
      expect(checked.ok && checked.validate(answer)).toMatchObject({ ok: true });
    }),
    { numRuns: sampledTimes(600, 200) },
  );
  expect(programs.reported).toEqual([]);
  expect(programs.gate.faults).toEqual([]);
}, 240_000);

/** Removes the request for approval from a body, as the call would wait for the person. */
function withoutWaiting(body: unknown): unknown {
  const { execution_options: options, ...rest } = (
    typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  ) as { readonly execution_options?: unknown };
  const isAsked = typeof options === 'object' && options !== null && 'require_approval' in options;
  return isAsked ? { ...rest, execution_options: { ...options, require_approval: false } } : body;
}
