import type { Config } from '#contract/vocabulary/config.js';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { getAskingSettings } from '../asking.js';
import type { ConfigStore, SaveResult } from '../config-store.js';
import { type EditResult, resetInText, setInText } from '../edit-toml.js';
import { parsePersonTable } from '../person-file.js';
import { type Table, valueAt } from '../setting-keys.js';

export type AgentFileStore = Pick<ConfigStore, 'save' | 'files'>;

interface ConfiguredLists {
  readonly agents: readonly (Config['gateway']['agents'][number] & Table)[];
  readonly clients: readonly (Config['gateway']['clients'][number] & Table)[];
}

/** Sets how one agent is asked; null: as all are. Whatever else it has of its own stays. */
export const setAgentAsking = (store: AgentFileStore, name: string, asking: AskingPreset | null): Promise<SaveResult> =>
  editList(store, 'agents', (all) => {
    const { secrets } = all.find((each) => each.name === name) ?? {};
    const own: Table = {
      ...(asking === null ? {} : getAskingSettings(asking)),
      ...(secrets === undefined ? {} : { secrets }),
    };
    const others = all.filter((each) => each.name !== name);
    return Object.keys(own).length === 0 ? others : [...others, { name, ...own }];
  });

/** Sets the folders that one agent may work in; null: every open one. Whatever else is said of it stays. */
export const setAgentFolders = (
  store: AgentFileStore,
  name: string,
  folders: readonly string[] | null,
): Promise<SaveResult> =>
  editList(store, 'clients', (all) => {
    const said = all.filter((each) => each.name === name);
    const access = (['blocked', 'ask'] as const).find((each) => said.some((rule) => rule.access === each)) ?? 'normal';
    const others = all.filter((each) => each.name !== name);
    if (folders === null && access === 'normal') return others;
    return [...others, { name, access, ...(folders === null ? {} : { folders: [...folders] }) }];
  });

/** Removes all that is said of one agent alone; that it is let in at most by asking stays. */
export async function forgetAgent(store: AgentFileStore, name: string): Promise<SaveResult> {
  const freed = await setAgentFolders(store, name, null);
  if (!freed.ok) return freed;
  return await editList(store, 'agents', (all) => all.filter((each) => each.name !== name));
}

/** Edits a list of the gateway’s tables in the person's file; one that stays empty goes. */
const editList = <Key extends keyof ConfiguredLists>(
  store: AgentFileStore,
  key: Key,
  edit: (all: ConfiguredLists[Key]) => readonly Table[],
): Promise<SaveResult> =>
  store.save(async (text): Promise<EditResult> => {
    const path = `gateway.${key}`;
    const all = (valueAt(parsePersonTable(store.files.person, text), path) ?? []) as unknown as ConfiguredLists[Key];
    const edited = edit(all);
    if (edited.length === all.length && edited.every((each, at) => each === all[at])) return { ok: true, text };
    return edited.length === 0 ? await resetInText(text, path) : await setInText(text, path, [...edited]);
  });
