import { Ajv } from 'ajv';
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { walkJson } from '#contract/vocabulary/text/json-walk.js';
import { createPattern } from './linear-pattern.js';
import { runWithinTime } from './timing/run-within-time.js';

export interface SchemaProblem {
  /** Dotted, '' for the value itself: `calls.0.arguments`. */
  readonly path: string;
  readonly message: string;
}

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

export type Validator<T> = (value: unknown) => Checked<T>;

/**
 * The only validator for our own schemas. Strict, so that a misspelt keyword in one is an error and not a hole; own
 * properties only, so that nothing inherited can pass for something required. It never changes the value that it
 * checks.
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
let made: Ajv2020 | undefined;
/**
 * The schema of schemas takes longer to be compiled than all that is ours, and is left out: TypeBox gives nothing that is not a
 * schema, and a test holds every declaration to it.
 */
const createOwnAjv = (): Ajv2020 => (made ??= new Ajv2020({ ...CHOICES, meta: false, validateSchema: false }));

/** Builds the validator for a schema of ours, written with TypeBox: the type and the check come from the same place. */
export function compileValidator<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  return compiledAtFirstUse<Static<Schema>>(schema);
}

/** Builds the validator for a tool's declaration, which is a schema of ours written as data. */
export const compileJsonValidator = (schema: JsonObject): Validator<JsonObject> =>
  compiledAtFirstUse<JsonObject>(schema);

const PROTOTYPE_KEY = {
  ok: false,
  problems: [{ path: '', message: 'holds a key that JavaScript treats specially' }],
} as const;

/** Opening the window must not wait for the schemas of pages nobody opened, nor for those of tools that nobody calls. */
function compiledAtFirstUse<T>(schema: object): Validator<T> {
  let check: Validator<T> | undefined;
  return (value) => (check ??= compile<T>(schema))(value);
}

function compile<T>(schema: object): Validator<T> {
  const validate = createOwnAjv().compile(schema);
  return (value) => {
    if (hasPrototypeKey(value)) return PROTOTYPE_KEY;
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
  return { path, message: boundInWords(error) ?? error.message ?? 'is not as it should be' };
}

/** The library's own words for a bound are no English: “must NOT have fewer than 1 characters”. */
function boundInWords({ keyword, params }: ErrorObject): string | null {
  const limit = (params as { readonly limit?: unknown }).limit;
  if (typeof limit !== 'number') return null;
  const count = (noun: string) => `${limit.toLocaleString('en-US')} ${noun}${limit === 1 ? '' : 's'}`;
  switch (keyword) {
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${count('character')}`;
    case 'maxLength':
      return `must have at most ${count('character')}`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${count('item')}`;
    case 'maxItems':
      return `must have at most ${count('item')}`;
    default:
      return null;
  }
}

export type ForeignValidator =
  | { readonly ok: true; readonly validate: Validator<JsonObject> }
  | { readonly ok: false; readonly problems: readonly string[] };

const DIALECTS: ReadonlyMap<string, typeof Ajv | typeof Ajv2020> = new Map([
  ['json-schema.org/draft/2020-12/schema', Ajv2020],
  ['json-schema.org/draft-07/schema', Ajv],
]);

/**
 * Options for foreign schemas: they may have keywords that we don't know, and whoever corrects one needs to hear of
 * every problem at once.
 */
const LENIENT: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
  code: { regExp: Object.assign(createPattern, { code: 'createPattern' }) },
};

/**
 * Validators for schemas themselves. They only validate, so that no foreign schema is ever known to them by its `$id`.
 */
const metaValidators = new Map<unknown, Ajv>();

const MAX_COMPILE_MS = 2000;
const MAX_CHECK_MS = 250;

/**
 * Compiles a schema that others wrote, in draft 2020-12 or 7, without holding it to the rules for ours. Each has a
 * validator of its own: what one says of itself (`$id`, anchors) is nothing that another could refer to. It may hold a
 * pattern, or a recursion, that takes years: the time of each step is bounded, and what is not done by then has not
 * passed.
 */
