import { realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { RememberedRule } from '#contract/window/approvals.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Notice } from '#contract/window/notices.js';
import type { Config } from '#contract/vocabulary/config.js';
import { workspaceConfigFile } from '../platform/data-folder/paths.js';
import { replaceSmallFile } from '../platform/small-file.js';
import { defaultTable } from './defaults.js';
import { appendInText, type Edited, resetInText, setInText } from './edit.js';
import { type IgnoredValue, layer, type LayeredConfig } from './layers.js';
import { type ConfigLayer, type ConfigProblem, EMPTY_LAYER, parseConfig, wrongValue } from './parse.js';
import { FolderSettings, folderNotices, type UnacceptedSettings } from './folder-settings.js';
import { readConfigFile } from './read-file.js';
import { isSettingKey, type Table } from './setting-keys.js';
import { watchFiles, type WatchedFiles } from './watch.js';

/** The person's file: what it last said that could be used, and what is wrong with it now. */
interface FileState {
  readonly path: string;
  layer: ConfigLayer;
  problem: ConfigProblem | null;
}

export type Saved = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * The configuration in force: defaults ‹ the person's file ‹ the workspace's, which may only tighten. Files are read
 * again when they change; one that can't be used changes nothing and is told in a notice.
 */
export class ConfigStore {
  readonly #defaults = defaultTable();
  readonly #person: FileState;
  #workspace: FolderSettings | null = null;
  readonly #unaccepted: UnacceptedSettings;
  /** Calls that run now and may change a folder's settings. */
  #acting = 0;
  #layered: LayeredConfig;
  /** What listeners were last told of. */
  #told: readonly [LayeredConfig, readonly Notice[]];
  readonly #listeners = new Set<() => void>();
  #watched: WatchedFiles | null = null;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(personFile: string, unaccepted: UnacceptedSettings = IN_MEMORY) {
    this.#unaccepted = unaccepted;
    this.#person = { path: personFile, layer: EMPTY_LAYER, problem: null };
    readInto(this.#person);
    this.#layered = this.#compute();
    this.#told = [this.#layered, this.notices];
  }

  get current(): Config {
    return this.#layered.config;
  }

  get layered(): LayeredConfig {
    return this.#layered;
  }

  get defaults(): Table {
    return this.#defaults;
  }

  get files(): { readonly person: string; readonly workspace: string | null } {
    return { person: this.#person.path, workspace: this.#workspace?.path ?? null };
  }

  /** The person's file first: it is theirs to mend. */
  get problem(): ConfigProblem | null {
    return this.#person.problem ?? this.#workspace?.problem ?? null;
  }

  /** What the person should know of their files now. Ids stay the same while the matter does. */
  get notices(): readonly Notice[] {
    const workspace = this.#workspace;
    const states = [
      { ...this.#person, own: true },
      ...(workspace === null
        ? []
        : [{ path: workspace.path, layer: workspace.layer, problem: workspace.problem, own: false }]),
    ];
    return [
      ...(this.#workspace === null ? [] : folderNotices(this.#workspace)),
      ...states.flatMap(({ problem, own }) => (problem === null ? [] : [problemNotice(problem, own)])),
      ...states.flatMap(({ path, layer: { unknown }, own }) =>
        unknown.length === 0 ? [] : [unknownNotice(path, unknown, own)],
      ),
      ...(this.#layered.ignored.length === 0 || this.#workspace === null
        ? []
        : [ignoredNotice(this.#workspace.path, this.#layered.ignored)]),
    ];
  }

  /** Called after anything about the configuration changed, notices included. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls `apply` whenever what `select` takes of the settings is another value than it was: at once, before who changed
   * it goes on. What they are now it reads itself, if it needs that.
   */
  watch<T>(select: (settings: LayeredConfig) => T, apply: (now: T) => void): () => void {
    let last = select(this.#layered);
    return this.onChange(() => {
      const now = select(this.#layered);
      if (isDeepStrictEqual(last, now)) return;
      last = now;
      apply(now);
    });
  }

  setWorkspace(workspace: string | null): void {
    this.#workspace = workspace === null ? null : new FolderSettings(workspaceConfigFile(workspace), this.#unaccepted);
    if (this.#watched !== null) void this.#watch();
    this.reload();
  }

  /** Begins to follow the files; until then they are read once. */
  startWatching(): Promise<void> {
    return this.#watch();
  }

  /**
   * A call begins that may change files. What became of the folder's settings when it ends is the call's, or may be: it
   * does not count before the person says so.
   */
  callBegins(): () => void {
    this.#acting += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.reload();
      this.#acting -= 1;
    };
  }

  /** The person's yes to a change of the folder's settings. Null when it counts; otherwise why not. */
  useFolderSettings(digest: string): string | null {
    const done = this.#workspace?.accept(digest) ?? false;
    this.#apply();
    return done ? null : 'They changed again meanwhile. Look at them once more.';
  }

  /** Reads both files now. */
  reload(): void {
    readInto(this.#person);
    this.#workspace?.reload(this.#acting > 0);
    this.#apply();
  }

  #apply(): void {
    const layered = this.#compute();
    const now = [layered, this.notices] as const;
    if (isDeepStrictEqual(this.#told, now)) return;
    this.#told = now;
    this.#layered = layered;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        // One wing's trouble keeps no other from hearing of the change; it is told where all faults are.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Changes the person's file, nothing else in it. */
  async set(key: string, value: Json): Promise<Saved> {
    if (!isSettingKey(key)) return { ok: false, problem: `There is no setting “${key}”.` };
    const reason = wrongValue(key, value);
    if (reason !== null) return { ok: false, problem: `${key} ${reason}` };
    return await this.#save((text) => setInText(text, key, value));
  }

  async reset(key: string): Promise<Saved> {
    if (!isSettingKey(key)) return { ok: false, problem: `There is no setting “${key}”.` };
    return await this.#save((text) => resetInText(text, key));
  }

  /** “Remember”: one `[[tools.approval.confirmed]]` more. */
  async addConfirmed(rule: RememberedRule): Promise<Saved> {
    const { tool, command, prefix, expires, workspace, confinement, digest } = rule;
    const entry: Table = {
      tool,
      ...(command === undefined ? {} : { command }),
      ...(prefix === undefined ? {} : { prefix }),
      ...(expires === undefined ? {} : { expires }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(confinement === undefined ? {} : { confinement }),
      ...(digest === undefined ? {} : { digest }),
    };
    return await this.#save((text) => appendInText(text, 'tools.approval.confirmed', entry));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#watched?.close();
  }

  /** One after another: two changes at once must not lose each other. */
  #save(change: (text: string) => Promise<Edited>): Promise<Saved> {
    const saving = this.#writing.then(async (): Promise<Saved> => {
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
        if (edited.text !== text) replaceSmallFile(target(path), edited.text);
      } catch (error) {
        return {
          ok: false,
          problem: `${path} can’t be written: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
      this.reload();
      return { ok: true };
    });
    this.#writing = saving.catch(() => undefined);
    return saving;
  }

  async #watch(): Promise<void> {
    const previous = this.#watched;
    const paths = [this.#person.path, ...(this.#workspace === null ? [] : [this.#workspace.path])];
    this.#watched = watchFiles(paths, () => this.reload());
    await Promise.all([previous?.close(), this.#watched.ready]);
    // What changed while nobody looked.
    this.reload();
  }

  #compute(): LayeredConfig {
    return layer(this.#defaults, this.#person.layer.table, this.#workspace?.layer.table ?? {});
  }
}

/** For who keeps nothing over a restart. */
const IN_MEMORY: UnacceptedSettings = { find: () => undefined, keep: () => undefined, forget: () => undefined };

function readInto(state: FileState): void {
  const read = readConfigFile(state.path, true);
  state.problem = null;
  if (read.kind === 'absent') state.layer = EMPTY_LAYER;
  else if (read.kind === 'unreadable') state.problem = { file: state.path, line: null, reason: read.reason };
  else {
    const parsed = parseConfig(state.path, read.text);
    if (parsed.ok) state.layer = parsed.layer;
    else state.problem = parsed.problem;
  }
}

/** A person may keep their settings elsewhere and link to them: the link stays. */
function target(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const whose = (own: boolean) => (own ? 'Your settings' : 'The workspace’s settings');

const problemNotice = ({ file, line, reason }: ConfigProblem, own: boolean): Notice => ({
  id: own ? 'config-problem-person' : 'config-problem-workspace',
  severity: 'error',
  title: `${whose(own)} can’t be used`,
  text: `${file}${line === null ? '' : `, line ${line}`}: ${reason} What was in force before stays so until this is mended.`,
  details: null,
  dismissible: false,
});

const unknownNotice = (path: string, keys: readonly string[], own: boolean): Notice => ({
  id: own ? 'config-unknown-person' : 'config-unknown-workspace',
  severity: 'info',
  title: `${whose(own)} hold something that is not a setting`,
  text: `${path}: ${listed(keys)} ${keys.length === 1 ? 'has' : 'have'} no effect. Perhaps it is misspelt.`,
  details: null,
  dismissible: true,
});

const ignoredNotice = (path: string, ignored: readonly IgnoredValue[]): Notice => ({
  id: 'config-ignored',
  severity: 'warning',
  title: 'The workspace asks for more than you allow',
  text: `A workspace’s settings may only tighten yours. Ignored in ${path}: ${listed(ignored.map(({ key }) => key))}.`,
  details: ignored.map(({ key, why }) => `${key}: ${why}.`).join('\n'),
  dismissible: true,
});

const listed = (items: readonly string[]): string =>
  items.length <= 8 ? items.join(', ') : `${items.slice(0, 8).join(', ')} and ${items.length - 8} more`;
