import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The dialect is Draft 2020-12 without what ajv gets wrong in it (FR-VAL-01a): dynamic references, and `unevaluated…`,
 * which it does not see through references. References stay inside their own document.
 */
const UNSUPPORTED = [
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  'unevaluatedProperties',
  'unevaluatedItems',
];

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/**
 * The keywords that a schema of ours may use. A misspelt one would be a hole, and is reported here: nothing has to be
 * compiled to see it.
 */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...`$schema $id $ref $defs $comment $anchor title description default examples
    type enum const anyOf oneOf allOf not if then else
    properties required additionalProperties patternProperties propertyNames dependentRequired
    minProperties maxProperties items prefixItems contains minItems maxItems uniqueItems
    minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf`.split(/\s+/u),
  ...UNSUPPORTED,
]);

/** Seed 000 §6.3, and our subset. Gives every problem in words, each with its place; none means that the schema is fine. */
export function findSchemaProblems(schema: JsonObject): readonly string[] {
  const problems: string[] = [];
  if (schema['$schema'] !== DIALECT) problems.push(`$schema must be "${DIALECT}"`);
  if (schema['type'] !== 'object') problems.push('the schema itself must have type "object"');
  inspect(schema, '', problems);
  return problems;
}

function inspect(schema: JsonObject, where: string, problems: string[]): void {
  const place = where === '' ? 'the schema' : where;
  for (const keyword of UNSUPPORTED)
    if (Object.hasOwn(schema, keyword)) problems.push(`${place} uses ${keyword}, which is not in the supported subset`);
  for (const keyword of Object.keys(schema))
    if (!KEYWORDS.has(keyword)) problems.push(`${place} is not valid JSON Schema (there is no keyword “${keyword}”)`);
  const types = schema['type'] ?? [];
  for (const type of Array.isArray(types) ? types : [types])
    if (!TYPES.has(type)) problems.push(`${place} is not valid JSON Schema (there is no type ${JSON.stringify(type)})`);
  const reference = schema['$ref'];
  if (typeof reference === 'string' && !reference.startsWith('#'))
    problems.push(`${place} refers outside itself (${reference})`);
  const properties = schema['properties'];
  if (isJsonObject(properties)) inspectProperties(schema, properties, where, problems);
  for (const [keyword, value] of Object.entries(schema)) {
    if (
      keyword === 'properties' ||
      keyword === 'default' ||
      keyword === 'examples' ||
      keyword === 'const' ||
      keyword === 'enum'
    )
      continue;
    for (const [child, at] of listSubschemas(keyword, value, where)) inspect(child, at, problems);
  }
}

function inspectProperties(schema: JsonObject, properties: JsonObject, where: string, problems: string[]): void {
  const place = where === '' ? 'the schema' : where;
  if (!Array.isArray(schema['required'])) problems.push(`${place} must say which properties are required`);
  if (!Object.hasOwn(schema, 'additionalProperties')) problems.push(`${place} must say additionalProperties`);
  for (const [name, property] of Object.entries(properties)) {
    const at = where === '' ? name : `${where}.${name}`;
    if (!isJsonObject(property)) {
      problems.push(`${at} is not a schema`);
      continue;
    }
    if (typeof property['description'] !== 'string' || property['description'] === '')
      problems.push(`${at} has no description`);
    if (!hasType(property)) problems.push(`${at} has no type`);
    inspect(property, at, problems);
  }
}

function hasType(schema: JsonObject): boolean {
  if (Object.hasOwn(schema, 'type') || Object.hasOwn(schema, '$ref')) return true;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(alternatives) && alternatives.every((each) => isJsonObject(each) && hasType(each));
}

function listSubschemas(keyword: string, value: unknown, where: string): ReadonlyArray<readonly [JsonObject, string]> {
  const at = where === '' ? keyword : `${where}.${keyword}`;
  if (isJsonObject(value)) {
    if (keyword === '$defs' || keyword === 'patternProperties' || keyword === 'dependentSchemas') {
      return Object.entries(value).flatMap(([name, child]) =>
        isJsonObject(child) ? [[child, `${at}.${name}`] as const] : [],
      );
    }
    return [[value, at]];
  }
  if (Array.isArray(value))
    return value.flatMap((child, index) => (isJsonObject(child) ? [[child, `${at}[${index}]`] as const] : []));
  return [];
}
