import type { WantedClientSettings } from '#contract/window/clients.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { type Edit, isSaid, type KeyPath, unsaid, valueAt } from './editing/edits.js';
import { type ClientSpec, type FileEdit, type FileName, type Half, type Launch, SERVER } from './table/spec.js';

export type Trees = Readonly<Partial<Record<FileName, Json>>>;

/** Keys that name another way to reach a server: beside ours they would make another entry of it. */
const OTHER_WAYS = ['url', 'httpUrl', 'serverUrl', 'uri', 'headers', 'bearer_token_env_var', 'oauth'];

const treeOf = (trees: Trees, { file }: FileEdit): Json => trees[file] ?? {};
const entryPath = ({ servers }: ClientSpec): KeyPath => [...servers, SERVER];
export const entryIn = (spec: ClientSpec, trees: Trees): Json | undefined =>
  valueAt(trees.servers ?? {}, entryPath(spec));

/** The edits of our entry, key by key, so that what the person added to it stays. */
function entryEdits(spec: ClientSpec, launch: Launch, trees: Trees): readonly FileEdit[] {
  const standing = entryIn(spec, trees);
  const path = entryPath(spec);
  const entry = spec.entry(launch);
  const foreign = OTHER_WAYS.filter((key) => !(key in entry) && isJsonObject(standing) && key in standing);
  return [
    ...Object.entries(entry).map(([key, value]): FileEdit => ({
      file: 'servers',
      kind: 'set',
      path: [...path, key],
      value,
    })),
    ...foreign.map((key): FileEdit => ({ file: 'servers', kind: 'remove', path: [...path, key] })),
  ];
}

export const isHalfSet = (half: Half, trees: Trees): boolean =>
  half.kind === 'settable' && half.edits.every((edit) => isSaid(treeOf(trees, edit), edit));

/**
 * The edits that bring a client's settings from what they say now to what is wished. Settings that nobody wished to
 * change are left.
 */
export function wantedEdits(
  spec: ClientSpec,
  launch: Launch,
  wish: WantedClientSettings,
  trees: Trees,
): readonly FileEdit[] {
  const half = (wanted: boolean, of: Half): readonly FileEdit[] => {
    if (of.kind === 'fixed') return [];
    if (wanted) return of.edits;
    return isHalfSet(of, trees) ? of.edits.flatMap((edit) => contrary(edit, trees)) : [];
  };
  const halves = [...half(wish.ownToolsOff, spec.ownTools), ...half(wish.confirmationOff, spec.confirmation)];
  if (wish.gatehouse) return [...entryEdits(spec, launch, trees), ...halves];
  const gone: readonly FileEdit[] =
    entryIn(spec, trees) === undefined ? [] : [{ file: 'servers', kind: 'remove', path: entryPath(spec) }];
  // What would stand inside the entry goes with it.
  return [...halves.filter(({ path }) => !entryPath(spec).every((key, at) => path[at] === key)), ...gone];
}

const contrary = (edit: FileEdit, trees: Trees): readonly FileEdit[] =>
  unsaid(treeOf(trees, edit), edit).map((each: Edit): FileEdit => ({ ...each, file: edit.file }));
