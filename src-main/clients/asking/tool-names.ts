import { isJsonObject, type Json } from '#contract/vocabulary/json.js';

/** Bounds on depth, count and length: a client sends a model's request, which may be anything. */
const MAX_DEPTH = 12;
const MAX_NAMES = 2000;
const MAX_NAME_LENGTH = 200;
/** A model that writes programs is told of its tools in the words of one of them. */
const DECLARED_TOOL = /declare const tools: \{\s*([A-Za-z_]\w{0,199})\s*\(/gu;

/** The names of the tools that a request to a model offers it, in whichever of the protocols; null where it is none that offers tools. */
export function findToolNames(request: Json): readonly string[] | null {
  const names = new Set<string>();
  const found = collectTools(request, names, 0);
  return found ? [...names].slice(0, MAX_NAMES) : null;
}

function collectTools(value: Json, names: Set<string>, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value))
    return value.reduce((found, each: Json) => collectTools(each, names, depth + 1) || found, false);
  if (!isJsonObject(value)) return false;
  let found = false;
  for (const [key, inner] of Object.entries(value))
    if (LIST_KEYS.has(key) && Array.isArray(inner)) {
      found = true;
      for (const tool of inner as readonly Json[]) addToolNames(tool, names, depth + 1);
    } else found = collectTools(inner, names, depth + 1) || found;
  return found;
}

const LIST_KEYS: ReadonlySet<string> = new Set(['tools', 'functionDeclarations', 'function_declarations']);

/** Adds a tool by its name, a group of them by those of its members, and a tool without a name by its kind. */
function addToolNames(tool: Json, names: Set<string>, depth: number): void {
  if (!isJsonObject(tool) || depth > MAX_DEPTH) return;
  const members = [...LIST_KEYS].flatMap((key) => (Array.isArray(tool[key]) ? (tool[key] as readonly Json[]) : []));
  if (members.length > 0) {
    for (const member of members) addToolNames(member, names, depth + 1);
    return;
  }
  const { name, type, function: inner, description } = tool;
  const called = typeof name === 'string' ? name : isJsonObject(inner) ? inner['name'] : type;
  if (typeof called === 'string') names.add(called.slice(0, MAX_NAME_LENGTH));
  if (typeof description === 'string')
    for (const [, declared = ''] of description.matchAll(DECLARED_TOOL)) names.add(declared);
}
