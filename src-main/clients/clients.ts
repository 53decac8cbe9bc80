import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  ClientId,
  ClientPlace,
  ClientPreview,
  ClientView,
  WantedClientSettings,
  SettableOption,
} from '#contract/window/clients.js';
import type { StartCommand } from '../domain/ports/started-command.js';
import { TEST_CALL_VARIABLE } from '../domain/tool/test-call.js';
import { temporaryFolder } from '../platform/files/small-file.js';
import { askClient, type ClientToolReport } from './asking/ask-client.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { editText, parseText } from './editing/edit-text.js';
import {
  type ConfigFile,
  digestConfigFile,
  getBackupPath,
  keepBackup,
  openConfigFile,
  replaceConfigFile,
} from './files/config-file.js';
import type { ClientUndoStore, StoredUndo } from './files/client-undo-store.js';
import {
  buildFileEffects,
  buildUndo,
  isAsWritten,
  type PlannedFileChange,
  restoreFiles,
} from './files/planned-change.js';
import { hasProgram, pathExists, findProgram, type UserEnvironment } from './files/user-environment.js';
import { describeReach, listOtherServers } from './reach.js';
import type { ClientSpec, FileName, SettingPart, Launch } from './table/spec.js';
import { CLIENTS, resolveSpec } from './table/table.js';
import { findEntry, isPartApplied, type SettingsTrees, planEdits } from './plan-edits.js';

export interface ClientsDeps {
  readonly around: UserEnvironment;
  /** The command line by which an agent of that name starts Gatehouse. */
  readonly launch: (agent: string, folder: string | null) => Launch;
  readonly undo: ClientUndoStore;
  /** Whether a file goes with the repository that a folder lies in. */
  readonly isSharedByGit: (folder: string, path: string) => Promise<boolean>;
}

type ClientRefusal = { readonly ok: false; readonly problem: string };
export type PreviewResult = { readonly ok: true; readonly preview: ClientPreview } | ClientRefusal;
export type ClientWriteResult = { readonly ok: true } | (ClientRefusal & { readonly stale: boolean });

interface OpenedClientFiles {
  readonly files: ReadonlyMap<FileName, ConfigFile>;
  readonly trees: SettingsTrees;
}

const NOTHING: WantedClientSettings = { gatehouse: false, ownToolsOff: false, confirmationOff: false };
const NO_FILES: OpenedClientFiles = { files: new Map(), trees: {} };

/** The programs on this computer that can be given Gatehouse’s tools, and their settings. */
export class Clients {
  readonly #parts: ClientsDeps;

  constructor(parts: ClientsDeps) {
    this.#parts = parts;
  }

  /** Lists the clients by their settings for every project, and by those for one folder where they have such. */
  list(folder: string | null): Promise<readonly ClientView[]> {
    return Promise.all(
      CLIENTS.map(async ({ id, inFolder }) => ({
        ...(await this.view({ id, only: null })),
        inFolder: folder === null || inFolder === null ? null : await this.view({ id, only: folder }),
      })),
    );
  }

