import type { SourceView } from '#contract/window/tools/sources.js';
import type { ToolView } from '#contract/window/tools/tools.js';

/** The source of tools that come with the app; every other first part of an id is a source's name. */
const OWN_SOURCE = 'gatehouse';

export const findSourceName = ({ id }: ToolView): string => id.slice(0, id.indexOf('.'));

export interface ToolGroup {
  /** Null for what comes with the app. */
  readonly source: string | null;
  readonly tools: readonly ToolView[];
}

/** The built-in ones first, then each source with its tools, also where it has none. */
export function groupTools(tools: readonly ToolView[], sources: readonly SourceView[]): readonly ToolGroup[] {
  const bySource = Map.groupBy(tools, findSourceName);
  const named = new Set([
    ...sources.map(({ name }) => name),
    ...[...bySource.keys()].filter((name) => name !== OWN_SOURCE),
  ]);
  return [
    { source: null, tools: bySource.get(OWN_SOURCE) ?? [] },
    ...[...named].toSorted().map((source) => ({ source, tools: bySource.get(source) ?? [] })),
  ];
}

export type ToolRow =
  | { readonly kind: 'group'; readonly source: string; readonly count: number; readonly folded: boolean }
  /** The heading above tools without the words that mean something like them. */
  | { readonly kind: 'close' }
  | { readonly kind: 'tool'; readonly tool: ToolView };

/** The number of tools past which a source is folded until it is asked for. */
const FOLD_OVER = 12;

export interface ToolRowOptions {
  readonly query: string;
  /** Groups that the person folded or unfolded. */
  readonly turned: ReadonlySet<string>;
  /** The ids of tools that mean something like the words, best first; while they are looked for, none. */
  readonly close: readonly string[];
}

/** Builds the rows of the list: while words are looked for, every tool that has all of them. */
export function buildToolRows(
  groups: readonly ToolGroup[],
  { query, turned, close }: ToolRowOptions,
): readonly ToolRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const rows = groups.flatMap(({ source, tools }): readonly ToolRow[] => {
    const found = words.length === 0 ? tools : tools.filter((tool) => hasAll(tool, words));
    if (words.length > 0 && found.length === 0) return [];
    const shown = found.map((tool) => ({ kind: 'tool', tool }) as const);
    if (source === null) return shown;
    const folded = words.length === 0 && tools.length > FOLD_OVER !== turned.has(source);
    return [{ kind: 'group', source, count: found.length, folded }, ...(folded ? [] : shown)];
  });
  return words.length === 0 ? rows : [...rows, ...buildCloseRows(groups, rows, close)];
}

function buildCloseRows(
  groups: readonly ToolGroup[],
  found: readonly ToolRow[],
  close: readonly string[],
): readonly ToolRow[] {
  const there = new Set(found.flatMap((row) => (row.kind === 'tool' ? [row.tool.id] : [])));
  const byId = new Map(groups.flatMap(({ tools }) => tools.map((tool) => [tool.id, tool] as const)));
  const others = [...new Set(close)].filter((id) => !there.has(id)).flatMap((id) => byId.get(id) ?? []);
  return others.length === 0 ? [] : [{ kind: 'close' }, ...others.map((tool) => ({ kind: 'tool', tool }) as const)];
}

function hasAll({ name, id, title, description }: ToolView, words: readonly string[]): boolean {
  const text = `${name} ${id} ${title} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
