import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { ParsedJson } from '#contract/vocabulary/text/json-text.js';
import type { PastedSource } from '#contract/window/pasted-sources.js';
import { fromOneLine } from './command-line.js';
import { findServers, type FoundServer } from './find-servers.js';
import { type NameSecret, readEntry } from './server-entry.js';
import { NotTaken, type ServerStart, startOf } from './server-start.js';
import { nameFromLaunch, SourceNames } from './source-names.js';
import { treeOf } from './text-tree.js';

export interface PastedSurroundings {
  readonly home: string;
  /** The names that sources have already. */
  readonly taken: readonly string[];
  /** The names that the key store has already. */
  readonly secretsTaken: readonly string[];
}

export type Pasted =
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
const NONE =
  'No MCP server was found in this. Paste the settings of another program, a command such as “npx …”, or an address.';

/** Reads what a person copied from the settings of another program, or from a server's documentation. Pure. */
export function readPasted(given: string, around: PastedSurroundings): Pasted {
  const text = given.replace(/^\uFEFF/u, '').trim();
  if (text === '') return { ok: false, problem: 'Nothing is there to be read.' };
  if (text.length > MAX_CHARACTERS) return { ok: false, problem: 'This is longer than 1 MB, which no settings are.' };
  const found = serversIn(text);
  if (!found.ok) return found;
  if (found.servers.length === 0)
    return { ok: false, problem: 'The place for servers is there, with no servers in it.' };
  return { ok: true, ...taken(found.servers, around) };
}

type Servers =
  { readonly ok: true; readonly servers: readonly FoundServer[] } | { readonly ok: false; readonly problem: string };

function serversIn(text: string): Servers {
  const line = fromOneLine(text);
  if (line !== null) return line.ok ? { ok: true, servers: [line.value] } : { ok: false, problem: line.message };
  const tree = treeOf(text);
  if (!tree.ok) return { ok: false, problem: `This can’t be read. ${tree.message}` };
  if (isOpenApi(tree.value)) {
    return { ok: false, problem: 'This is an OpenAPI document. Save it as a file, and add it under “OpenAPI”.' };
  }
  const servers = findServers(tree.value);
  return servers === null ? { ok: false, problem: NONE } : { ok: true, servers };
}

const isOpenApi = (tree: Json): boolean =>
  isJsonObject(tree) && (typeof tree['openapi'] === 'string' || typeof tree['swagger'] === 'string');

function taken(servers: readonly FoundServer[], around: PastedSurroundings) {
  const names = new SourceNames(around.taken);
  const secretNames = new SourceNames(around.secretsTaken);
  const values = new Map<string, string>();
  const sources = servers.slice(0, MAX_SOURCES).map((found) => {
    const start = attempted(() => (isJsonObject(found.entry) ? startOf(found.entry, around.home) : notATable()));
    const calledThere = found.called ?? (start.ok ? nameFromStart(start.value) : '');
    const name = names.give(calledThere);
    const nameSecret: NameSecret = (of, wanted, value) => {
      const secret = secretNames.give(wanted ?? secretName(name, of));
      if (value !== null) values.set(secret, value);
      return secret;
    };
    const refused = (why: string): PastedSource => ({ name, calledThere, settings: null, secrets: [], notes: [why] });
    if (!start.ok) return refused(start.message);
    const { entry } = found;
    const read = attempted(() => readEntry(isJsonObject(entry) ? entry : {}, start.value, around.home, nameSecret));
    return read.ok ? { name, calledThere, ...read.value } : refused(read.message);
  });
  return { sources, values, more: Math.max(0, servers.length - MAX_SOURCES) };
}

const notATable = (): never => {
  throw new NotTaken('This is no server: it has neither a command nor an address.');
};

function attempted<T>(read: () => T): ParsedJson<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    return { ok: false, message: error.message };
  }
}

const nameFromStart = (start: ServerStart): string =>
  start.kind === 'command' ? nameFromLaunch(start.words) : new URL(start.address).hostname;

/** `github` and `GITHUB_TOKEN` → “github-token”; of another, with the source's name before it. */
function secretName(name: string, of: string): string {
  const plain = of.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
  return plain === name || plain.startsWith(`${name}-`) ? plain : `${name}-${plain}`;
}
