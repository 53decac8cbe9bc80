import type { Json } from '#contract/vocabulary/json.js';
import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import { SOURCE_KINDS } from '#contract/vocabulary/tools/sources.js';
import { findKeyLine } from '../key-line.js';
import { isTable, type Table } from '../setting-keys.js';
import { findSourceProblem } from './source-problem.js';

/** A source that is refused for its settings. */
export interface RefusedSource {
  readonly name: string;
  readonly kind: SourceKind | null;
  readonly file: string;
  readonly line: number | null;
  readonly reason: string;
}

/**
 * Separates usable sources from refused ones. One wrong source keeps no other from being used, and no other setting
 * either.
 */
export function splitSources(
  file: string,
  text: string,
  table: Table,
): { readonly table: Table; readonly refused: readonly RefusedSource[] } {
  const { sources } = table;
  if (!isTable(sources)) return { table, refused: [] };
  const taken: [string, Json][] = [];
  const refused: RefusedSource[] = [];
  for (const [name, settings] of Object.entries(sources)) {
    const wrong = findSourceProblem(name, settings);
    if (wrong === null) taken.push([name, settings]);
    else {
      const key = `sources.${name}`;
      const line = findKeyLine(text, wrong.key === '' ? key : `${key}.${wrong.key}`) ?? findKeyLine(text, key);
      refused.push({ name, kind: readKind(settings), file, line, reason: wrong.reason });
    }
  }
  return { table: { ...table, sources: Object.fromEntries(taken) }, refused };
}

function readKind(settings: Json): SourceKind | null {
  const said = isTable(settings) ? settings['kind'] : null;
  return SOURCE_KINDS.find((kind) => kind === said) ?? null;
}
