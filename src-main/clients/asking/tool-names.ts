import { isJsonObject, type Json } from '#contract/vocabulary/json.js';

/** Bounds on depth, count and length: a client sends a model's request, which may be anything. */
const DEEPEST = 12;
const MOST = 2000;
const LONGEST = 200;
/** A model that writes programs is told of its tools in the words of one of them. */
const DECLARED = /declare const tools: \{\s*([A-Za-z_]\w{0,199})\s*\(/gu;

/** The names of the tools that a request to a model offers it, in whichever of the protocols; null where it is none that offers tools. */
export function toolNamesIn(request: Json): readonly string[] | null {
  const names = new Set<string>();
  const found = look(request, names, 0);
  return found ? [...names].slice(0, MOST) : null;
}

function look(value: Json, names: Set<string>, depth: number): boolean {
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.reduce((found, each: Json) => look(each, names, depth + 1) || found, false);
  if (!isJsonObject(value)) return false;
  let found = false;
  for (const [key, inner] of Object.entries(value))
    if (LISTS.has(key) && Array.isArray(inner)) {
      found = true;
      for (const tool of inner as readonly Json[]) add(tool, names, depth + 1);
    } else found = look(inner, names, depth + 1) || found;
  return found;
}

const LISTS: ReadonlySet<string> = new Set(['tools', 'functionDeclarations', 'function_declarations']);

/** Adds a tool by its name, a group of them by those of its members, and a tool without a name by its kind. */
function add(tool: Json, names: Set<string>, depth: number): void {
  if (!isJsonObject(tool) || depth > DEEPEST) return;
  const members = [...LISTS].flatMap((key) => (Array.isArray(tool[key]) ? (tool[key] as readonly Json[]) : []));
  if (members.length > 0) {
    for (const member of members) add(member, names, depth + 1);
    return;
  }
  const { name, type, function: inner, description } = tool;
  const called = typeof name === 'string' ? name : isJsonObject(inner) ? inner['name'] : type;
  if (typeof called === 'string') names.add(called.slice(0, LONGEST));
  if (typeof description === 'string')
    for (const [, declared = ''] of description.matchAll(DECLARED)) names.add(declared);
}
