/** The names of a tool: for models its name; in lists, rules and the record its id and version too. */
export interface ToolIdentity {
  readonly name: string;
  /** Null for a name that no tool has. */
  readonly id: string | null;
  readonly version: string | null;
}

/** `<group>.<operation>`: at least two parts. */
const ID = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;
export const LONGEST_ID = 128;
export const isToolId = (id: string): boolean => id.length <= LONGEST_ID && ID.test(id);

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
export const isVersion = (version: string): boolean => VERSION.test(version);

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
export function readEntry(entry: string): ToolEntry {
  if (entry.endsWith('.*') && isToolId(`${entry.slice(0, -1)}x`)) return { kind: 'group', prefix: entry.slice(0, -1) };
  if (isToolId(entry)) return { kind: 'id', id: entry };
  const [id = '', version = '', ...more] = entry.split('@');
  return more.length === 0 && isToolId(id) && isVersion(version)
    ? { kind: 'version', id, version }
    : { kind: 'name', name: entry };
}

export function means(entry: string, tool: ToolIdentity): boolean {
  if (entry === tool.name) return true;
  if (tool.id === null) return false;
  const read = readEntry(entry);
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
export const compared = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * Whether a tightening entry holds for a tool: it also holds for a tool that would have its name, were there no other
 * of that name. A source that adds one that looks like it gives neither another name than the person wrote down.
 */
export function holdsFor(entry: string, tool: ToolIdentity): boolean {
  if (means(entry, tool)) return true;
  const read = readEntry(entry);
  const meant = read.kind === 'name' ? read.name : read.kind === 'id' ? nameOfId(read.id) : null;
  if (meant === null || tool.id === null || isOurs(tool.id)) return false;
  const own = nameOfId(tool.id);
  return [own, own.replace(MARK, '')].some((name) => compared(name) === compared(meant));
}

/** The name that an id gives, `<source>__<operation>`, before equal names are told apart. */
const nameOfId = (id: string): string =>
  `${sourceOf(id)}__${id.slice(id.indexOf('.') + 1)}`.replaceAll(/[^A-Za-z0-9_-]/gu, '_');

/** The suffix that tells apart names that would be equal. */
const MARK = /_[0-9a-f]{6}$/u;

/** Whether the entry means this tool and can mean no other. */
export const meansOnly = (entry: string, tool: ToolIdentity): boolean =>
  means(entry, tool) && readEntry(entry).kind !== 'group';

const OURS = 'gatehouse';

/** The source of a tool: the first part of its id. */
export const sourceOf = (id: string): string => id.slice(0, id.indexOf('.'));

/** Whether the tool comes with Gatehouse: no source has this name. */
export const isOurs = (id: string): boolean => sourceOf(id) === OURS;
