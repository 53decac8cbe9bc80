import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { PastedSecret } from '#contract/window/tools/pasted-sources.js';
import { findNamedKey } from '../../../domain/outside/references.js';
import { readPlaceholder } from './placeholders.js';
import { matchSecret, maskSecret } from './match-secret.js';
import { fillWord, readList, EntryNotTaken, type ServerStart, asText } from './server-start.js';

/** Gives a secret, or the place for one, the name that stands for it. */
export type NameSecret = (of: string, wanted: string | null, value: string | null) => string;

/** Keys of an entry that are read; any other key is reported. */
const KNOWN_KEYS = new Set(
  (
    'name type transport source command cmd args env environment envs env_keys env_vars envFile url uri serverUrl httpUrl headers ' +
    'http_headers env_http_headers bearer_token_env_var disabled enabled timeout tool_timeout_sec includeTools excludeTools ' +
    'enabled_tools disabled_tools cwd trust autoApprove alwaysAllow alwaysApprove description settings'
  ).split(' '),
);
const AUTO_APPROVE_KEYS = ['autoApprove', 'alwaysAllow', 'alwaysApprove', 'trust'];

export interface EntrySettings {
  readonly settings: SourceSettings;
  readonly secrets: readonly PastedSecret[];
  readonly notes: readonly string[];
}

/** Takes what a program says of one server. Throws a `NotTaken`. */
export function readEntry(entry: JsonObject, start: ServerStart, home: string, nameSecret: NameSecret): EntrySettings {
  const values = new EntryValues(home, nameSecret);
  const where =
    start.kind === 'command'
      ? readLocalServer(start.words, entry, values)
      : readRemoteServer(start.address, entry, values);
  const bridge = start.kind === 'address' && start.bridged;
  return {
    settings: { kind: 'mcp', ...where, ...readChoices(entry) },
    secrets: values.secrets,
    notes: [
      ...values.notes,
      ...(bridge ? ['mcp-remote is left out: Gatehouse connects to the address itself.'] : []),
      ...listNotes(entry),
    ],
  };
}

function readLocalServer([command = '', ...args]: readonly string[], entry: JsonObject, values: EntryValues) {
  const older = isJsonObject(entry['command']) ? entry['command']['env'] : null;
  const env = {
    ...values.table(entry['env'] ?? entry['environment'] ?? entry['envs'] ?? older ?? null, 'env'),
    ...Object.fromEntries(
      readTexts(entry['env_vars'], 'variables').map((name) => [name, values.variable(name, 'env', name)]),
    ),
    ...Object.fromEntries(readTexts(entry['env_keys'], 'keys').map((name) => [name, values.needed(name, 'env', null)])),
  };
  const cwd = asText(entry['cwd']);
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(cwd === null ? {} : { cwd: fillWord(cwd, values.home) }),
    ...(isEmpty(env) ? {} : { env }),
  };
}

function readRemoteServer(url: string, entry: JsonObject, values: EntryValues) {
  const bearer = asText(entry['bearer_token_env_var']);
  const fromEnvironment = entry['env_http_headers'];
  const headers = {
    ...values.table(entry['headers'] ?? entry['http_headers'] ?? null, 'headers'),
    ...Object.fromEntries(
      Object.entries(isJsonObject(fromEnvironment) ? fromEnvironment : {}).map(([name, from]) => [
        name,
        values.variable(name, 'headers', asText(from) ?? name),
      ]),
    ),
    ...(bearer === null ? {} : { Authorization: `Bearer ${values.variable('Authorization', 'headers', bearer)}` }),
  };
  return { url, ...(isEmpty(headers) ? {} : { headers }) };
}

const isEmpty = (table: object): boolean => Object.keys(table).length === 0;
const readTexts = (value: Json | undefined, what: string): string[] =>
  readList(value, what).filter((each): each is string => typeof each === 'string' && each !== '');

/**
 * Collects the values that are given to a server: as they are, or by reference. A secret itself is in nothing that is
 * passed on, and a key of the person's is named by nobody but the person: what others wrote only says that one is
 * needed.
 */
