import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { ParsedJson } from '#contract/vocabulary/text/json-text.js';
import type { PastedSource } from '#contract/window/tools/pasted-sources.js';
import { readCommandLine } from './command-line.js';
import { findServers, type FoundServer } from './find-servers.js';
import { type NameSecret, readEntry } from './server-entry.js';
import { EntryNotTaken, type ServerStart, readServerStart } from './server-start.js';
import { nameFromLaunch, SourceNameAllocator } from './source-name-allocator.js';
import { parseSettingsText } from './parse-settings-text.js';

export interface PastedContext {
  readonly home: string;
  /** The names that sources have already. */
  readonly taken: readonly string[];
  /** The names that the key store has already. */
  readonly secretsTaken: readonly string[];
}

export type PastedRead =
  | {
      readonly ok: true;
      readonly sources: readonly PastedSource[];
      /** The secrets that stood there, by the names that stand for them. */
      readonly values: ReadonlyMap<string, string>;
      /** How many more stood there. */
      readonly more: number;
    }
  | { readonly ok: false; readonly problem: string };

const MAX_CHARACTERS = 1_000_000;
const MAX_SOURCES = 200;
const NO_SERVERS_FOUND =
  'No MCP server was found in this. Paste the settings of another program, a command such as “npx …”, or an address.';

/** Reads what a person copied from the settings of another program, or from a server's documentation. Pure. */
export function readPasted(given: string, around: PastedContext): PastedRead {
  const text = given.replace(/^\uFEFF/u, '').trim();
  if (text === '') return { ok: false, problem: 'Nothing is there to be read.' };
  if (text.length > MAX_CHARACTERS) return { ok: false, problem: 'This is longer than 1 MB, which no settings are.' };
  const found = parseServers(text);
  if (!found.ok) return found;
  if (found.servers.length === 0)
    return { ok: false, problem: 'The place for servers is there, with no servers in it.' };
  return { ok: true, ...toSources(found.servers, around) };
}

type ServersRead =
  { readonly ok: true; readonly servers: readonly FoundServer[] } | { readonly ok: false; readonly problem: string };

function parseServers(text: string): ServersRead {
  const line = readCommandLine(text);
  if (line !== null) return line.ok ? { ok: true, servers: [line.value] } : { ok: false, problem: line.message };
  const tree = parseSettingsText(text);
  if (!tree.ok) return { ok: false, problem: `This can’t be read. ${tree.message}` };
  if (isOpenApi(tree.value)) {
    return { ok: false, problem: 'This is an OpenAPI document. Save it as a file, and add it under “OpenAPI”.' };
  }
  const servers = findServers(tree.value);
  return servers === null ? { ok: false, problem: NO_SERVERS_FOUND } : { ok: true, servers };
}

const isOpenApi = (tree: Json): boolean =>
  isJsonObject(tree) && (typeof tree['openapi'] === 'string' || typeof tree['swagger'] === 'string');

function toSources(servers: readonly FoundServer[], around: PastedContext) {
  const names = new SourceNameAllocator(around.taken);
  const secretNames = new SourceNameAllocator(around.secretsTaken);
  const values = new Map<string, string>();
  const sources = servers.slice(0, MAX_SOURCES).map((found) => {
    const start = catchNotTaken(() =>
      isJsonObject(found.entry) ? readServerStart(found.entry, around.home) : refuseNonTable(),
    );
    const calledThere = found.called ?? (start.ok ? nameFromStart(start.value) : '');
    const name = names.give(calledThere);
    const nameSecret: NameSecret = (of, wanted, value) => {
      const secret = secretNames.give(wanted ?? buildSecretName(name, of));
      if (value !== null) values.set(secret, value);
      return secret;
    };
    const refused = (why: string): PastedSource => ({ name, calledThere, settings: null, secrets: [], notes: [why] });
    if (!start.ok) return refused(start.message);
    const { entry } = found;
    const read = catchNotTaken(() => readEntry(isJsonObject(entry) ? entry : {}, start.value, around.home, nameSecret));
    return read.ok ? { name, calledThere, ...read.value } : refused(read.message);
  });
  return { sources, values, more: Math.max(0, servers.length - MAX_SOURCES) };
}

const refuseNonTable = (): never => {
  throw new EntryNotTaken('This is no server: it has neither a command nor an address.');
};

function catchNotTaken<T>(read: () => T): ParsedJson<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof EntryNotTaken)) throw error;
    return { ok: false, message: error.message };
  }
}

const nameFromStart = (start: ServerStart): string =>
  start.kind === 'command' ? nameFromLaunch(start.words) : new URL(start.address).hostname;

/** `github` and `GITHUB_TOKEN` → “github-token”; of another, with the source's name before it. */
function buildSecretName(name: string, of: string): string {
  const plain = of.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
  return plain === name || plain.startsWith(`${name}-`) ? plain : `${name}-${plain}`;
}
