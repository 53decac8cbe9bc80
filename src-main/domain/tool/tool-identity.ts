/** The names of a tool: for models its name; in lists, rules and the record its id and version too. */
export interface ToolIdentity {
  readonly name: string;
  /** Null for a name that no tool has. */
  readonly id: string | null;
  readonly version: string | null;
}

/** `<group>.<operation>`: at least two parts. */
const ID_PATTERN = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;
export const MAX_TOOL_ID = 128;
export const isToolId = (id: string): boolean => id.length <= MAX_TOOL_ID && ID_PATTERN.test(id);

const VERSION_PATTERN = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
export const isVersion = (version: string): boolean => VERSION_PATTERN.test(version);

/** Compares two versions, for sorting. Numbers of any length, without rounding. */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one.split('.'), other.split('.')];
  for (const [index, part] of ours.entries()) {
    const against = theirs[index] ?? '';
    if (part === against) continue;
    return part.length === against.length ? (part < against ? -1 : 1) : part.length - against.length;
  }
  return 0;
}

/** How lists, rules and filters mean a tool: by its name, its id, one version of it, or all ids that begin so (`x.*`). */
export type ToolEntry =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'version'; readonly id: string; readonly version: string }
  | { readonly kind: 'group'; readonly prefix: string };

/** Reads an entry of a list. No name of a tool has a dot in it, and no id is without one. */
export function parseToolEntry(entry: string): ToolEntry {
  if (entry.endsWith('.*') && isToolId(`${entry.slice(0, -1)}x`)) return { kind: 'group', prefix: entry.slice(0, -1) };
  if (isToolId(entry)) return { kind: 'id', id: entry };
  const [id = '', version = '', ...more] = entry.split('@');
  return more.length === 0 && isToolId(id) && isVersion(version)
    ? { kind: 'version', id, version }
    : { kind: 'name', name: entry };
}

export function matchesEntry(entry: string, tool: ToolIdentity): boolean {
  if (entry === tool.name) return true;
  if (tool.id === null) return false;
  const read = parseToolEntry(entry);
  switch (read.kind) {
    case 'name':
      return false;
    case 'id':
      return read.id === tool.id;
    case 'version':
      return read.id === tool.id && read.version === tool.version;
    case 'group':
      return tool.id.startsWith(read.prefix);
  }
}

/**
 * The form in which names are compared: names that look alike are alike; width, case and what has no glyph make no
 * difference.
 */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * Whether a tightening entry holds for a tool: it also holds for a tool that would have its name, were there no other
 * of that name. A source that adds one that looks like it gives neither another name than the person wrote down.
 */
export function appliesToTool(entry: string, tool: ToolIdentity): boolean {
  if (matchesEntry(entry, tool)) return true;
  const read = parseToolEntry(entry);
  const meant = read.kind === 'name' ? read.name : read.kind === 'id' ? buildNameOfId(read.id) : null;
  if (meant === null || tool.id === null || isBuiltinTool(tool.id)) return false;
  const own = buildNameOfId(tool.id);
  return [own, own.replace(UNIQUE_SUFFIX, '')].some((name) => foldName(name) === foldName(meant));
}

/** The name that an id gives, `<source>__<operation>`, before equal names are told apart. */
const buildNameOfId = (id: string): string =>
  `${getToolSource(id)}__${id.slice(id.indexOf('.') + 1)}`.replaceAll(/[^A-Za-z0-9_-]/gu, '_');

/** The suffix that tells apart names that would be equal. */
const UNIQUE_SUFFIX = /_[0-9a-f]{6}$/u;

/** Whether the entry means this tool and can mean no other. */
export const matchesOnly = (entry: string, tool: ToolIdentity): boolean =>
  matchesEntry(entry, tool) && parseToolEntry(entry).kind !== 'group';

const OWN_SOURCE = 'gatehouse';

/** The source of a tool: the first part of its id. */
export const getToolSource = (id: string): string => id.slice(0, id.indexOf('.'));

/** Whether the tool comes with Gatehouse: no source has this name. */
export const isBuiltinTool = (id: string): boolean => getToolSource(id) === OWN_SOURCE;