class EntryValues {
  readonly secrets: PastedSecret[] = [];
  readonly notes: string[] = [];
  readonly home: string;
  readonly #nameSecret: NameSecret;

  constructor(home: string, nameSecret: NameSecret) {
    this.home = home;
    this.#nameSecret = nameSecret;
  }

  table(given: Json, place: PastedSecret['in']): Record<string, string> {
    if (given === null) return {};
    if (!isJsonObject(given))
      throw new EntryNotTaken(`Its ${place === 'env' ? 'variables' : 'headers'} are not a table.`);
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, this.#one(name, value, place)]));
  }

  /** A secret of which only the place was pasted. */
  needed(of: string, place: PastedSecret['in'], wanted: string | null): string {
    const secret = this.#nameSecret(of, wanted, null);
    this.secrets.push({ in: place, of, secret, shown: null });
    return `secret:${secret}`;
  }

  /** A variable of the person's own environment is theirs to name. */
  variable(of: string, place: PastedSecret['in'], name: string): string {
    this.notes.push(
      `${of} is to be your variable ${name}, which is yours to give: enter the key, or env:${name} for what stands in the variable.`,
    );
    return this.needed(of, place, null);
  }

  #one(of: string, value: Json, place: PastedSecret['in']): string {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string') throw new EntryNotTaken(`The value of ${of} is not text.`);
    const scheme = /^(?:Bearer|Basic|Token)\s+(?=[${])/iu.exec(value)?.[0] ?? '';
    const filled = readPlaceholder(value.slice(scheme.length), this.home);
    if (filled.kind === 'variable') return scheme + this.variable(of, place, filled.name);
    if (filled.kind === 'input') return scheme + this.needed(of, place, filled.name);
    if (filled.kind === 'unknown') throw new EntryNotTaken(`Gatehouse doesn’t fill in ${filled.what}, in ${of}.`);
    const named = findNamedKey(scheme + filled.text);
    if (named !== null)
      throw new EntryNotTaken(
        `${of} names a key of yours (“${named}”). What others wrote can’t have it: add the server by hand, and choose there what it gets.`,
      );
    const look = matchSecret(of, scheme + filled.text);
    if (look === null) return scheme + filled.text;
    if (look.value === null) return look.before + this.needed(of, place, null);
    const secret = this.#nameSecret(of, null, look.value);
    this.secrets.push({ in: place, of, secret, shown: maskSecret(look.value) });
    return `${look.before}secret:${secret}`;
  }
}

function readChoices(entry: JsonObject) {
  const off = entry['disabled'] === true || entry['enabled'] === false;
  const include = readTexts(entry['includeTools'] ?? entry['enabled_tools'], 'tools');
  const exclude = readTexts(entry['excludeTools'] ?? entry['disabled_tools'], 'tools');
  const timeout = readTimeoutSeconds(entry);
  return {
    ...(off ? { enabled: false } : {}),
    ...(include.length === 0 ? {} : { include }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(timeout === null ? {} : { timeout_seconds: timeout }),
  };
}

/** Most count milliseconds. Cline and goose count seconds, and nobody waits for an answer so short or so long. */
function readTimeoutSeconds(entry: JsonObject): number | null {
  const given = entry['tool_timeout_sec'] ?? entry['timeout'];
  if (typeof given !== 'number' || !(given > 0)) return null;
  const value = given === entry['tool_timeout_sec'] || given < 1000 ? given : given / 1000;
  return value <= 86_400 ? value : null;
}

function listNotes(entry: JsonObject): readonly string[] {
  const yeses = AUTO_APPROVE_KEYS.filter((key) => {
    const value = entry[key];
    return value === true || (Array.isArray(value) && value.length > 0);
  });
  const file = asText(entry['envFile']);
  const left = Object.keys(entry).filter((key) => !KNOWN_KEYS.has(key));
  return [
    ...(yeses.length === 0
      ? []
      : [`Gatehouse asks before its tools run, whatever ${yeses.map((key) => `“${key}”`).join(' and ')} say there.`]),
    ...(file === null ? [] : [`The variables in ${file} are not taken over. Add those that it needs.`]),
    ...(left.length === 0 ? [] : [`Not taken over: ${left.join(', ')}.`]),
  ];
}
