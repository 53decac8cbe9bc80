import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import type { OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** Offers a tool that is asked over the network, by whoever made it: what it does is not known. */
export function toOfferedOperation(
  name: string,
  description: string,
  inputSchema: Json,
  outputSchema: Json | null,
  url: string,
): OfferedOperation {
  const claims = { readOnly: false, destructive: true, idempotent: false, openWorld: true, requiresApproval: false };
  return {
    operation: name,
    toolId: null,
    version: '0.0.0',
    title: name,
    description,
    inputSchema,
    outputSchema,
    claims,
    pinned: { name, description, url, inputSchema, outputSchema },
    timeoutMs: null,
    lifecycle: null,
  };
}

/** The tools that a file defines: each is offered, or refused with the reason. `goAlone`: headers go to one place only. */
export function readDefinitions(
  definitions: readonly Json[],
  file: string,
  goAlone: boolean,
): { readonly operations: readonly OfferedOperation[]; readonly refused: readonly RefusedOperation[] } {
  const operations: OfferedOperation[] = [];
  const refused: RefusedOperation[] = [];
  let home: string | null = null;
  for (const [index, each] of definitions.entries()) {
    const read = readDefinition(each);
    if (typeof read === 'string') {
      refused.push({ what: readName(each) ?? `Definition ${index + 1}`, file, line: null, eCode: null, reason: read });
      continue;
    }
    home ??= read.origin;
    if (goAlone && read.origin !== home) {
      const reason = `Its url is at another place than the first one’s (${home}), and the headers in your settings are for that. Make it a source of its own.`;
      refused.push({ what: read.operation.operation, file, line: null, eCode: null, reason });
    } else operations.push(read.operation);
  }
  return { operations, refused };
}

/** The definition itself, where it stands in the form that models of OpenAI take. */
const unwrapDefinition = (value: Json): JsonObject | null => {
  if (!isJsonObject(value)) return null;
  if (value['type'] !== 'function' || value['function'] === undefined) return value;
  return isJsonObject(value['function']) ? { url: value['url'] ?? null, ...value['function'] } : null;
};

function readName(value: Json): string | null {
  const name = unwrapDefinition(value)?.['name'];
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : null;
}

function readDefinition(value: Json): string | { readonly operation: OfferedOperation; readonly origin: string } {
  const definition = unwrapDefinition(value);
  if (definition === null) return 'It is no definition of a tool.';
  const { name, description = '', url } = definition;
  if (typeof name !== 'string' || name === '') return 'It has no name.';
  if (typeof description !== 'string') return 'Its description is no text.';
  if (typeof url !== 'string') return 'It has no url to be asked at.';
  const parsed = URL.parse(url);
  const read = parsed === null ? null : parseAddress(`${parsed.origin}${parsed.pathname}`);
  if (parsed === null || read === null || parsed.username !== '' || parsed.password !== '')
    return 'Its url is no address. Begin with https:// or http://, and write the host alone.';
  if (!read.ok) return `Its url can’t be used. ${read.problem}`;
  const schema = definition['parameters'] ?? definition['args_schema'] ?? definition['schema'] ?? NO_ARGUMENTS;
  if (!isJsonObject(schema)) return 'Its schema is none.';
  return { operation: toOfferedOperation(name, description, schema, null, url), origin: read.address.origin };
}
