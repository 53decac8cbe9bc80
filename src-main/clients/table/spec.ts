import { join } from 'node:path';
import type { ClientId } from '#contract/window/clients.js';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { FormatName } from '../editing/edit-text.js';
import type { SettingsEdit, KeyPath } from '../editing/edits.js';
import type { UserEnvironment } from '../files/user-environment.js';

/** The name of Gatehouse among a client's servers, and so in the names of its tools. */
export const SERVER = 'gatehouse';

/** A command line as a client starts it. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface FileSpec {
  readonly format: FormatName;
  /** Candidate paths. The first that is there is used; else the first. */
  readonly paths: (around: UserEnvironment) => readonly string[];
}

/**
 * The name of a file. `servers` lists the servers; `settings` is the other file, where settings are kept apart from
 * them.
 */
export type FileName = 'servers' | 'settings';
export type FileEdit = SettingsEdit & { readonly file: FileName };

/** A half of the settings: whether a client's files let it be set, and by which edits. */
export type SettingPart =
  { readonly kind: 'settable'; readonly edits: readonly FileEdit[] } | { readonly kind: 'fixed'; readonly why: string };

export type OwnTools = SettingPart & {
  /** The tools of its own that reach this machine when these are set, or because nothing can be: “its own shell”. */
  readonly left: string | null;
  /** Other settings that could give it more, in words; null where there are none. */
  readonly loosened?: (settings: Json) => string | null;
};

/** How a client is started once, to be asked which tools its model gets. */
export interface ToolQuery {
  /** The arguments that make it begin a turn by itself, given the address that stands in for its model. */
  readonly args: (model: string) => readonly string[];
  readonly environment: (model: string) => Readonly<Record<string, string>>;
  /** The tools that it keeps and that reach nothing of this machine: plans, lists of tasks, questions to the person. */
  readonly harmless: readonly string[];
}

/** The settings that a client has for one folder alone, as far as they are other than those for every project. */
export type FolderSettings = Pick<ClientSpec, 'files'> & Partial<Pick<ClientSpec, 'servers' | 'afterwards'>>;

/** A client, as data: where its files are, how Gatehouse comes in, and what switches its own tools off. */
export interface ClientSpec {
  readonly id: ClientId;
  readonly name: string;
  readonly programs: readonly string[];
  /** Folders that are there when it was used. */
  readonly signs: (around: UserEnvironment) => readonly string[];
  readonly files: { readonly servers: FileSpec; readonly settings?: FileSpec };
  /** Its settings for one folder, in files that Git doesn't share where it has such; null where it has none. */
  readonly inFolder: ((folder: string) => FolderSettings) | null;
  /** The key of its servers. */
  readonly servers: KeyPath;
  readonly entry: (launch: Launch) => JsonObject;
  /** The command line that an entry starts; null where it is none that starts a command. */
  readonly launchOf: (entry: Json) => Launch | null;
  readonly isOff: (entry: JsonObject) => boolean;
  /** Whether its entry has to name a folder: it tells neither roots nor a project's folder. */
  readonly namesFolder: boolean;
  readonly ownTools: OwnTools;
  readonly confirmation: SettingPart;
  /** How it is asked which tools its model gets; null where it can't be. */
  readonly asks: ToolQuery | null;
  /** The versions that this was tried with; none where it is as its documentation says. */
  readonly tried: readonly string[];
  readonly afterwards: string;
}

const listTexts = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each: Json) => typeof each === 'string') : [];

const readVariables = (value: Json | undefined): Readonly<Record<string, string>> =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {};

/** The command line of an entry with `{command, args, env}`, as most have it. */
export function readLaunch(entry: Json): Launch | null {
  if (!isJsonObject(entry) || typeof entry['command'] !== 'string') return null;
  return { command: entry['command'], args: listTexts(entry['args']), environment: readVariables(entry['env']) };
}

/** The settings that most clients have in common. */
export const USUAL = {
  launchOf: readLaunch,
  isOff: () => false,
  namesFolder: false,
  inFolder: null,
  asks: null,
  tried: [],
} as const;

/** The command line of an entry for opencode, which has it all in one list. */
export function readListLaunch(entry: Json): Launch | null {
  if (!isJsonObject(entry)) return null;
  const [command, ...args] = listTexts(entry['command']);
  return command === undefined ? null : { command, args, environment: readVariables(entry['environment']) };
}

export function readGooseLaunch(entry: Json): Launch | null {
  if (!isJsonObject(entry) || typeof entry['cmd'] !== 'string') return null;
  return { command: entry['cmd'], args: listTexts(entry['args']), environment: readVariables(entry['envs']) };
}

export const setEdit = (file: FileName, path: string, value: Json): FileEdit => ({
  file,
  kind: 'set',
  path: path.split('.'),
  value,
});
export const includeEdit = (file: FileName, path: string, members: readonly string[]): FileEdit => ({
  file,
  kind: 'include',
  path: path.split('.'),
  members,
});

/** The settings that are for one folder in a file of that folder, of the same form as those for every project. */
export const inOneFile =
  (format: FormatName, ...names: readonly string[]) =>
  (folder: string): FolderSettings => ({
    files: { servers: { format, paths: () => names.map((name) => join(folder, name)) } },
  });
