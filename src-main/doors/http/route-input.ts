import Type, { type TSchema } from 'typebox';
import { type SchemaProblem, type Validator, compileValidator } from '../../platform/json-schema.js';
import type { Malformed, Properties, RouteFacts } from './route.js';

type InputFault = Pick<Malformed, 'in' | 'at' | 'message'>;

export type CheckedInput<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly wrong: InputFault };

/** Made once for each route, and compiled when it is first used. */
export interface InputReader {
  readonly query: (parameters: URLSearchParams) => CheckedInput<unknown>;
  readonly body: (value: unknown) => CheckedInput<unknown>;
}

export function inputReaderOf({ query, body }: RouteFacts): InputReader {
  const ofQuery = query === undefined ? null : compileValidator(Type.Object(query));
  const ofBody = body === undefined ? null : compileValidator(body);
  return {
    query: (parameters) =>
      query === undefined || ofQuery === null ? { ok: true, value: {} } : readQuery(parameters, query, ofQuery),
    body: (value) => (ofBody === null ? { ok: true, value: undefined } : readBody(value, ofBody)),
  };
}

function readQuery(parameters: URLSearchParams, known: Properties, check: Validator<unknown>): CheckedInput<unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(known)) {
    const text = parameters.get(name);
    const value = text === null ? undefined : valueOf(text, schema);
    if (value !== undefined) given[name] = value;
  }
  const checked = check(given);
  if (checked.ok) return { ok: true, value: given };
  const [problem] = checked.problems;
  const name = problem?.path.split('.')[0] ?? '';
  const schema = known[name];
  const said = (parameters.get(name) ?? '').slice(0, 40);
  const wish = schema === undefined ? null : wishOf(schema);
  return inputFault(
    'query',
    name,
    `${name} must be ${wish ?? problem?.message ?? 'as the document says'}, not “${said}”.`,
  );
}

/** Reads a text as its schema's type; a text that is not of that type stays a text, and does not pass. */
function valueOf(text: string, schema: TSchema): unknown {
  const { type } = schema as { readonly type?: string };
  if (type === 'integer') return /^-?\d{1,15}$/u.test(text) ? Number(text) : text;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/u.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  return text === '' ? undefined : text;
}

function wishOf(schema: TSchema): string | null {
  const { type, minimum, maximum, maxLength } = schema as {
    readonly type?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly maxLength?: number;
  };
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  if (type === 'integer') return `a whole number${range}`;
  if (type === 'number') return `a number${range}`;
  if (type === 'boolean') return 'true or false';
  return maxLength === undefined ? null : `at most ${maxLength} characters long`;
}

function readBody(value: unknown, check: Validator<unknown>): CheckedInput<unknown> {
  const checked = check(value);
  if (checked.ok) return checked;
  const [problem] = checked.problems;
  const at = problem === undefined ? '' : pointerOf(problem);
  return inputFault('body', at, `${at === '' ? 'The body' : at} ${problem?.message ?? 'is not as the document says'}.`);
}

/** A name with a dot in it can't be told from two: what is ours has none. */
const pointerOf = ({ path }: SchemaProblem): string => (path === '' ? '' : `/${path.replaceAll('.', '/')}`);

const inputFault = (
  where: InputFault['in'],
  at: string,
  message: string,
): { readonly ok: false; readonly wrong: InputFault } => ({
  ok: false,
  wrong: { in: where, at, message },
});
