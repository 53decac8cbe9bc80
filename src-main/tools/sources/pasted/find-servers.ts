import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

export interface FoundServer {
  /** Null where nothing named it. */
  readonly called: string | null;
  readonly entry: Json;
}

/** Where programs keep their servers: a table of them by name, or a list in which each says its own. */
const SERVER_TABLES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp_servers'],
  ['mcp', 'servers'],
  ['mcp.servers'],
  ['amp.mcpServers'],
  ['mcp'],
  ['extensions'],
];

/** Keys of a server's entry, which has one of them at least. */
const SERVER_KEYS = ['command', 'cmd', 'url', 'uri', 'serverUrl', 'httpUrl'];

/** Null where the tree has no place for servers. */
export function findServers(tree: Json): readonly FoundServer[] | null {
  if (Array.isArray(tree)) return tree.some(looksLikeServer) ? readServerTable(tree) : null;
  if (!isJsonObject(tree)) return null;
  const places = [...SERVER_TABLES.map((path) => findPath(tree, path)), ...listFolderTables(tree)].filter(
    isServerTable,
  );
  if (places.length > 0) return places.flatMap(readServerTable);
  if (looksLikeServer(tree)) return [{ called: null, entry: tree }];
  return Object.values(tree).some(looksLikeServer) ? readServerTable(tree) : null;
}

/** Claude Code keeps servers for one folder beside those for all. */
function listFolderTables(tree: JsonObject): readonly (Json | undefined)[] {
  const folders = tree['projects'];
  return isJsonObject(folders) ? Object.values(folders).map((folder) => findPath(folder, ['mcpServers'])) : [];
}

const findPath = (tree: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (isJsonObject(value) ? ownValue(value, key) : undefined), tree);

const ownValue = (table: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** `mcp` and `extensions` hold other things in other programs: there one at least has to look like a server. */
function isServerTable(value: Json | undefined): value is Json {
  if (Array.isArray(value)) return value.some(looksLikeServer);
  if (!isJsonObject(value)) return false;
  const entries = Object.values(value);
  return entries.length === 0 || !('servers' in value) || entries.some(looksLikeServer);
}

const looksLikeServer = (value: Json | undefined): boolean =>
  isJsonObject(value) && SERVER_KEYS.some((sign) => Object.hasOwn(value, sign));

function readServerTable(place: Json): readonly FoundServer[] {
  if (Array.isArray(place)) {
    return place.map((entry: Json) => {
      const called = isJsonObject(entry) ? entry['name'] : undefined;
      return { called: typeof called === 'string' ? called : null, entry };
    });
  }
  return isJsonObject(place) ? Object.entries(place).map(([called, entry]) => ({ called, entry })) : [];
}
