import { SOURCE_NAME, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { splitCommandLine } from '#contract/vocabulary/text/command-line.js';
import { NO_REACH, type ProgramReach, toReachSettings } from './reach.js';

export const FORM_KINDS = ['mcp-local', 'mcp-remote', 'openapi', 'langchain', 'program'] as const;
export type FormKind = (typeof FORM_KINDS)[number];

/**
 * A value that a source is given by name: plain, as a key that is put in now, as one that is kept already, or from the
 * environment.
 */
export interface GivenRow {
  readonly key: number;
  readonly name: string;
  readonly as: 'text' | 'key' | 'kept' | 'environment';
  readonly value: string;
}

export interface FormValues {
  readonly name: string;
  readonly kind: FormKind;
  /** The command line, the address, the document or the manifest. */
  readonly what: string;
  readonly folder: string;
  readonly baseUrl: string;
  readonly given: readonly GivenRow[];
  readonly reach: ProgramReach;
  readonly approval: 'ask' | 'annotations';
  /** Empty: as it is meant where it is left out. */
  readonly seconds: string;
  readonly start: 'on-demand' | 'with-app';
  readonly definitions: 'ask' | 'first';
  /** Operations, by words. */
  readonly include: string;
  readonly exclude: string;
}

export const EMPTY_FORM: FormValues = {
  name: '',
  kind: 'mcp-local',
  what: '',
  folder: '',
  baseUrl: '',
  given: [],
  reach: NO_REACH,
  approval: 'ask',
  seconds: '',
  start: 'on-demand',
  definitions: 'ask',
  include: '',
  exclude: '',
};

export interface WantedSource {
  readonly name: string;
  readonly settings: SourceSettings;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
}

/** Problems by field, in words. */
export type FormProblems = Partial<
  Readonly<Record<'name' | 'what' | 'baseUrl' | 'given' | 'reach' | 'seconds', string>>
>;

export type FormReading =
  { readonly ok: true; readonly source: WantedSource } | { readonly ok: false; readonly problems: FormProblems };

export function readForm(values: FormValues, taken: readonly string[]): FormReading {
  const reach = toReachSettings(values.reach);
  const problems: FormProblems = {
    ...problem('name', findNameProblem(values.name, taken)),
    ...problem('what', findTargetProblem(values)),
    ...problem('baseUrl', values.baseUrl.trim() === '' ? null : findAddressProblem(values.baseUrl.trim())),
    ...problem('given', findGivenProblem(values.given)),
    ...problem('seconds', findSecondsProblem(values.seconds.trim())),
    ...problem('reach', values.kind === 'mcp-local' && !reach.ok ? reach.problem : null),
  };
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const given = values.given.filter(({ name }) => name.trim() !== '');
  const table = Object.fromEntries(given.map((row) => [row.name.trim(), written(values.name, row)]));
  const settings: SourceSettings = {
    ...where(values),
    ...(given.length === 0 ? {} : { [TABLES[values.kind]]: table }),
    ...(values.kind === 'mcp-local' && reach.ok ? reach.settings : {}),
    ...(values.approval === 'ask' ? {} : { approval: values.approval }),
    ...more(values),
  };
  const secrets = given.flatMap((row) =>
    row.as === 'key' ? [{ name: buildSecretName(values.name, row.name), value: row.value }] : [],
  );
  return { ok: true, source: { name: values.name, settings, secrets } };
}

function more({ seconds, start, definitions, include, exclude }: FormValues): Partial<SourceSettings> {
  return {
    ...(seconds.trim() === '' ? {} : { timeout_seconds: Number(seconds) }),
    ...(start === 'with-app' ? { start } : {}),
    ...(definitions === 'ask' ? {} : { definitions }),
    ...(splitWords(include).length === 0 ? {} : { include: splitWords(include) }),
    ...(splitWords(exclude).length === 0 ? {} : { exclude: splitWords(exclude) }),
  };
}

const splitWords = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== '');

function findSecondsProblem(text: string): string | null {
  const seconds = Number(text);
  if (text === '') return null;
  return seconds > 0 && seconds <= 86_400 ? null : 'Seconds, more than 0 and at most 86,400.';
}

const TABLES: Readonly<Record<FormKind, 'env' | 'headers' | 'credentials'>> = {
  'mcp-local': 'env',
  'mcp-remote': 'headers',
  openapi: 'headers',
  langchain: 'headers',
  program: 'credentials',
};

const problem = (field: keyof FormProblems, words: string | null): FormProblems =>
  words === null ? {} : { [field]: words };

function findNameProblem(name: string, taken: readonly string[]): string | null {
  if (name === '') return 'Give it a name.';
  if (!new RegExp(SOURCE_NAME, 'u').test(name)) return 'Lowercase letters, digits and “-”, at most 32, not “-” first.';
  if (name === 'gatehouse') return 'This name is Gatehouse’s own.';
  return taken.includes(name) ? `There is a source “${name}” already.` : null;
}

function findTargetProblem({ kind, what }: FormValues): string | null {
  const text = what.trim();
  if (kind === 'mcp-local') return splitCommandLine(text).length === 0 ? 'Enter the command that starts it.' : null;
  if (kind === 'mcp-remote') return findAddressProblem(text);
  if (text === '') return kind === 'program' ? 'Enter where its manifest is.' : 'Enter a file or an address.';
  return /^\w+:\/\//u.test(text) && kind !== 'program' ? findAddressProblem(text) : null;
}

function findAddressProblem(text: string): string | null {
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text)) return 'An address begins with https:// or http://.';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? null : 'Give the password as a header, not in the address.';
}

function findGivenProblem(rows: readonly GivenRow[]): string | null {
  const named = rows.filter(({ name }) => name.trim() !== '');
  const names = named.map(({ name }) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `${twice} stands there twice.`;
  const empty = named.find(({ as, value }) => as !== 'text' && value.trim() === '');
  return empty === undefined ? null : `${empty.name.trim()} has no value yet.`;
}

function where({ kind, what, folder, baseUrl }: FormValues): SourceSettings {
  const text = what.trim();
  const [command = '', ...args] = splitCommandLine(text);
  switch (kind) {
    case 'mcp-local':
      return {
        kind: 'mcp',
        command,
        ...(args.length === 0 ? {} : { args }),
        ...(folder.trim() === '' ? {} : { cwd: folder.trim() }),
      };
    case 'mcp-remote':
      return { kind: 'mcp', url: text };
    case 'openapi':
    case 'langchain': {
      const base = kind === 'openapi' && baseUrl.trim() !== '' ? { base_url: baseUrl.trim() } : {};
      return { kind, ...(/^https?:\/\//iu.test(text) ? { url: text } : { file: text }), ...base };
    }
    case 'program':
      return { kind: 'program', manifest: text };
  }
}

function written(source: string, { name, as, value }: GivenRow): string {
  switch (as) {
    case 'text':
      return value;
    case 'key':
      return `secret:${buildSecretName(source, name)}`;
    case 'kept':
      return `secret:${value}`;
    case 'environment':
      return `env:${value.trim()}`;
  }
}

/** `github` and `GITHUB_TOKEN` → “github-token”; of another, with the source's name before it. */
function buildSecretName(source: string, of: string): string {
  const plain = of
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-');
  return plain === source || plain.startsWith(`${source}-`) ? plain : `${source}-${plain}`;
}
