import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SettingHeaders } from '../../../domain/outside/setting-headers.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import { type OfferedOperation, SourceProblem } from '../../../domain/ports/sources/source.js';
import { hasPrototypeKey } from '../../../platform/json-schema.js';
import { toOfferedOperation } from './definitions.js';

const WITHIN_MS = 30_000;
const MAX_SCHEMA_BYTES = 2 ** 20;
export const INVOKE = 'invoke';

/** A runnable that is served: what goes in is its arguments, or, where that is no object, one argument `input`. */
export interface Runnable {
  readonly operation: OfferedOperation;
  readonly isWrapped: boolean;
}

/** Fetches the schemas that a runnable serves, as one text. Throws a `SourceProblem`. */
export async function fetchSchemas(
  outside: Outside,
  url: string,
  headers: SettingHeaders,
  stop: AbortSignal,
): Promise<string> {
  const ask = async (what: string): Promise<Json | null> => {
    const answer = await outside.send(
      {
        method: 'GET',
        url: `${url.replace(/\/+$/u, '')}/${what}`,
        within: url,
        headers: { ...headers.plain, accept: 'application/json' },
        body: null,
        keys: headers.keysFor(url),
      },
      AbortSignal.any([stop, AbortSignal.timeout(WITHIN_MS)]),
    );
    const text = await answer.text(MAX_SCHEMA_BYTES);
    if (answer.status !== 200) {
      if (what === 'output_schema') return null;
      throw new SourceProblem('failed', `${url}/${what} answered with ${answer.status}. Is it the url of a runnable?`);
    }
    return JSON.parse(text) as Json;
  };
  try {
    return JSON.stringify({ input: await ask('input_schema'), output: await ask('output_schema') });
  } catch (error) {
    if (error instanceof OutsideProblem)
      throw new SourceProblem('failed', `Its schemas could not be fetched. ${error.message}`);
    if (error instanceof SyntaxError)
      throw new SourceProblem('failed', `${url} answered with schemas that are no JSON.`);
    throw error;
  }
}

export function readRunnable(schemas: string, url: string): Runnable {
  const { input, output } = JSON.parse(schemas) as { readonly input: Json; readonly output: Json };
  if (hasPrototypeKey(input)) throw new SourceProblem('refused', 'Its input schema holds a key “__proto__”.');
  if (hasPrototypeKey(output)) throw new SourceProblem('refused', 'Its output schema holds a key “__proto__”.');
  const isWrapped = !isJsonObject(input) || !isObjectSchema(input);
  const description = isJsonObject(input) && typeof input['description'] === 'string' ? input['description'] : '';
  const operation = toOfferedOperation(INVOKE, description, isWrapped ? wrapInput(input) : input, output, url);
  return { operation, isWrapped };
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (type === undefined && isJsonObject(properties));

/** Wraps an input's schema into that of one argument. Definitions that it refers to by its own root move up with it. */
function wrapInput(input: Json): JsonObject {
  if (!isJsonObject(input))
    return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
  const { $schema, $defs, definitions, ...schema } = input;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { input: schema },
    required: ['input'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}
