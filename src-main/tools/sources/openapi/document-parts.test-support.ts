import type { JsonObject } from '#contract/vocabulary/json.js';

/** A call of an operation, and the request that has to arrive. */
export interface AskedCase {
  readonly operation: string;
  readonly args: JsonObject;
  /** Method and target, as they stand in the request’s first line. */
  readonly line: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SampleDocument {
  readonly name: string;
  /** JSON, or a text in YAML. */
  readonly document: JsonObject | string;
  readonly offered: readonly string[];
  /** The beginning of what is refused, with a word of the reason. */
  readonly refused: readonly (readonly [what: string, reason: string])[];
  readonly cases: readonly AskedCase[];
}

export const text = { type: 'string' };
export const whole = { type: 'integer' };
export const ok = { '200': { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } };
export const none = { '204': { description: 'done' } };
export const doc = (paths: object, more: object = {}, openapi = '3.0.3') =>
  ({ openapi, info: { title: 'Sample', version: '1.2.3' }, paths, ...more }) as unknown as JsonObject;
export const json = (schema: object, required = true) => ({ required, content: { 'application/json': { schema } } });
export const path = (name: string, more: object = {}) => ({ name, in: 'path', required: true, schema: text, ...more });
export const query = (name: string, schema: object = text, more: object = {}) => ({
  name,
  in: 'query',
  schema,
  ...more,
});
export const header = (name: string, more: object = {}) => ({ name, in: 'header', schema: text, ...more });

/** A document as large as the largest of public services: more than 5 MB, a thousand operations. */
export function largeDocument(operations = 1000): JsonObject {
  const schemas = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [
      `Thing${index}`,
      {
        type: 'object',
        description: 'A thing of a large service, with words as long as such words are. '.repeat(20),
        properties: {
          id: { type: 'string', description: 'What it goes by.' },
          next: { $ref: `#/components/schemas/Thing${index % 10 === 9 ? index : index + 1}` },
          size: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true },
        },
      },
    ]),
  );
  const paths = Object.fromEntries(
    Array.from({ length: operations }, (_, index) => [
      `/things${index}/{id}`,
      {
        post: {
          operationId: `things/${index}/change`,
          description: 'Changes a thing. '.repeat(100),
          parameters: [path('id'), query('page', whole)],
          requestBody: json({ $ref: `#/components/schemas/Thing${index}` }),
          responses: {
            '200': {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: `#/components/schemas/Thing${index}` } } },
            },
          },
        },
      },
    ]),
  );
  return doc(paths, { components: { schemas } });
}
