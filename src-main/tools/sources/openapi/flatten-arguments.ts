import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { RequestBody } from './request-body.js';
import type { PlannedParameter } from './parameters.js';
import type { BodyPlan, ParameterPlan } from './operation-plan.js';
import { shorten, UnusableOperation } from './references.js';
import { type SchemaBudget, SchemaConverter } from './schema-converter.js';

export interface FlatArguments {
  readonly inputSchema: JsonObject;
  readonly parameters: readonly ParameterPlan[];
  readonly body: BodyPlan | null;
}

/**
 * Keywords of a body's schema that hold for all arguments when the body is spread among them, as they did for the body.
 */
const CARRIED_KEYWORDS = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
];

/** Makes one flat object: parameters by their names, and the parts of the body beside them, where both have room. */
export function flattenArguments(
  root: JsonObject,
  isOld: boolean,
  budget: SchemaBudget,
  offered: readonly PlannedParameter[],
  body: RequestBody | null,
): FlatArguments {
  const gatherer = new SchemaConverter(root, isOld, 'sent', budget);
  const parameters = nameArguments(offered.map(({ plan }) => plan));
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [index, { schema, description, isRequired }] of offered.entries()) {
    const { argument } = parameters[index] as ParameterPlan;
    const converted = gatherer.convert(schema);
    properties[argument] = description === null ? converted : addDescription(converted, description);
    if (isRequired) required.push(argument);
  }
  const none = { type: 'object', properties, required, additionalProperties: false };
  if (body === null) return { inputSchema: { ...none, ...gatherer.definitions() }, parameters, body: null };

  const { plan, schema, top } = body;
  const whole = top === null ? null : gatherer.convert(top);
  const parts = isJsonObject(whole) && isJsonObject(whole['properties']) ? whole['properties'] : {};
  const isSpread =
    plan.form !== 'text' &&
    Object.keys(parts).length > 0 &&
    !Object.keys(parts).some((name) => Object.hasOwn(properties, name)) &&
    mayBeObject(whole);
  if (!isSpread || !isJsonObject(whole)) {
    const under = findFreeName('body', properties);
    properties[under] = gatherer.convert(schema);
    if (plan.isRequired) required.push(under);
    return { inputSchema: { ...none, ...gatherer.definitions() }, parameters, body: { ...plan, under } };
  }
  const needed = (Array.isArray(whole['required']) ? (whole['required'] as readonly Json[]) : []).filter(
    (name): name is string => typeof name === 'string',
  );
  const carried = Object.fromEntries(
    CARRIED_KEYWORDS.flatMap((each) => (whole[each] === undefined ? [] : [[each, whole[each]]])),
  );
  const more = whole['additionalProperties'];
  return {
    inputSchema: {
      type: 'object',
      properties: { ...properties, ...parts },
      required: plan.isRequired ? [...required, ...needed] : required,
      ...(more === undefined ? {} : { additionalProperties: more }),
      ...carried,
      // A body that may be left out is left out whole.
      ...(plan.isRequired || needed.length === 0 ? {} : { dependentRequired: requireTogether(parts, needed) }),
      ...gatherer.definitions(),
    },
    parameters,
    body: plan,
  };
}

const mayBeObject = (schema: Json): boolean => {
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  return type === undefined || type === 'object';
};

const requireTogether = (parts: JsonObject, needed: readonly string[]): JsonObject =>
  Object.fromEntries(Object.keys(parts).map((name) => [name, needed.filter((each) => each !== name)]));

/** Two of one name stand in different places of the request: all but the first say in which. */
function nameArguments(plans: readonly Omit<ParameterPlan, 'argument'>[]): readonly ParameterPlan[] {
  const taken = new Set<string>();
  return plans.map((plan) => {
    const argument = taken.has(plan.name) ? `${plan.where}_${plan.name}` : plan.name;
    if (taken.has(argument))
      throw new UnusableOperation(`has more than one parameter ${shorten(plan.name)} that can’t be told apart`);
    taken.add(argument);
    return { ...plan, argument };
  });
}

function findFreeName(wanted: string, taken: JsonObject): string {
  let name = wanted;
  for (let next = 2; Object.hasOwn(taken, name); next += 1) name = `${wanted}_${next}`;
  return name;
}

function addDescription(schema: Json, description: string): Json {
  if (isJsonObject(schema)) return { ...schema, description };
  return schema === true ? { description } : schema;
}
