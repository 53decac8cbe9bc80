import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';

export interface SchemaProblem {
  /** Dotted, '' for the value itself: `calls.0.arguments`. */
  readonly path: string;
  readonly message: string;
}

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

export type Validator<T> = (value: unknown) => Checked<T>;

/**
 * The one validator. Strict, so that a misspelt keyword in a schema of ours is an error and not a hole; own properties
 * only, so that nothing inherited can stand in for something required. It never changes what it checks.
 */
const CHOICES = {
  strict: true,
  // A schema that gives a union its parts (`anyOf` of objects) names the type in each part.
  strictTypes: false,
  strictRequired: false,
  strictTuples: true,
  ownProperties: true,
  allErrors: false,
  validateFormats: false,
  messages: true,
  inlineRefs: true,
} as const;
/** For schemas that are data: each is checked against the schema of schemas, which takes a while to be compiled. */
const ofData = new Ajv2020(CHOICES);
/** For ours: TypeBox gives none that is not a schema. */
const ofOurs = new Ajv2020({ ...CHOICES, meta: false, validateSchema: false });

/** For a schema of ours, written with TypeBox: the type and the check come from the same place. */
export function validatorOf<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  // Compiled at first use: opening the window must not wait for the schemas of pages nobody opened.
  let check: Validator<Static<Schema>> | undefined;
  return (value) => (check ??= compile<Static<Schema>>(ofOurs, schema))(value);
}

/** For a schema that is data (a tool's declaration). Throws where it is not a valid schema. */
export function validatorOfJson(schema: JsonObject): Validator<JsonObject> {
  return compile<JsonObject>(ofData, schema);
}

function compile<T>(ajv: Ajv2020, schema: object): Validator<T> {
  const validate = ajv.compile(schema);
  return (value) => {
    if (holdsPrototypeKey(value)) {
      return { ok: false, problems: [{ path: '', message: 'holds a key that JavaScript treats specially' }] };
    }
    if (validate(value)) return { ok: true, value: value as T };
    return { ok: false, problems: (validate.errors ?? []).map(describe) };
  };
}

function describe(error: ErrorObject): SchemaProblem {
  const path = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const extra = (error.params as Record<string, unknown>)['additionalProperty'];
  if (typeof extra === 'string') return { path, message: `has “${extra.slice(0, 100)}”, which is not known here` };
  const allowed = (error.params as Record<string, unknown>)['allowedValues'];
  if (Array.isArray(allowed)) return { path, message: `must be one of: ${allowed.join(', ')}` };
  return { path, message: error.message ?? 'is not as it should be' };
}

/**
 * JSON.parse makes `__proto__` an own key, harmless until somebody copies it with an assignment. No message, setting or
 * argument has a use for it, so none may carry it. Walks without recursion: depth can't exhaust the stack.
 */
export function holdsPrototypeKey(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const child of Object.values(next)) if (typeof child === 'object') waiting.push(child);
  }
  return false;
}
