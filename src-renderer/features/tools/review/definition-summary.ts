import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { joinCommandLine } from '#contract/vocabulary/text/command-line.js';

/** People's words for the fields of a server and of a tool; others appear under their own name. */
const FIELDS: Readonly<Record<string, string>> = {
  kind: 'Kind',
  command: 'Command',
  args: 'Arguments',
  cwd: 'Folder',
  env: 'Variables',
  headers: 'Headers',
  url: 'Address',
  file: 'File',
  manifest: 'Manifest',
  files: 'Files',
  program: 'Program',
  package: 'Package',
  credentials: 'Keys',
  base_url: 'Sends to',
  ownName: 'Calls itself',
  name: 'Name',
  title: 'Title',
  description: 'Description',
  request: 'Request',
  server: 'Server',
  plan: 'How it is sent',
  'not pinned': 'Not pinned',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
  annotations: 'What it says of itself',
};

export const labelField = (field: string): string => FIELDS[field] ?? field;

/** The parts of a tool's definition that a person reads first. */
export interface DefinitionSummary {
  readonly description: string;
  /** The effect of a call: a request, or a program. */
  readonly does: string | null;
  /** The resources that it wants to reach, a line each. */
  readonly wants: readonly string[];
  readonly asks: readonly AskedArgument[];
  /** The definition's claims; null where it makes none. */
  readonly says: string | null;
}

export interface AskedArgument {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly about: string;
}

/** Words a definition of any kind of source by these fields, as far as it has them. */
export function summarizeDefinition(offered: JsonObject): DefinitionSummary {
  const { manifest } = offered;
  const about = isJsonObject(manifest) ? manifest : offered;
  return {
    description: text(about['description']),
    does: describeEffect(about),
    wants: describeWants(about['permissions']),
    asks: listArguments(about['inputSchema'] ?? about['parameters_schema'] ?? null),
    says: describeClaims(about),
  };
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

function describeEffect(about: JsonObject): string | null {
  const { request, entry } = about;
  if (typeof request === 'string') return `Sends ${request}`;
  if (!isJsonObject(entry)) return null;
  const words = list(entry['command']).filter((word) => typeof word === 'string');
  return words.length === 0 ? null : `Runs ${joinCommandLine(words)}`;
}

function describeWants(permissions: Json | undefined): readonly string[] {
  if (!isJsonObject(permissions)) return [];
  const tables = (key: string) => list(permissions[key]).filter(isJsonObject);
  return [
    ...tables('filesystem').map(({ path, mode }) => `${mode === 'rw' ? 'Changes' : 'Reads'} files in ${text(path)}`),
    ...tables('network').map(({ host, port }) => `Reaches ${text(host)}${typeof port === 'number' ? `:${port}` : ''}`),
    ...list(permissions['credentials']).map((name) => `Gets the key ${text(name)}`),
  ];
}

function listArguments(schema: Json): readonly AskedArgument[] {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return [];
  const required = list(schema['required']);
  return Object.entries(schema['properties']).map(([name, of]) => ({
    name,
    type: isJsonObject(of) ? describeType(of) : 'anything',
    optional: !required.includes(name),
    about: isJsonObject(of) ? text(of['description']) : '',
  }));
}

function describeType(schema: JsonObject): string {
  const { type } = schema;
  if (Array.isArray(schema['enum'])) return 'one of a few';
  if (Array.isArray(type)) return type.filter((each: Json) => typeof each === 'string').join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

type ToolClaim = readonly [key: string, value: boolean, words: string];

const HINTS: readonly ToolClaim[] = [
  ['readOnlyHint', true, 'only reads'],
  ['readOnlyHint', false, 'changes things'],
  ['readOnly', true, 'only reads'],
  ['readOnly', false, 'changes things'],
  ['destructiveHint', true, 'may destroy'],
  ['destructive', true, 'may destroy'],
  ['idempotentHint', true, 'safe to repeat'],
  ['idempotent', true, 'safe to repeat'],
  ['openWorldHint', true, 'reaches other systems'],
  ['openWorldHint', false, 'stays with itself'],
];
const OF_MANIFEST: readonly ToolClaim[] = [
  ['side_effecting', false, 'only reads'],
  ['idempotent', true, 'safe to repeat'],
  ['requires_approval', true, 'asks to be approved'],
];

function describeClaims(about: JsonObject): string | null {
  const { annotations } = about;
  const claims = isJsonObject(annotations) ? HINTS : OF_MANIFEST;
  const table = isJsonObject(annotations) ? annotations : about;
  const said = claims.flatMap(([key, value, words]) => (table[key] === value ? [words] : []));
  return said.length === 0 ? null : said.join(', ');
}
