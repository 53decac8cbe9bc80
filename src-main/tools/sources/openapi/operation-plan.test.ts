import { expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { digestJson } from '../../../platform/digest.js';
import { readOperations } from './operations.js';
import { type OperationPlan, pinPlan } from './operation-plan.js';

const FULL: OperationPlan = {
  method: 'POST',
  path: '/rows/{id}',
  server: 'https://a.example',
  parameters: [
    { argument: 'id', name: 'id', where: 'path', style: 'simple', explode: false, allowReserved: false, isJson: false },
  ],
  body: {
    mediaType: 'multipart/form-data',
    form: 'multipart',
    under: 'body',
    isRequired: true,
    parts: { one: { style: 'form', explode: true } },
    files: ['picture'],
  },
};

/** The value with one leaf of it another, once for each leaf, by the way to it. */
function eachChanged(value: Json, way = ''): readonly (readonly [string, Json])[] {
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const within = list.flatMap((each, at) =>
      eachChanged(each, `${way}[${at}]`).map(([at_, changed]) => [at_, list.with(at, changed)] as const),
    );
    return [...within, [`${way}[]`, list.slice(1)]];
  }
  if (!isJsonObject(value)) return [[way, typeof value === 'boolean' ? !value : `${JSON.stringify(value)}x`]];
  return Object.entries(value).flatMap(([name, each]) =>
    eachChanged(each, `${way}.${name}`).map(([at, changed]) => [at, { ...value, [name]: changed }] as const),
  );
}

const changes = eachChanged(FULL as unknown as Json);

it('has each field of a plan to change', () => {
  expect(changes.map(([way]) => way)).toEqual([
    '.method',
    '.path',
    '.server',
    ...['argument', 'name', 'where', 'style', 'explode', 'allowReserved', 'isJson'].map(
      (each) => `.parameters[0].${each}`,
    ),
    '.parameters[]',
    ...['mediaType', 'form', 'under', 'isRequired', 'parts.one.style', 'parts.one.explode', 'files[0]', 'files[]'].map(
      (each) => `.body.${each}`,
    ),
  ]);
});

it.each(changes)('%s changed alone is another operation than was accepted', (_way, changed) => {
  expect(digestJson(pinPlan(changed as unknown as OperationPlan))).not.toBe(digestJson(pinPlan(FULL)));
});

const SITUATION = {
  documentName: 'doc',
  server: 'https://a.example',
  isServerChosen: true,
  documentUrl: null,
  headers: new Set<string>(),
};
const pinnedIn = async (operation: JsonObject): Promise<string> => {
  const root = {
    openapi: '3.1.0',
    info: {},
    paths: { '/rows': { delete: { operationId: 'drop', responses: {}, ...operation } } },
  };
  const { planned } = await readOperations({ root, isOld: false }, SITUATION);
  expect(planned).toHaveLength(1);
  return digestJson(planned[0]?.offered.pinned ?? {});
};
const filter = (more: JsonObject): JsonObject => ({
  parameters: [{ name: 'filter', in: 'query', required: true, schema: { type: 'array' }, ...more }],
});
const body = (type: string, media: JsonObject = {}): JsonObject => ({
  requestBody: { content: { [type]: { schema: { type: 'object', properties: { a: { type: 'string' } } }, ...media } } },
});

it.each([
  ['into a header', filter({}), filter({ in: 'header' })],
  ['in another style', filter({}), filter({ style: 'pipeDelimited' })],
  ['not taken apart', filter({}), filter({ explode: false })],
  ['with what is reserved as it stands', filter({}), filter({ allowReserved: true })],
  ['a body into a form', body('application/json'), body('application/x-www-form-urlencoded')],
  ['a form into parts', body('application/x-www-form-urlencoded'), body('multipart/form-data')],
  ['in another type of JSON', body('application/json'), body('application/merge-patch+json')],
  [
    'a part written otherwise',
    body('application/x-www-form-urlencoded'),
    body('application/x-www-form-urlencoded', { encoding: { a: { style: 'deepObject', explode: true } } }),
  ],
])('an argument that a document moves %s is none that was accepted', async (_what, before, after) => {
  expect(await pinnedIn(after)).not.toBe(await pinnedIn(before));
});
