import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { resolvePointer, resolveReference, splitPointer, UnusableOperation } from './references.js';

/** The size past which a schema can't be admitted anyway; nothing is gathered beyond it. */
const MAX_SCHEMA_VALUES = 5000;
const MAX_SCHEMA_DEPTH = 64;

const MAP_KEYWORDS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_KEYWORDS = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems'.split(
    ' ',
  ),
);
/** Said of schemas by OpenAPI, and nothing to JSON Schema. */
const DROPPED_KEYWORDS = new Set([
  'discriminator',
  'xml',
  'externalDocs',
  'nullable',
  '$id',
  '$schema',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
]);

/** A budget shared by all operations of a document. */
export interface SchemaBudget {
  left: number;
}

/**
 * The schemas of one operation in one direction, as JSON Schema of their own: what they refer to becomes `$defs`, each once, so that
 * what refers to itself, or is used a hundred times, is written once.
 */
export class SchemaConverter {
  readonly #budget: SchemaBudget;
  readonly #root: JsonObject;
  /** Version 3.0 has a dialect of its own. */
  readonly #isOld: boolean;
  /** The keyword of properties that are left out: a request has nothing that is only read, and the other way round. */
  readonly #omittedKeyword: 'readOnly' | 'writeOnly';
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, Json>();
  readonly #pending: { readonly name: string; readonly reference: string }[] = [];
  #count = 0;

  constructor(root: JsonObject, isOld: boolean, direction: 'sent' | 'answered', budget: SchemaBudget) {
    this.#budget = budget;
    this.#root = root;
    this.#isOld = isOld;
    this.#omittedKeyword = direction === 'sent' ? 'readOnly' : 'writeOnly';
  }

  convert(schema: Json, depth = 0): Json {
    this.#countValue();
    if (depth > MAX_SCHEMA_DEPTH)
      throw new UnusableOperation(`has schemas that are nested more than ${MAX_SCHEMA_DEPTH} deep`);
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) throw new UnusableOperation('has a schema that is none');
    const reference = schema['$ref'];
    if (reference === undefined) return this.#convertKeywords(schema, depth);
    if (typeof reference !== 'string') throw new UnusableOperation('has a schema whose $ref is no text');
    const named = { $ref: `#/$defs/${this.#nameDefinition(reference)}` };
    if (this.#isOld) return named;
    const { $ref: _reference, ...beside } = schema;
    return Object.keys(beside).length === 0
      ? named
      : { ...(this.#convertKeywords(beside, depth) as JsonObject), ...named };
  }

  /** Definitions of all that was converted; empty where nothing was referred to. */
  definitions(): JsonObject {
    // One after the other, however long the chain of them is.
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop())
      this.#definitions.set(next.name, this.convert(resolvePointer(this.#root, next.reference)));
    return this.#definitions.size === 0 ? {} : { $defs: Object.fromEntries(this.#definitions) };
  }

  #countValue(): void {
    this.#count += 1;
    this.#budget.left -= 1;
    if (this.#count > MAX_SCHEMA_VALUES)
      throw new UnusableOperation('has schemas that are larger than any that can be offered');
    if (this.#budget.left < 0) throw new UnusableOperation('comes after as many schemas as are read of one document');
  }

  #nameDefinition(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const own = (splitPointer(reference).at(-1) ?? '').replaceAll(/[^A-Za-z0-9_-]/gu, '_') || 'schema';
    let name = own;
    for (let next = 2; this.#definitions.has(name); next += 1) name = `${own}_${next}`;
    this.#names.set(reference, name);
    this.#definitions.set(name, true);
    this.#pending.push({ name, reference });
    return name;
  }

  #convertKeywords(schema: JsonObject, depth: number): Json {
    if (schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined)
      throw new UnusableOperation('has a schema with dynamic references');
    const made: Record<string, Json> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (DROPPED_KEYWORDS.has(keyword) || keyword.startsWith('x-')) continue;
      if (keyword === 'properties') made[keyword] = this.#convertProperties(value, depth);
      else if (MAP_KEYWORDS.has(keyword)) made[keyword] = this.#convertMap(value, depth);
      else if (LIST_KEYWORDS.has(keyword) && Array.isArray(value))
        made[keyword] = value.map((each: Json) => this.convert(each, depth + 1));
      else if (SCHEMA_KEYWORDS.has(keyword) && !Array.isArray(value)) made[keyword] = this.convert(value, depth + 1);
      else if (SCHEMA_KEYWORDS.has(keyword) && Array.isArray(value))
        made[keyword] = value.map((each: Json) => this.convert(each, depth + 1));
      else {
        this.#countValue();
        made[keyword] = value;
      }
    }
    if (Array.isArray(made['required']) && isJsonObject(schema['properties']))
      made['required'] = this.#filterRequired(made['required'] as readonly Json[], schema['properties']);
    return this.#isOld ? convertOldDialect(schema, made) : made;
  }

  #convertMap(value: Json, depth: number): Json {
    if (!isJsonObject(value)) throw new UnusableOperation('has a schema whose properties are none');
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.convert(each, depth + 1)]));
  }

  #convertProperties(value: Json, depth: number): Json {
    if (!isJsonObject(value)) throw new UnusableOperation('has a schema whose properties are none');
    const kept = Object.entries(value).filter(([, property]) => !this.#isOmitted(property));
    return this.#convertMap(Object.fromEntries(kept), depth);
  }

  #filterRequired(required: readonly Json[], properties: JsonObject): Json {
    return required.filter((name) => typeof name !== 'string' || !this.#isOmitted(properties[name] ?? null));
  }

  #isOmitted(property: Json): boolean {
    if (!isJsonObject(property)) return false;
    if (property[this.#omittedKeyword] === true) return true;
    return (
      property['$ref'] !== undefined &&
      resolveReference(this.#root, property, 'a property')[this.#omittedKeyword] === true
    );
  }
}

/** OpenAPI 3.0’s own words, in those of JSON Schema. */
function convertOldDialect(schema: JsonObject, made: Record<string, Json>): Json {
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof made[exclusive] !== 'boolean') continue;
    const { [limit]: value } = made;
    if (made[exclusive] && value !== undefined) {
      made[exclusive] = value;
      delete made[limit];
    } else delete made[exclusive];
  }
  if (made['example'] !== undefined) {
    made['examples'] = [made['example']];
    delete made['example'];
  }
  if (schema['nullable'] !== true) return made;
  if (typeof made['type'] !== 'string') return { anyOf: [made, { type: 'null' }] };
  made['type'] = [made['type'], 'null'];
  if (Array.isArray(made['enum']) && !made['enum'].includes(null)) made['enum'] = [...(made['enum'] as Json[]), null];
  return made;
}
