import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import {
  SOURCE_KINDS,
  SOURCE_NAME,
  type SourceKind,
  type SourceSettings,
  SourceSettingsSchema,
} from '#contract/vocabulary/tools/sources.js';
import { compileValidator } from '../../platform/json-schema.js';

/** A problem with one source's settings. `key` is from its table; '' for the table itself. */
export interface SourceSettingsProblem {
  readonly key: string;
  readonly reason: string;
}

const validateSource = compileValidator(SourceSettingsSchema);
const RESERVED_NAME = 'gatehouse';
const EACH_KIND = SOURCE_KINDS.map((kind) => `kind = "${kind}"`).join(' or ');

/** Checks `[sources.<name>]`. Null where it can be taken as it is. */
export function findSourceProblem(name: string, value: Json): SourceSettingsProblem | null {
  if (!new RegExp(SOURCE_NAME, 'u').test(name))
    return problemAt(
      '',
      'its name must be lower-case letters, digits and “-”, at most 32, and begin with a letter or digit.',
    );
  if (name === RESERVED_NAME) return problemAt('', `“${RESERVED_NAME}” is the app’s own name. Choose another.`);
  const checked = validateSource(value);
  if (!checked.ok) {
    const [problem] = checked.problems;
    if (isJsonObject(value) && value['kind'] === undefined)
      return problemAt('', `it doesn’t say what kind of source it is: add ${EACH_KIND}.`);
    const path = problem?.path ?? '';
    return problemAt(path, `${path === '' ? 'it' : path} ${problem?.message ?? 'is not as it should be'}.`);
  }
  const settings = checked.value;
  return (
    findMixProblem(settings) ??
    findAddressProblem('url', settings.url) ??
    findAddressProblem('base_url', settings.base_url) ??
    findNameProblem('env', settings.env, /^[A-Za-z_][A-Za-z0-9_]*$/u) ??
    findNameProblem('headers', settings.headers, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u) ??
    findValueProblem('headers', settings.headers) ??
    findCredentialProblem(settings.credentials) ??
    null
  );
}

const problemAt = (key: string, reason: string): SourceSettingsProblem => ({ key, reason });

type SourceSettingKey = keyof SourceSettings;

/**
 * The keys of each kind. Exactly one of the first is there, and of all that kinds have by themselves no others than
 * these.
 */
const KINDS: Readonly<
  Record<
    SourceKind,
    {
      readonly oneOf: readonly SourceSettingKey[];
      readonly with: Partial<Record<SourceSettingKey, readonly SourceSettingKey[]>>;
    }
  >
> = {
  mcp: {
    oneOf: ['command', 'url'],
    with: { command: ['args', 'cwd', 'env', 'network', 'filesystem'], url: ['headers'] },
  },
  openapi: {
    oneOf: ['file', 'url'],
    with: { file: ['base_url', 'headers'], url: ['base_url', 'headers'] },
  },
  langchain: { oneOf: ['file', 'url'], with: { file: ['headers'], url: ['headers'] } },
  program: { oneOf: ['manifest'], with: { manifest: ['credentials'] } },
};
const ANY_KIND: readonly SourceSettingKey[] = [
  'kind',
  'enabled',
  'include',
  'exclude',
  'definitions',
  'approval',
  'timeout_seconds',
  'start',
];
const ONLY_MCP: readonly SourceSettingKey[] = ['elicitation', 'sampling'];

function findMixProblem(settings: SourceSettings): SourceSettingsProblem | null {
  const { kind } = settings;
  const { oneOf, with: beside } = KINDS[kind];
  const said = oneOf.filter((key) => settings[key] !== undefined);
  const [by] = said;
  if (by === undefined) return problemAt('', `a source of the kind “${kind}” needs ${oneOf.map(quoted).join(' or ')}.`);
  if (said.length > 1) return problemAt(said[1] ?? '', `it has ${said.map(quoted).join(' and ')}: choose one.`);
  const known = [...ANY_KIND, ...(kind === 'mcp' ? ONLY_MCP : []), by, ...(beside[by] ?? [])];
  const other = (Object.keys(settings) as SourceSettingKey[]).find((key) => !known.includes(key));
  return other === undefined ? null : problemAt(other, `${quoted(other)} has no meaning beside ${quoted(by)}.`);
}

const quoted = (key: string): string => `“${key}”`;

function findAddressProblem(key: SourceSettingKey, text: string | undefined): SourceSettingsProblem | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return problemAt(key, `${quoted(key)} must be an address that begins with https:// or http://.`);
  return url.username === '' && url.password === ''
    ? null
    : problemAt(key, `${quoted(key)} holds a name or password. Put it into “headers”, as “secret:<name>”.`);
}

function findNameProblem(
  key: SourceSettingKey,
  table: Readonly<Record<string, string>> | undefined,
  form: RegExp,
): SourceSettingsProblem | null {
  const wrong = Object.keys(table ?? {}).find((name) => !form.test(name));
  return wrong === undefined ? null : problemAt(key, `“${wrong.slice(0, 100)}” can’t be a name in ${quoted(key)}.`);
}

function findValueProblem(
  key: SourceSettingKey,
  table: Readonly<Record<string, string>> | undefined,
): SourceSettingsProblem | null {
  const wrong = Object.entries(table ?? {}).find(([, value]) => /[\r\n\0]/u.test(value));
  return wrong === undefined
    ? null
    : problemAt(key, `the value of “${wrong[0]}” in ${quoted(key)} holds a line break.`);
}

function findCredentialProblem(table: Readonly<Record<string, string>> | undefined): SourceSettingsProblem | null {
  const wrong = Object.entries(table ?? {}).find(([, value]) => !/^(?:secret|env):\S+$/u.test(value));
  return wrong === undefined
    ? null
    : problemAt('credentials', `“${wrong[0]}” in “credentials” must be “secret:<name>” or “env:<name>”.`);
}