  async view(place: ClientPlace): Promise<ClientView> {
    const spec = resolveSpec(place);
    const opened = this.#open(spec);
    const { files, trees } = opened.ok ? opened.opened : NO_FILES;
    const entry = findEntry(spec, trees);
    const connected = isJsonObject(entry) && !spec.isOff(entry);
    return {
      ...place,
      name: spec.name,
      installed: this.#isInstalled(spec),
      inFolder: null,
      files: await Promise.all(
        [...files.values()].map(async ({ path, real }) => ({
          path,
          leadsTo: real === path ? null : real,
          sharedByGit: place.only !== null && (await this.#parts.isSharedByGit(place.only, path)),
        })),
      ),
      now: {
        gatehouse: connected,
        ownToolsOff: isPartApplied(spec.ownTools, trees),
        confirmationOff: isPartApplied(spec.confirmation, trees),
      },
      namesFolder: spec.namesFolder,
      folder: findFolderArgument(entry === undefined ? null : spec.launchOf(entry)),
      otherwise: entry !== undefined && !(connected && this.#isOurs(place.id, spec.launchOf(entry))),
      ownTools: describeSettable(spec.ownTools),
      confirmation: describeSettable(spec.confirmation),
      reach: connected ? describeReach(spec, trees, this.#listOthers(place)) : null,
      tried: spec.tried,
      afterwards: spec.afterwards,
      problem: opened.ok ? null : opened.problem,
    };
  }

  /** Previews the change: what would be written, and nothing else is. */
  preview(place: ClientPlace, wish: WantedClientSettings): PreviewResult {
    const planned = this.#plan(place, wish);
    if (!planned.ok) return planned;
    return {
      ok: true,
      preview: { digest: digestOfPlan(place, wish, planned.planned), files: planned.planned.flatMap(buildFileEffects) },
    };
  }

  write(place: ClientPlace, wish: WantedClientSettings, digest: string): ClientWriteResult {
    const found = this.#plan(place, wish);
    if (!found.ok) return { ...found, stale: false };
    if (digestOfPlan(place, wish, found.planned) !== digest)
      return {
        ok: false,
        stale: true,
        problem: 'The settings have changed meanwhile. Here is the change as it is now.',
      };
    return this.#writeFiles(place, wish, found.planned);
  }

  /** Takes ours out and puts theirs back: to the byte where nobody else wrote since, else key by key. */
  disconnect(place: ClientPlace): ClientWriteResult {
    const kept = this.#parts.undo.get(place);
    if (kept === null || !kept.files.every(isAsWritten)) {
      const found = this.#plan(place, NOTHING);
      return found.ok ? this.#writeFiles(place, NOTHING, found.planned) : { ...found, stale: false };
    }
    for (const { path, before } of kept.files) {
      const found = openConfigFile(path);
      const problem = found.ok
        ? replaceConfigFile(found.file, before === null ? null : Buffer.from(before, 'base64'))
        : found.problem;
      if (problem !== null) return { ok: false, stale: false, problem };
    }
    this.#parts.undo.forget(place);
    return { ok: true };
  }

  /** The command line in its settings now; null where there is none, or one that starts something else. */
  launchOf(place: ClientPlace): Launch | null {
    const spec = resolveSpec(place);
    const found = this.#open(spec);
    const entry = found.ok ? findEntry(spec, found.opened.trees) : undefined;
    const launch = entry === undefined ? null : spec.launchOf(entry);
    return this.#isOurs(place.id, launch) ? launch : null;
  }

  /** Starts the client itself, and reads which tools its model gets; null where it can't be asked. */
  async ask(
    place: ClientPlace,
    { start, word, patienceMs }: { readonly start: StartCommand; readonly word: string; readonly patienceMs: number },
  ): Promise<ClientToolReport | null> {
    const { asks, programs } = resolveSpec(place);
    const { around } = this.#parts;
    const program = programs.map((name) => findProgram(name, around)).find((path) => path !== null) ?? null;
    if (asks === null || program === null) return null;
    // Nowhere in particular, but for a folder's own settings, which hold there.
    const nowhere = temporaryFolder('gatehouse-asking-');
    const environment = Object.fromEntries(
      Object.entries(around.environment).filter((each): each is [string, string] => each[1] !== undefined),
    );
    try {
      return await askClient(asks, {
        start,
        program,
        folder: place.only ?? nowhere.path,
        environment: { ...environment, [TEST_CALL_VARIABLE]: word },
        patienceMs,
      });
    } finally {
      nowhere.remove();
    }
  }

  /** Whether a command line starts Gatehouse, in whatever folder. */
  #isOurs(id: ClientId, launch: Launch | null): boolean {
    const ours = this.#parts.launch(id, findFolderArgument(launch));
    return launch !== null && isDeepStrictEqual([launch.command, launch.args], [ours.command, ours.args]);
  }

  #isInstalled({ programs, signs }: ClientSpec): boolean {
    const { around } = this.#parts;
    return signs(around).some(pathExists) || programs.some((name) => hasProgram(name, around));
  }

  /** The other servers that a client starts there: what stands for every project holds in a folder, too. */
  #listOthers(place: ClientPlace): readonly string[] {
    const places = place.only === null ? [place] : [place, { ...place, only: null }];
    const names = places.flatMap((each) => {
      const spec = resolveSpec(each);
      const opened = this.#open(spec);
      return opened.ok ? listOtherServers(spec, opened.opened.trees) : [];
    });
    return [...new Set(names)];
  }

