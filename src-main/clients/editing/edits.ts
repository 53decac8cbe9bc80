import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

export type KeyPath = readonly string[];

/** A change to a client's settings. `unsaid` takes it back. */
export type SettingsEdit =
  | { readonly kind: 'set'; readonly path: KeyPath; readonly value: Json }
  /** The list has these members, whatever else it has. */
  | { readonly kind: 'include'; readonly path: KeyPath; readonly members: readonly string[] }
  | { readonly kind: 'remove'; readonly path: KeyPath }
  | { readonly kind: 'exclude'; readonly path: KeyPath; readonly members: readonly string[] };

/** The smallest change of a text: one key with a value, or gone. */
export interface TextChange {
  readonly path: KeyPath;
  /** The value. Undefined: the key goes. */
  readonly value: Json | undefined;
}

export const valueAt = (tree: Json, path: KeyPath): Json | undefined =>
  path.reduce<Json | undefined>(
    (here, key) => (isJsonObject(here) && Object.hasOwn(here, key) ? here[key] : undefined),
    tree,
  );

export function isEditApplied(tree: Json, edit: SettingsEdit): boolean {
  const found = valueAt(tree, edit.path);
  switch (edit.kind) {
    case 'set':
      return isDeepStrictEqual(found, edit.value);
    case 'include':
      return Array.isArray(found) && edit.members.every((member) => found.includes(member));
    case 'remove':
      return found === undefined;
    case 'exclude':
      return !Array.isArray(found) || !edit.members.some((member) => found.includes(member));
  }
}

/**
 * The edits that take an edit back, to what stood in its place `before`. A setting that says something else by now is
 * left alone.
 */
export function revertEdit(tree: Json, edit: SettingsEdit, before: Json): readonly SettingsEdit[] {
  const { path } = edit;
  const stood = valueAt(before, path);
  if (edit.kind === 'set') {
    if (!isEditApplied(tree, edit)) return [];
    return [stood === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: stood }];
  }
  const own = Array.isArray(stood) ? (stood as readonly Json[]) : [];
  const members = edit.kind === 'include' ? edit.members.filter((member) => !own.includes(member)) : [];
  return members.length === 0 ? [] : [{ kind: 'exclude', path, members }];
}

/** Applies the edits to a tree. Throws where something that is no table is in the way. */
export const applyEdits = (tree: Json, edits: readonly SettingsEdit[]): Json => edits.reduce(applyOneEdit, tree);

function applyOneEdit(tree: Json, edit: SettingsEdit): Json {
  const found = valueAt(tree, edit.path);
  const list = Array.isArray(found) ? (found as readonly Json[]) : null;
  switch (edit.kind) {
    case 'set':
      return withValue(tree, edit.path, edit.value);
    case 'remove':
      return withoutKey(tree, edit.path);
    case 'include':
      if (found !== undefined && list === null) throw new Error(`${edit.path.join('.')} is not a list`);
      return withValue(tree, edit.path, [
        ...(list ?? []),
        ...edit.members.filter((each) => list?.includes(each) !== true),
      ]);
    case 'exclude': {
      if (list === null) return tree;
      const left = list.filter((each) => typeof each !== 'string' || !edit.members.includes(each));
      return left.length === 0 ? withoutKey(tree, edit.path) : withValue(tree, edit.path, left);
    }
  }
}

function withValue(tree: Json, [key, ...rest]: KeyPath, value: Json): Json {
  if (key === undefined) return value;
  if (!isJsonObject(tree)) throw new Error(`${key} can’t be set in what is not a table`);
  const inner = Object.hasOwn(tree, key) ? (tree[key] ?? null) : null;
  return { ...tree, [key]: withValue(rest.length > 0 && inner === null ? {} : inner, rest, value) };
}

/** Removes a key. Tables that were only there for its sake go with it. */
function withoutKey(tree: Json, [key, ...rest]: KeyPath): Json {
  if (key === undefined || !isJsonObject(tree) || !Object.hasOwn(tree, key)) return tree;
  const { [key]: inner, ...others } = tree;
  if (rest.length === 0 || inner === undefined) return others;
  const left = withoutKey(inner, rest);
  const empty = isJsonObject(left) && Object.keys(left).length === 0;
  return empty && !isDeepStrictEqual(left, inner) ? others : { ...tree, [key]: left };
}

/** The steps that change the text of one tree into the other: as deep down as they go. */
export function diffTrees(before: JsonObject, after: JsonObject, path: KeyPath = []): readonly TextChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): readonly TextChange[] => {
    const [old, next] = [before[key], after[key]];
    const here = [...path, key];
    if (isDeepStrictEqual(old, next)) return [];
    if (isJsonObject(old) && isJsonObject(next)) return diffTrees(old, next, here);
    return [{ path: here, value: next }];
  });
}
