import { isDeepStrictEqual } from 'node:util';
import type { RefusedHook } from '#contract/window/hooks.js';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Notice } from '#contract/window/notices.js';
import type { Config } from '#contract/vocabulary/config.js';
import { workspaceConfigFile } from '../platform/data-folder/paths.js';
import { Listeners } from '../platform/listeners.js';
import { SerialQueue } from '../platform/serial-queue.js';
import { replaceSmallFile } from '../platform/files/small-file.js';
import { DENYLIST, writeAskingSettings, applyAsking } from './asking.js';
import { parseDefaults } from './defaults.js';
import { appendInText, type EditResult, removeInText, resetInText, setInText } from './edit-toml.js';
import { layerConfig, type LayeredConfig } from './layers.js';
import { type ConfigProblem, EMPTY_LAYER, parseConfig, findValueProblem } from './parse.js';
import { buildPersonNotices, buildWorkspaceNotices } from './config-notices.js';
import { FolderSettings, type UnacceptedSettings } from './folder-settings.js';
import { type PersonFile, parsePersonTable, reloadPersonFile } from './person-file.js';
import { readConfigFile } from './read-config-file.js';
import { isSettingKey, type Table, valueAt } from './setting-keys.js';
import type { RefusedSource } from './sources/split-sources.js';
import { watchFiles, type WatchedFiles } from './watch-files.js';
import { realPathOf } from '../platform/files/resolve-path.js';

export interface SettingsRefusal {
  readonly ok: false;
  readonly problem: string;
}
export type SaveResult = { readonly ok: true } | SettingsRefusal;

interface RemovedRules {
  readonly ok: true;
  readonly restore: () => Promise<SaveResult>;
}

type ConfirmedRule = Config['tools']['approval']['confirmed'][number];
const CONFIRMED = 'tools.approval.confirmed';

/** The settings in force, worked out together. */
interface ConfigInForce {
  /** Defaults and the person's file. */
  readonly own: LayeredConfig;
  /** The same, tightened by each open folder's file: for that folder. */
  readonly folders: ReadonlyMap<string, LayeredConfig>;
  /** The settings tightened by all of them: for what belongs to no folder alone. */
  readonly everywhere: LayeredConfig;
  readonly shown: string | null;
}

/**
 * The configuration in force: defaults ‹ the person's file ‹ a folder's, which may only tighten, and binds that folder
 * alone. Files are read again when they change; one that can't be used changes nothing and is told in a notice.
 */