  #writeFiles(
    place: ClientPlace,
    wish: WantedClientSettings,
    planned: readonly PlannedFileChange[],
  ): ClientWriteResult {
    const isConnected = this.launchOf(place) !== null;
    const paths = planned.map(({ seen }) => seen.path);
    const earlier = isConnected ? this.#findEarlier(place, paths) : null;
    const done: PlannedFileChange[] = [];
    for (const change of planned.filter(({ seen, text }) => text !== seen.text)) {
      const problem =
        (isConnected ? null : keepBackup(change.seen)) ?? replaceConfigFile(change.seen, Buffer.from(change.text));
      if (problem === null) done.push(change);
      else return { ok: false, stale: false, problem: `${problem}${restoreFiles(done)}` };
    }
    const { undo } = this.#parts;
    if (!wish.gatehouse) undo.forget(place);
    else if (done.length > 0) undo.keep(place, buildUndo(done, earlier));
    return { ok: true };
  }

  /** The files as they were before Gatehouse came into them: as kept, else by the copy beside each. */
  #findEarlier(place: ClientPlace, paths: readonly string[]): StoredUndo {
    const kept = this.#parts.undo.get(place);
    if (kept !== null) return kept;
    return {
      files: paths.flatMap((path) => {
        const backup = openConfigFile(getBackupPath(path));
        const bytes = backup.ok ? backup.file.bytes : null;
        return bytes === null ? [] : [{ path, before: bytes.toString('base64'), after: null }];
      }),
    };
  }

  #readBefore(place: ClientPlace, spec: ClientSpec, files: OpenedClientFiles['files']): SettingsTrees {
    const earlier = this.#findEarlier(
      place,
      [...files.values()].map(({ path }) => path),
    );
    const trees: Partial<Record<FileName, Json>> = {};
    for (const [name, { path }] of files) {
      const before = earlier.files.find((each) => each.path === path)?.before ?? '';
      const read = parseText((spec.files[name] ?? spec.files.servers).format, Buffer.from(before, 'base64').toString());
      if (read.ok) trees[name] = read.tree;
    }
    return trees;
  }

  #open(spec: ClientSpec): { readonly ok: true; readonly opened: OpenedClientFiles } | ClientRefusal {
    const files = new Map<FileName, ConfigFile>();
    const trees: Partial<Record<FileName, Json>> = {};
    for (const name of ['servers', 'settings'] as const) {
      const file = spec.files[name];
      if (file === undefined) continue;
      const paths = file.paths(this.#parts.around);
      const opened = openConfigFile(paths.find(pathExists) ?? paths[0] ?? '');
      if (!opened.ok) return opened;
      const read = parseText(file.format, opened.file.text);
      if (!read.ok) return { ok: false, problem: `${opened.file.path}: ${read.problem}` };
      files.set(name, opened.file);
      trees[name] = read.tree;
    }
    return { ok: true, opened: { files, trees } };
  }

  #plan(
    place: ClientPlace,
    wish: WantedClientSettings,
  ): { readonly ok: true; readonly planned: readonly PlannedFileChange[] } | ClientRefusal {
    const spec = resolveSpec(place);
    if (spec.namesFolder && wish.gatehouse && (wish.folder ?? null) === null)
      return { ok: false, problem: `Choose the folder that ${spec.name} is to work in: it tells none.` };
    const found = this.#open(spec);
    if (!found.ok) return found;
    const { files, trees } = found.opened;
    const launch = this.#parts.launch(place.id, spec.namesFolder ? (wish.folder ?? null) : null);
    const edits = planEdits(spec, launch, wish, { trees, before: this.#readBefore(place, spec, files) });
    const planned: PlannedFileChange[] = [];
    for (const [name, seen] of files) {
      const { format } = spec.files[name] ?? spec.files.servers;
      const edited = editText(
        format,
        seen.text,
        edits.filter(({ file }) => file === name),
      );
      if (!edited.ok) return { ok: false, problem: `${seen.path}: ${edited.problem}` };
      planned.push({ seen, text: edited.text });
    }
    return { ok: true, planned };
  }
}

function findFolderArgument(launch: Launch | null): string | null {
  const at = launch?.args.indexOf('--workspace') ?? -1;
  return at === -1 ? null : (launch?.args[at + 1] ?? null);
}

const describeSettable = (half: SettingPart): SettableOption =>
  half.kind === 'settable' ? { can: true } : { can: false, why: half.why };

function digestOfPlan(
  { id, only }: ClientPlace,
  wish: WantedClientSettings,
  planned: readonly PlannedFileChange[],
): string {
  const { gatehouse, ownToolsOff, confirmationOff, folder = null } = wish;
  const parts = planned.map(({ seen, text }) => [seen.path, digestConfigFile(seen), text]);
  return createHash('sha256')
    .update(JSON.stringify([id, only, gatehouse, ownToolsOff, confirmationOff, folder, parts]))
    .digest('hex');
}
