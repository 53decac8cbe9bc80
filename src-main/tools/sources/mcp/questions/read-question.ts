import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SourceQuestion, SampleRequest } from '../../../../domain/ports/sources/server-questions.js';
import { compileForeignValidator } from '../../../../platform/json-schema.js';

/** A question that can’t be asked: reported to the server, in words. */
export class UnaskableQuestion extends Error {}

const MAX_MESSAGE_LENGTH = 4000;
const MAX_FIELDS = 50;
const MAX_SCHEMA_LENGTH = 65_536;
const MAX_CHOICES = 500;
const MAX_ADDRESS_LENGTH = 2000;
const MAX_TEXT_LENGTH = 200_000;
const MAX_MESSAGES = 100;
const MAX_TOKENS = 8192;

/** A form of plain fields, or a page to be opened: as the protocol has both, and no wider. */
export function readElicitation(params: Readonly<Record<string, unknown>>): SourceQuestion {
  const { message, mode } = params;
  if (typeof message !== 'string' || message.trim() === '') throw new UnaskableQuestion('It says nothing (message).');
  if (message.length > MAX_MESSAGE_LENGTH) throw new UnaskableQuestion('Its message is longer than 4,000 characters.');
  if (mode === 'url') return { kind: 'page', message, url: readPageUrl(params['url']) };
  const schema = params['requestedSchema'] as Json;
  if (!isJsonObject(schema) || schema['type'] !== 'object' || !isJsonObject(schema['properties'] ?? null))
    throw new UnaskableQuestion('Its schema is none of a form (requestedSchema).');
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
    throw new UnaskableQuestion('Its schema is larger than 64 KB.');
  const properties = schema['properties'] as JsonObject;
  const fields = Object.entries(properties);
  if (fields.length > MAX_FIELDS) throw new UnaskableQuestion('It asks for more than 50 things at once.');
  for (const [name, field] of fields)
    if (!isPlainField(field))
      throw new UnaskableQuestion(`Its field “${name.slice(0, 100)}” is no text, number, choice or yes and no.`);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const form: JsonObject = { type: 'object', properties, required, additionalProperties: false };
  const checked = compileForeignValidator(form);
  if (!checked.ok) throw new UnaskableQuestion(`Its schema can’t be checked: ${checked.problems.join(' ')}`);
  return { kind: 'form', message, schema: form };
}

const PLAIN_TYPES: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean']);

/** Whether a person can be asked this in one field; a list is one of given choices. */
function isPlainField(field: Json): boolean {
  if (!isJsonObject(field)) return false;
  const { type, items, enum: choices, oneOf } = field;
  for (const list of [choices, oneOf]) if (Array.isArray(list) && list.length > MAX_CHOICES) return false;
  if ('$ref' in field || 'properties' in field || 'pattern' in field) return false;
  if (type === 'array') return isJsonObject(items ?? null) && isChoice(items as JsonObject);
  return typeof type === 'string' && PLAIN_TYPES.has(type);
}

const isChoice = ({ enum: choices, anyOf, oneOf }: JsonObject): boolean =>
  [choices, anyOf, oneOf].some((list) => Array.isArray(list) && list.length <= MAX_CHOICES);

function readPageUrl(url: unknown): string {
  const page = typeof url === 'string' && url.length <= MAX_ADDRESS_LENGTH ? URL.parse(url) : null;
  const isPage = page !== null && /^https?:$/u.test(page.protocol) && page.username === '' && page.password === '';
  if (!isPage) throw new UnaskableQuestion('Its address is none of a page (https://…).');
  return page.href;
}

/** Text alone: what a model is given goes past the person’s eyes, and pictures can’t be read whole. */
export function readSampling(params: Readonly<Record<string, unknown>>): SampleRequest {
  const { messages, systemPrompt, maxTokens, temperature, tools } = params;
  if (Array.isArray(tools) && tools.length > 0)
    throw new UnaskableQuestion('A model that is asked for a server gets no tools.');
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES)
    throw new UnaskableQuestion('It asks nothing, or more than 100 messages.');
  if (params['includeContext'] !== undefined && params['includeContext'] !== 'none')
    throw new UnaskableQuestion('What other conversations hold is not given to a server (includeContext).');
  const read = messages.map(readMessage);
  const system = typeof systemPrompt === 'string' && systemPrompt !== '' ? systemPrompt : null;
  const length = read.reduce((sum, { text }) => sum + text.length, system?.length ?? 0);
  if (length > MAX_TEXT_LENGTH) throw new UnaskableQuestion('It asks with more than 200,000 characters.');
  const tokens = typeof maxTokens === 'number' && maxTokens >= 1 ? Math.floor(maxTokens) : MAX_TOKENS;
  return {
    system,
    messages: read,
    maxTokens: Math.min(tokens, MAX_TOKENS),
    temperature: typeof temperature === 'number' && temperature >= 0 && temperature <= 2 ? temperature : null,
  };
}

function readMessage(message: unknown): SampleRequest['messages'][number] {
  const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
  const blocks = (Array.isArray(content) ? content : [content]) as readonly (Readonly<
    Record<string, unknown>
  > | null)[];
  const texts = blocks.map((block) => {
    if (block?.['type'] !== 'text' || typeof block['text'] !== 'string')
      throw new UnaskableQuestion('It asks with something that is no text.');
    return block['text'];
  });
  return { role: role === 'assistant' ? 'assistant' : 'user', text: texts.join('\n') };
}