export class ConfigStore {
  readonly #defaults = parseDefaults();
  readonly #person: PersonFile;
  readonly #folders = new Map<string, FolderSettings>();
  /** The folder that the window shows. */
  #shown: string | null = null;
  readonly #unaccepted: UnacceptedSettings;
  /** The number of calls that run now and may change a folder's settings. */
  #acting = 0;
  #inForce: ConfigInForce;
  /** The values that listeners were last told of. */
  #told: readonly [ConfigInForce, readonly Notice[], boolean];
  /** The listeners. One wing's fault keeps no other from hearing of a change; it is reported where all faults are. */
  readonly #listeners = new Listeners((fault) =>
    queueMicrotask(() => {
      throw fault;
    }),
  );
  #watched: WatchedFiles | null = null;
  readonly #writing = new SerialQueue();

  constructor(personFile: string, unaccepted: UnacceptedSettings = IN_MEMORY) {
    this.#unaccepted = unaccepted;
    this.#person = { path: personFile, layer: EMPTY_LAYER, isAbsent: true, problem: null };
    reloadPersonFile(this.#person);
    this.#inForce = this.#compute();
    this.#told = [this.#inForce, this.notices, this.hasPersonsFile];
  }

  /** The configuration in the folder that the window shows. */
  get current(): Config {
    return this.here.config;
  }

  get here(): LayeredConfig {
    const { own, folders } = this.#inForce;
    return (this.#shown === null ? undefined : folders.get(this.#shown)) ?? own;
  }

  /** The person's configuration alone: in no folder. */
  get own(): Config {
    return this.#inForce.own.config;
  }

  /** The sources of the person's file that are refused for what it says. */
  get refusedSources(): readonly RefusedSource[] {
    return this.#person.layer.refusedSources;
  }

  /** Hooks likewise. */
  get refusedHooks(): readonly RefusedHook[] {
    return this.#person.layer.refusedHooks;
  }

  /**
   * The configuration for what belongs to no folder alone, such as the gateway: what no open folder has anything
   * against.
   */
  get everywhere(): Config {
    return this.#inForce.everywhere.config;
  }

  /** Every configuration that can be in force for a call, by open folder. */
  get byFolder(): readonly (readonly [string, LayeredConfig])[] {
    return [['', this.#inForce.own], ...this.#inForce.folders];
  }

  /** The configuration in a folder; for one that is not open, the one that would be in force. */
  forFolder(folder: string): LayeredConfig {
    const open = this.#inForce.folders.get(folder);
    if (open !== undefined) return open;
    const { layer: its } = new FolderSettings(workspaceConfigFile(folder), this.#unaccepted);
    return layerConfig(this.#defaults, this.#person.layer.table, its.table);
  }

  /** Whether there is a file of the person's own, whatever it says. */
  get hasPersonsFile(): boolean {
    return !this.#person.isAbsent;
  }

  get defaults(): Table {
    return this.#defaults;
  }

  get files(): { readonly person: string; readonly workspace: string | null } {
    return { person: this.#person.path, workspace: this.#settingsShown?.path ?? null };
  }

  get #settingsShown(): FolderSettings | undefined {
    return this.#shown === null ? undefined : this.#folders.get(this.#shown);
  }

  /** The problem to show, the person's file first: it is theirs to mend. */
  get problem(): ConfigProblem | null {
    return this.#person.problem ?? this.#settingsShown?.problem ?? null;
  }

  /** The notices about these files now. Ids stay the same while the matter does. */
  get notices(): readonly Notice[] {
    const { path, problem, layer: own } = this.#person;
    return [
      ...buildPersonNotices(path, problem, own),
      ...[...this.#folders].flatMap(([folder, settings]) =>
        buildWorkspaceNotices(settings, this.#inForce.folders.get(folder)?.ignored ?? []),
      ),
    ];
  }

  /** Called after anything about the configuration changed, notices included. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Calls `apply` whenever the value that `select` takes of the settings changed: at once, before whoever changed it
   * goes on. `apply` reads the current settings itself, if it needs them.
   */
  watch<T>(
    select: (
      settings: Pick<ConfigStore, 'current' | 'own' | 'everywhere' | 'byFolder' | 'refusedSources' | 'refusedHooks'>,
    ) => T,
    apply: (now: T) => void,
  ): () => void {
    let last = select(this);
    return this.onChange(() => {
      const now = select(this);
      if (isDeepStrictEqual(last, now)) return;
      last = now;
      apply(now);
    });
  }

  /** Opens a folder: its file counts for it from now on, as it is there, or as it was accepted last. */
  openFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    this.#folders.set(folder, new FolderSettings(workspaceConfigFile(folder), this.#unaccepted));
    this.#foldersChanged();
  }

  closeFolder(folder: string): void {
    if (this.#folders.delete(folder)) this.#foldersChanged();
  }

  /** Sets the folder that the window shows from now on: one that is open, or none. */
  show(folder: string | null): void {
    this.#shown = folder;
    this.#apply();
  }

  #foldersChanged(): void {
    if (this.#watched !== null) void this.#watch();
    this.reload();
  }

  /** Begins to follow the files; until then they are read once. */
  startWatching(): Promise<void> {
    return this.#watch();
  }

  /**
   * Notes that a call begins that may change files. A change of the folder's settings until it ends is the call's, or
   * may be: it does not count before the person says so.
   */
  noteCallBegins(): () => void {
    this.#acting += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.reload();
      this.#acting -= 1;
    };
  }

  /** Records the person's yes to a change of a folder's settings. Null when it counts; otherwise why not. */
  useFolderSettings(digest: string): string | null {
    const done = [...this.#folders.values()].some((settings) => settings.accept(digest));
    this.#apply();
    return done ? null : 'They changed again meanwhile. Look at them once more.';
  }

  /** Reads all files now. */
  reload(): void {
    reloadPersonFile(this.#person);
    for (const settings of this.#folders.values()) settings.reload(this.#acting > 0);
    this.#apply();
  }

  #apply(): void {
    this.#inForce = this.#compute();
    const now = [this.#inForce, this.notices, this.hasPersonsFile] as const;
    if (isDeepStrictEqual(this.#told, now)) return;
    this.#told = now;
    this.#listeners.tell();
  }

  /** Changes one setting in the person's file, nothing else in it. */
  async set(key: string, value: Json): Promise<SaveResult> {
    if (!isSettingKey(key)) return { ok: false, problem: `There is no setting “${key}”.` };
    const reason = findValueProblem(key, value);
    if (reason !== null) return { ok: false, problem: `${key} ${reason}` };
    return await this.save((text) => setInText(text, key, value));
  }

  /** Writes the choice of the first start, whole; not over a file that the person has by now. */
  async chooseAsking(asking: AskingPreset): Promise<SaveResult> {
    const text = writeAskingSettings(asking, valueAt(this.#defaults, DENYLIST) as readonly string[]);
    return await this.save(async (standing) =>
      this.hasPersonsFile || standing !== ''
        ? { ok: false, problem: `There are settings already, in ${this.#person.path}.` }
        : { ok: true, text },
    );
  }

  /** Puts a choice into the settings that are there. */
  async changeAsking(asking: AskingPreset): Promise<SaveResult> {
    const byDefault = valueAt(this.#defaults, DENYLIST) as readonly string[];
    return await this.save(async (text) => {
      const denied = valueAt(parsePersonTable(this.#person.path, text), DENYLIST) as readonly string[] | undefined;
      return await applyAsking(text, asking, denied ?? byDefault, byDefault);
    });
  }

  async reset(key: string): Promise<SaveResult> {
    if (!isSettingKey(key)) return { ok: false, problem: `There is no setting “${key}”.` };
    return await this.save((text) => resetInText(text, key));
  }

  /**
   * Takes rules out of the person's file. The returned `restore` puts the file back as it was, byte for byte; where it
   * was changed meanwhile, the rules alone.
   */
  async removeConfirmed(which: (rule: ConfirmedRule) => boolean): Promise<RemovedRules | SettingsRefusal> {
    let standing = { before: '', after: '' };
    let taken: readonly Table[] = [];
    const removed = await this.save(async (text) => {
      const table = parsePersonTable(this.#person.path, text);
      const rules = (valueAt(table, CONFIRMED) ?? []) as unknown as readonly (ConfirmedRule & Table)[];
      const places = new Set(rules.flatMap((rule, at) => (which(rule) ? [at] : [])));
      if (places.size === 0) return { ok: false, problem: 'This rule is gone already.' };
      taken = rules.filter((_rule, at) => places.has(at));
      const edited = await removeInText(text, CONFIRMED, places);
      if (edited.ok) standing = { before: text, after: edited.text };
      return edited;
    });
    if (!removed.ok) return removed;
    const restore = () =>
      this.save(async (text) => {
        if (text === standing.after) return { ok: true, text: standing.before };
        let edited: EditResult = { ok: true, text };
        for (const rule of taken) if (edited.ok) edited = await appendInText(edited.text, CONFIRMED, rule);
        return edited;
      });
    return { ok: true, restore };
  }

  /** Adds one `[[tools.approval.confirmed]]`, for “Remember”. */
  async addConfirmed(rule: ConfirmedRule): Promise<SaveResult> {
    return await this.save((text) => appendInText(text, CONFIRMED, rule));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#watched?.close();
  }

  /**
   * Saves changes one after another: two at once must not lose each other. Nothing is written that could not be read
   * again.
   */
  save(change: (text: string) => Promise<EditResult>): Promise<SaveResult> {
    return this.#writing.run(async (): Promise<SaveResult> => {
      const { path } = this.#person;
      const now = readConfigFile(path, true);
      if (now.kind === 'unreadable') return { ok: false, problem: `${path} can’t be read: ${now.reason}` };
      const text = now.kind === 'text' ? now.text : '';
      const parsed = parseConfig(path, text);
      if (!parsed.ok) {
        const { line, reason } = parsed.problem;
        return { ok: false, problem: `Mend ${path} first${line === null ? '' : `, line ${line}`}: ${reason}` };
      }
      const edited = await change(text);
      if (!edited.ok) return edited;
      const result = parseConfig(path, edited.text);
      if (!result.ok) return { ok: false, problem: result.problem.reason };
      try {
        // A person may keep their settings elsewhere and link to them: the link stays.
        if (edited.text !== text) replaceSmallFile(realPathOf(path), edited.text);
      } catch (error) {
        return {
          ok: false,
          problem: `${path} can’t be written: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
      this.reload();
      return { ok: true };
    });
  }

  async #watch(): Promise<void> {
    const previous = this.#watched;
    const others = [...this.#folders.values()].map(({ path }) => path);
    this.#watched = watchFiles(this.#person.path, others, () => this.reload());
    await Promise.all([previous?.close(), this.#watched.ready]);
    // Read changes that were made while nobody looked.
    this.reload();
  }

  #compute(): ConfigInForce {
    const own = layerConfig(this.#defaults, this.#person.layer.table, {});
    const folders = new Map<string, LayeredConfig>();
    let everywhere = own;
    for (const [folder, { layer: its }] of this.#folders) {
      folders.set(folder, layerConfig(this.#defaults, this.#person.layer.table, its.table));
      everywhere = layerConfig(everywhere.config as unknown as Table, {}, its.table);
    }
    return { own, folders, everywhere, shown: this.#shown };
  }
}

/** A store of unaccepted settings that keeps nothing over a restart. */
const IN_MEMORY: UnacceptedSettings = { find: () => undefined, keep: () => undefined, forget: () => undefined };