export function compileForeignValidator(schema: JsonObject): ForeignValidator {
  if (schema['$async'] === true)
    return { ok: false, problems: ['is an asynchronous schema, which only one library knows'] };
  const chosen = chooseDialect(schema);
  if (!chosen.ok) return chosen;
  const Dialect = chosen.dialect;
  const { $schema: _dialect, ...content } = schema;
  // Checked already; without the dialects' own schemas each costs a millisecond and not forty.
  const compiled = () => new Dialect({ ...LENIENT, meta: false, validateSchema: false }).compile(content);
  const plain = measurePlainSchema(content);
  try {
    const check = plain === null ? runWithinTime(MAX_COMPILE_MS, compiled) : compiled();
    if (check === null) return { ok: false, problems: ['takes too long to be understood'] };
    return { ok: true, validate: (value) => validateInTime(check, value, plain) };
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : 'can’t be understood'] };
  }
}

type Dialect =
  | { readonly ok: true; readonly dialect: typeof Ajv | typeof Ajv2020 }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where none is told it is the newer; what is no valid schema in that and is one in the older is of the older. */
function chooseDialect(schema: JsonObject): Dialect {
  const told = schema['$schema'];
  const dialect =
    typeof told === 'string' ? DIALECTS.get(told.replace(/^https?:\/\//u, '').replace(/#$/u, '')) : undefined;
  if (told !== undefined && dialect === undefined)
    return { ok: false, problems: ['is in a dialect that is neither draft 2020-12 nor draft 7 ($schema)'] };
  if (dialect !== undefined) {
    const problems = findSchemaProblems(dialect, schema);
    return problems.length === 0 ? { ok: true, dialect } : { ok: false, problems };
  }
  const problems = findSchemaProblems(Ajv2020, schema);
  if (problems.length === 0) return { ok: true, dialect: Ajv2020 };
  return findSchemaProblems(Ajv, schema).length === 0 ? { ok: true, dialect: Ajv } : { ok: false, problems };
}

function findSchemaProblems(Dialect: typeof Ajv | typeof Ajv2020, schema: JsonObject): readonly string[] {
  const meta = metaValidators.get(Dialect) ?? new Dialect(LENIENT);
  metaValidators.set(Dialect, meta);
  const { $schema: _dialect, ...content } = schema;
  if (meta.validateSchema(content) === true) return [];
  const words = (meta.errors ?? [])
    .map(describe)
    .map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return [...new Set(words)];
}

function validateInTime(check: (value: unknown) => unknown, value: unknown, plain: number | null): Checked<JsonObject> {
  if (hasPrototypeKey(value)) return PROTOTYPE_KEY;
  const isQuick = plain !== null && plain * measureSize(value, MAX_STEPS / plain) <= MAX_STEPS;
  try {
    const passed = isQuick ? check(value) === true : runWithinTime(MAX_CHECK_MS, () => check(value) === true);
    if (passed === true) return { ok: true, value: value as JsonObject };
    if (passed === null) return { ok: false, problems: [{ path: '', message: 'take too long to be checked' }] };
    return { ok: false, problems: ((check as { errors?: ErrorObject[] | null }).errors ?? []).map(describe) };
  } catch {
    return { ok: false, problems: [{ path: '', message: 'can’t be checked by this schema' }] };
  }
}

const MAX_PLAIN_SIZE = 1000;
const MAX_STEPS = 500_000;
/** Keywords that may take longer than the size of the schema and of the value lets expect. */
const SLOW: ReadonlySet<string> = new Set([
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'pattern',
  'patternProperties',
  'uniqueItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

/**
 * The size of a schema that takes no longer than its size says, so that nobody has to look at a clock, which tells more
 * of the machine than of the schema; null for every other.
 */
function measurePlainSchema(schema: JsonObject): number | null {
  const size = measureSize(schema, MAX_PLAIN_SIZE, (key) => SLOW.has(key));
  return size > MAX_PLAIN_SIZE ? null : size;
}

/** How many values it holds; more than `most` where it holds more, or a key that is asked for. */
function measureSize(root: unknown, most: number, has: (key: string) => boolean = () => false): number {
  let size = 0;
  for (const { value } of walkJson(root)) {
    if ((size += 1) > most) break;
    if (typeof value === 'object' && value !== null && Object.keys(value).some(has)) return most + 1;
  }
  return size;
}

/**
 * JSON.parse makes `__proto__` an own key, harmless until somebody copies it with an assignment. No message, setting or
 * argument has a use for it, so none may carry it.
 */
export function hasPrototypeKey(root: unknown): boolean {
  for (const { value } of walkJson(root))
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) return true;
  return false;
}
