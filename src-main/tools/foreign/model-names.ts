import { foldName, MAX_TOOL_ID } from '../../domain/tool/tool-identity.js';
import { sha256 } from '../../platform/digest.js';

const MAX_NAME_LENGTH = 64;
const MARK_LENGTH = 7;

const hashMark = (text: string): string => `_${sha256(text).slice(0, MARK_LENGTH - 1)}`;
const replaceUnsafe = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');

/**
 * The ids of a source's operations, in its own order, for what they call themselves; null for one that came before. Where two
 * would be equal, the first stays as it is.
 */
export function assignOperationIds(group: string, operations: readonly string[]): readonly (string | null)[] {
  const longest = MAX_TOOL_ID - group.length - 1;
  const seen = new Set<string>();
  const ids = new Set<string>();
  return operations.map((operation) => {
    if (seen.has(operation)) return null;
    seen.add(operation);
    const safe = replaceUnsafe(operation);
    const first = safe.length > longest || ids.has(`${group}.${safe}`);
    const id = `${group}.${first ? `${safe.slice(0, longest - MARK_LENGTH)}${hashMark(operation)}` : safe}`;
    if (ids.has(id)) return null;
    ids.add(id);
    return id;
  });
}

export interface WantedModelName {
  readonly id: string;
  /** The name that the tool would have, whatever characters it contains. */
  readonly name: string;
}

/**
 * The names of foreign tools for models, by id: letters, digits, “_” and “-”, at most 64. Where two would be equal,
 * both get the mark of their id, so that neither goes by the other's name whichever comes first. Null where even that
 * is taken.
 */
export function assignModelNames(wanted: readonly WantedModelName[]): ReadonlyMap<string, string | null> {
  const marked = new Map<string, boolean>(
    wanted.map(({ id, name }) => [id, replaceUnsafe(name).length > MAX_NAME_LENGTH]),
  );
  const nameOf = ({ id, name }: WantedModelName): string =>
    marked.get(id) === true
      ? `${replaceUnsafe(name).slice(0, MAX_NAME_LENGTH - MARK_LENGTH)}${hashMark(id)}`
      : replaceUnsafe(name);
  // A mark may make a name that is another's own: then that one gets its mark too.
  for (let again = true; again;) {
    const count = new Map<string, number>();
    for (const each of wanted) count.set(foldName(nameOf(each)), (count.get(foldName(nameOf(each))) ?? 0) + 1);
    const alike = wanted.filter(
      (each) => (count.get(foldName(nameOf(each))) ?? 0) > 1 && marked.get(each.id) === false,
    );
    for (const { id } of alike) marked.set(id, true);
    again = alike.length > 0;
  }
  const taken = new Set<string>();
  return new Map(
    wanted.map((each) => {
      const name = nameOf(each);
      if (taken.has(foldName(name))) return [each.id, null];
      taken.add(foldName(name));
      return [each.id, name];
    }),
  );
}
