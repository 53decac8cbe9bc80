import type { WantedClientSettings } from '#contract/window/clients.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { type SettingsEdit, isEditApplied, type KeyPath, revertEdit, valueAt } from './editing/edits.js';
import { type ClientSpec, type FileEdit, type FileName, type SettingPart, type Launch, SERVER } from './table/spec.js';

export type SettingsTrees = Readonly<Partial<Record<FileName, Json>>>;

/** Keys that name another way to reach a server: beside ours they would make another entry of it. */
const OTHER_TRANSPORT_KEYS = ['url', 'httpUrl', 'serverUrl', 'uri', 'headers', 'bearer_token_env_var', 'oauth'];

const getTree = (trees: SettingsTrees, { file }: FileEdit): Json => trees[file] ?? {};
const buildEntryPath = ({ servers }: ClientSpec): KeyPath => [...servers, SERVER];
export const findEntry = (spec: ClientSpec, trees: SettingsTrees): Json | undefined =>
  valueAt(trees.servers ?? {}, buildEntryPath(spec));

/** The edits of our entry, key by key, so that what the person added to it stays. */
function planEntryEdits(spec: ClientSpec, launch: Launch, trees: SettingsTrees): readonly FileEdit[] {
  const standing = findEntry(spec, trees);
  const path = buildEntryPath(spec);
  const entry = spec.entry(launch);
  const foreign = OTHER_TRANSPORT_KEYS.filter((key) => !(key in entry) && isJsonObject(standing) && key in standing);
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

export const isPartApplied = (half: SettingPart, trees: SettingsTrees): boolean =>
  half.kind === 'settable' && half.edits.every((edit) => isEditApplied(getTree(trees, edit), edit));

/**
 * The edits that bring a client's settings from what they say now to what is wished. Settings that nobody wished to
 * change are left.
 */
export function planEdits(
  spec: ClientSpec,
  launch: Launch,
  wish: WantedClientSettings,
  trees: SettingsTrees,
): readonly FileEdit[] {
  const half = (wanted: boolean, of: SettingPart): readonly FileEdit[] => {
    if (of.kind === 'fixed') return [];
    if (wanted) return of.edits;
    return isPartApplied(of, trees) ? of.edits.flatMap((edit) => planRevert(edit, trees)) : [];
  };
  const halves = [...half(wish.ownToolsOff, spec.ownTools), ...half(wish.confirmationOff, spec.confirmation)];
  if (wish.gatehouse) return [...planEntryEdits(spec, launch, trees), ...halves];
  const gone: readonly FileEdit[] =
    findEntry(spec, trees) === undefined ? [] : [{ file: 'servers', kind: 'remove', path: buildEntryPath(spec) }];
  // Edits inside the entry go with it.
  return [...halves.filter(({ path }) => !buildEntryPath(spec).every((key, at) => path[at] === key)), ...gone];
}

const planRevert = (edit: FileEdit, trees: SettingsTrees): readonly FileEdit[] =>
  revertEdit(getTree(trees, edit), edit).map((each: SettingsEdit): FileEdit => ({ ...each, file: edit.file }));
