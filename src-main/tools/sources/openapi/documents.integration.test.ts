import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import { admitSchema } from '../../foreign/foreign-admission.js';
import { largeDocument } from './document-parts.test-support.js';
import { DOCUMENTS } from './documents.test-support.js';
import { MORE_DOCUMENTS } from './more-documents.test-support.js';
import { never, serve, sourceOfText, invoke } from './openapi.test-support.js';

/** However many a document has, each is counted: none may be lost. */
function countOperations(document: JsonObject): number {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {};
  const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
  const items = isJsonObject(document['components']) ? document['components']['pathItems'] : null;
  return Object.values(paths).reduce<number>((count, item) => {
    const found = isJsonObject(item) && item['$ref'] !== undefined && isJsonObject(items) ? items['Subscribe'] : item;
    return count + (isJsonObject(found) ? Object.keys(found).filter((key) => methods.has(key)).length : 1);
  }, 0);
}

test.each([...DOCUMENTS, ...MORE_DOCUMENTS])('$name', async ({ document, offered, refused, cases }) => {
  const server = await serve();
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const source = sourceOfText(text, { base_url: `${server.url}/v1` });
  const offer = await source.offer(never);
  expect(offer.operations.map(({ operation }) => operation)).toEqual(offered);
  expect(offer.operations.every(({ version }) => version === '1.2.3')).toBe(true);
  expect(new Set(offer.refused.map(({ what }) => what.split(' ')[0]))).toEqual(new Set(refused.map(([what]) => what)));
  expect(offer.refused.length).toBe(refused.length);
  for (const [what, reason] of refused)
    expect(offer.refused.find((each) => each.what.split(' ')[0] === what)?.reason).toContain(reason);
  if (typeof document !== 'string')
    expect(offer.operations.length + offer.refused.length).toBe(countOperations(document));

  const inputs = new Map(
    offer.operations.map(({ operation, inputSchema }) => [operation, admitSchema(inputSchema as JsonObject)]),
  );
  for (const [operation, admitted] of inputs) expect([operation, admitted]).toMatchObject([operation, { ok: true }]);
  for (const { operation, args, line, body, headers } of cases) {
    const admitted = inputs.get(operation);
    expect([operation, admitted?.ok === true ? admitted.checkInput(args) : 'refused']).toEqual([operation, null]);
    await invoke(source, offer, operation, args);
    const seen = server.seen.at(-1);
    expect(seen?.line).toBe(line);
    if (body !== undefined) expect(seen?.body.replaceAll(/gatehouse-[\w-]{36}/gu, 'B')).toBe(body);
    expect(seen?.headers).toMatchObject(headers ?? {});
  }
  expect(server.seen.length).toBe(cases.length);
});

test('A document of 5 MB: every operation is there, and can be asked for', async () => {
  const server = await serve();
  const text = JSON.stringify(largeDocument());
  expect(text.length).toBeGreaterThan(5_000_000);
  const source = sourceOfText(text, { base_url: server.url });
  const [offer, meanwhile] = await Promise.all([source.offer(never), source.offer(never)]);
  expect([offer.operations.length, offer.refused]).toEqual([1000, []]);
  expect(meanwhile).toBe(offer);
  for (const { inputSchema } of offer.operations.filter((_, index) => index % 100 === 0))
    expect(admitSchema(inputSchema as JsonObject).ok).toBe(true);
  await invoke(source, offer, 'things_999_change', { id: 'x', page: 2, body: { size: 3 } });
  expect(server.seen.map(({ line, body }) => [line, body])).toEqual([['POST /things999/x?page=2', '{"size":3}']]);
  expect(await source.offer(never)).toBe(offer);
  const [one, other] = await Promise.all(
    [0, 1].map(async () => sourceOfText(text, { base_url: server.url }).offer(never)),
  );
  expect(one).toEqual(other);
});
