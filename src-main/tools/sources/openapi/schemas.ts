import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { at, followed, pointerParts, Unusable } from './references.js';

/** The size past which a schema can't be admitted anyway; nothing is gathered beyond it. */
const MOST_VALUES = 5000;
const DEEPEST = 64;

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems'.split(
    ' ',
  ),
);
/** Said of schemas by OpenAPI, and nothing to JSON Schema. */
const DROPPED = new Set([
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
export class SchemaGatherer {
  readonly #budget: SchemaBudget;
  readonly #root: JsonObject;
  /** Version 3.0 has a dialect of its own. */
  readonly #isOld: boolean;
  /** The keyword of properties that are left out: a request has nothing that is only read, and the other way round. */
  readonly #left: 'readOnly' | 'writeOnly';
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, Json>();
  readonly #waiting: { readonly name: string; readonly reference: string }[] = [];
  #count = 0;

  constructor(root: JsonObject, isOld: boolean, direction: 'sent' | 'answered', budget: SchemaBudget) {
    this.#budget = budget;
    this.#root = root;
    this.#isOld = isOld;
    this.#left = direction === 'sent' ? 'readOnly' : 'writeOnly';
  }

  converted(schema: Json, depth = 0): Json {
    this.#counted();
    if (depth > DEEPEST) throw new Unusable(`has schemas that are nested more than ${DEEPEST} deep`);
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) throw new Unusable('has a schema that is none');
    const reference = schema['$ref'];
    if (reference === undefined) return this.#plain(schema, depth);
    if (typeof reference !== 'string') throw new Unusable('has a schema whose $ref is no text');
    const named = { $ref: `#/$defs/${this.#nameOf(reference)}` };
    if (this.#isOld) return named;
    const { $ref: _reference, ...beside } = schema;
    return Object.keys(beside).length === 0 ? named : { ...(this.#plain(beside, depth) as JsonObject), ...named };
  }

  /** Definitions of all that was converted; empty where nothing was referred to. */
  definitions(): JsonObject {
    // One after the other, however long the chain of them is.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop())
      this.#definitions.set(next.name, this.converted(at(this.#root, next.reference)));
    return this.#definitions.size === 0 ? {} : { $defs: Object.fromEntries(this.#definitions) };
  }

  #counted(): void {
    this.#count += 1;
    this.#budget.left -= 1;
    if (this.#count > MOST_VALUES) throw new Unusable('has schemas that are larger than any that can be offered');
    if (this.#budget.left < 0) throw new Unusable('comes after as many schemas as are read of one document');
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const own = (pointerParts(reference).at(-1) ?? '').replaceAll(/[^A-Za-z0-9_-]/gu, '_') || 'schema';
    let name = own;
    for (let next = 2; this.#definitions.has(name); next += 1) name = `${own}_${next}`;
    this.#names.set(reference, name);
    this.#definitions.set(name, true);
    this.#waiting.push({ name, reference });
    return name;
  }

  #plain(schema: JsonObject, depth: number): Json {
    if (schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined)
      throw new Unusable('has a schema with dynamic references');
    const made: Record<string, Json> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (DROPPED.has(keyword) || keyword.startsWith('x-')) continue;
      if (keyword === 'properties') made[keyword] = this.#properties(value, depth);
      else if (MAPS.has(keyword)) made[keyword] = this.#map(value, depth);
      else if (LISTS.has(keyword) && Array.isArray(value))
        made[keyword] = value.map((each: Json) => this.converted(each, depth + 1));
      else if (SINGLE.has(keyword) && !Array.isArray(value)) made[keyword] = this.converted(value, depth + 1);
      else if (SINGLE.has(keyword) && Array.isArray(value))
        made[keyword] = value.map((each: Json) => this.converted(each, depth + 1));
      else {
        this.#counted();
        made[keyword] = value;
      }
    }
    if (Array.isArray(made['required']) && isJsonObject(schema['properties']))
      made['required'] = this.#requiredOf(made['required'] as readonly Json[], schema['properties']);
    return this.#isOld ? ofOldDialect(schema, made) : made;
  }

  #map(value: Json, depth: number): Json {
    if (!isJsonObject(value)) throw new Unusable('has a schema whose properties are none');
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.converted(each, depth + 1)]));
  }

  #properties(value: Json, depth: number): Json {
    if (!isJsonObject(value)) throw new Unusable('has a schema whose properties are none');
    const kept = Object.entries(value).filter(([, property]) => !this.#isLeftOut(property));
    return this.#map(Object.fromEntries(kept), depth);
  }

  #requiredOf(required: readonly Json[], properties: JsonObject): Json {
    return required.filter((name) => typeof name !== 'string' || !this.#isLeftOut(properties[name] ?? null));
  }

  #isLeftOut(property: Json): boolean {
    if (!isJsonObject(property)) return false;
    if (property[this.#left] === true) return true;
    return property['$ref'] !== undefined && followed(this.#root, property, 'a property')[this.#left] === true;
  }
}

/** OpenAPI 3.0’s own words, in those of JSON Schema. */
function ofOldDialect(schema: JsonObject, made: Record<string, Json>): Json {
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
