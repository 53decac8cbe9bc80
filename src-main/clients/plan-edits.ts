import type { WantedClientSettings } from '#contract/window/clients.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { isEditApplied, type KeyPath, revertEdit, valueAt } from './editing/edits.js';
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
 * change are left; what goes makes room for what stood there `before` Gatehouse.
 */
export function planEdits(
  spec: ClientSpec,
  launch: Launch,
  wish: WantedClientSettings,
  { trees, before }: { readonly trees: SettingsTrees; readonly before: SettingsTrees },
): readonly FileEdit[] {
  const revertPlanned = (edit: FileEdit): readonly FileEdit[] =>
    revertEdit(getTree(trees, edit), edit, getTree(before, edit)).map((each) => ({ ...each, file: edit.file }));
  const half = (wanted: boolean, of: SettingPart): readonly FileEdit[] => {
    if (of.kind === 'fixed') return [];
    if (wanted) return of.edits;
    return isPartApplied(of, trees) ? of.edits.flatMap((edit) => revertPlanned(edit)) : [];
  };
  // An agent whose own tools are closed without ours given would have none.
  const halves = [
    ...half(wish.gatehouse && wish.ownToolsOff, spec.ownTools),
    ...half(wish.gatehouse && wish.confirmationOff, spec.confirmation),
  ];
  if (wish.gatehouse) return [...planEntryEdits(spec, launch, trees), ...halves];
  // Edits inside the entry go with it.
  const path = buildEntryPath(spec);
  return [
    ...halves.filter((edit) => !path.every((key, at) => edit.path[at] === key)),
    ...planEntryGone(spec, trees, before),
  ];
}

/** The edits that take our entry out; one of theirs that had its name comes back. */
function planEntryGone(spec: ClientSpec, trees: SettingsTrees, before: SettingsTrees): readonly FileEdit[] {
  const path = buildEntryPath(spec);
  if (findEntry(spec, trees) === undefined) return [];
  const stood = findEntry(spec, before);
  return [
    stood === undefined
      ? { file: 'servers', kind: 'remove', path }
      : { file: 'servers', kind: 'set', path, value: stood },
  ];
}
