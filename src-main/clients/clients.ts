import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  ClientId,
  ClientPreview,
  ClientView,
  WantedClientSettings,
  SettableOption,
} from '#contract/window/clients.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { StartCommand } from '../domain/ports/started-command.js';
import { TEST_CALL_VARIABLE } from '../domain/tool/test-call.js';
import { temporaryFolder } from '../platform/files/small-file.js';
import { askClient, type ClientToolReport } from './asking/ask-client.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { editText, parseText } from './editing/edit-text.js';
import { type ConfigFile, openConfigFile, replaceConfigFile, digestConfigFile } from './files/config-file.js';
import { digestBytes, type StoredUndo, type ClientUndoStore } from './files/client-undo-store.js';
import { hasProgram, pathExists, findProgram, type UserEnvironment } from './files/user-environment.js';
import { describeReach } from './reach.js';
import type { ClientSpec, FileName, SettingPart, Launch } from './table/spec.js';
import { CLIENTS, getClientSpec } from './table/table.js';
import { findEntry, isPartApplied, type SettingsTrees, planEdits } from './plan-edits.js';

export interface ClientsDeps {
  readonly around: UserEnvironment;
  /** The command line by which an agent of that name starts Gatehouse. */
  readonly launch: (agent: string, folder: string | null) => Launch;
  readonly undo: ClientUndoStore;
}

type ClientRefusal = { readonly ok: false; readonly problem: string };
export type PreviewResult = { readonly ok: true; readonly preview: ClientPreview } | ClientRefusal;
export type ClientWriteResult = { readonly ok: true } | (ClientRefusal & { readonly stale: boolean });

interface OpenedClientFiles {
  readonly files: ReadonlyMap<FileName, ConfigFile>;
  readonly trees: SettingsTrees;
}

interface PlannedFileChange {
  readonly seen: ConfigFile;
  readonly text: string;
}

/** The programs on this computer that can be given Gatehouse’s tools, and their settings. */
export class Clients {
  readonly #parts: ClientsDeps;

  constructor(parts: ClientsDeps) {
    this.#parts = parts;
  }

  list(): readonly ClientView[] {
    return CLIENTS.map((spec) => this.view(spec.id));
  }

  view(id: ClientId): ClientView {
    const spec = getClientSpec(id);
    const opened = this.#open(spec);
    const trees = opened.ok ? opened.opened.trees : {};
    const entry = findEntry(spec, trees);
    const connected = isJsonObject(entry) && !spec.isOff(entry);
    return {
      id,
      name: spec.name,
      installed: this.#isInstalled(spec),
      files: opened.ok
        ? [...opened.opened.files.values()].map(({ path, real }) => ({ path, leadsTo: real === path ? null : real }))
        : [],
      now: {
        gatehouse: connected,
        ownToolsOff: isPartApplied(spec.ownTools, trees),
        confirmationOff: isPartApplied(spec.confirmation, trees),
      },
      namesFolder: spec.namesFolder,
      folder: findFolderArgument(entry === undefined ? null : spec.launchOf(entry)),
      otherwise: entry !== undefined && !(connected && this.#isOurs(id, spec.launchOf(entry))),
      ownTools: describeSettable(spec.ownTools),
      confirmation: describeSettable(spec.confirmation),
      reach: connected ? describeReach(spec, trees) : null,
      undoable: this.#undoOf(id) !== null,
      tried: spec.tried,
      afterwards: spec.afterwards,
      problem: opened.ok ? null : opened.problem,
    };
  }

  /** Previews the change: what would be written, and nothing else is. */
  preview(id: ClientId, wish: WantedClientSettings): PreviewResult {
    const planned = this.#plan(id, wish);
    if (!planned.ok) return planned;
    return {
      ok: true,
      preview: { digest: digestOfPlan(id, wish, planned.planned), files: planned.planned.flatMap(buildFileEffects) },
    };
  }

  write(id: ClientId, wish: WantedClientSettings, digest: string): ClientWriteResult {
    const found = this.#plan(id, wish);
    if (!found.ok) return { ...found, stale: false };
    const { planned } = found;
    if (digestOfPlan(id, wish, planned) !== digest)
      return {
        ok: false,
        stale: true,
        problem: 'The settings have changed meanwhile. Here is the change as it is now.',
      };
    const changes = planned.filter(({ seen, text }) => text !== seen.text);
    const done: PlannedFileChange[] = [];
    for (const change of changes) {
      const problem = replaceConfigFile(change.seen, Buffer.from(change.text));
      if (problem === null) done.push(change);
      else return { ok: false, stale: false, problem: `${problem}${restoreFiles(done)}` };
    }
    if (done.length > 0) this.#parts.undo.keep(id, buildUndo(done));
    return { ok: true };
  }

  /** Puts everything back as it was before the last change, to the byte. */
  undo(id: ClientId): ClientWriteResult {
    const kept = this.#undoOf(id);
    if (kept === null)
      return {
        ok: false,
        stale: true,
        problem: 'The settings have changed since. Clear the checkboxes instead, and look at the change.',
      };
    for (const { path, before } of kept.files) {
      const found = openConfigFile(path);
      const problem = found.ok
        ? replaceConfigFile(found.file, before === null ? null : Buffer.from(before, 'base64'))
        : found.problem;
      if (problem !== null) return { ok: false, stale: false, problem };
    }
    this.#parts.undo.forget(id);
    return { ok: true };
  }

  /** The command line in its settings now; null where there is none, or one that starts something else. */
  launchOf(id: ClientId): Launch | null {
    const spec = getClientSpec(id);
    const found = this.#open(spec);
    const entry = found.ok ? findEntry(spec, found.opened.trees) : undefined;
    const launch = entry === undefined ? null : spec.launchOf(entry);
    return this.#isOurs(id, launch) ? launch : null;
  }

  /** Starts the client itself, and reads which tools its model gets; null where it can't be asked. */
  async ask(
    id: ClientId,
    { start, word, patienceMs }: { readonly start: StartCommand; readonly word: string; readonly patienceMs: number },
  ): Promise<ClientToolReport | null> {
    const { asks, programs } = getClientSpec(id);
    const { around } = this.#parts;
    const program = programs.map((name) => findProgram(name, around)).find((path) => path !== null) ?? null;
    if (asks === null || program === null) return null;
    // Nowhere in particular: a folder's settings say what they say there.
    const place = temporaryFolder('gatehouse-asking-');
    const environment = Object.fromEntries(
      Object.entries(around.environment).filter((each): each is [string, string] => each[1] !== undefined),
    );
    try {
      return await askClient(asks, {
        start,
        program,
        folder: place.path,
        environment: { ...environment, [TEST_CALL_VARIABLE]: word },
        patienceMs,
      });
    } finally {
      place.remove();
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

  /** The kept undo, only while every file is still as it was written. */
  #undoOf(id: ClientId): StoredUndo | null {
    const kept = this.#parts.undo.get(id);
    const stands = kept?.files.every(({ path, after }) => {
      const found = openConfigFile(path);
      return found.ok && found.file.bytes !== null && digestBytes(found.file.bytes) === after;
    });
    return stands === true ? kept : null;
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
    id: ClientId,
    wish: WantedClientSettings,
  ): { readonly ok: true; readonly planned: readonly PlannedFileChange[] } | ClientRefusal {
    const spec = getClientSpec(id);
    if (spec.namesFolder && wish.gatehouse && (wish.folder ?? null) === null)
      return { ok: false, problem: `Choose the folder that ${spec.name} is to work in: it tells none.` };
    const found = this.#open(spec);
    if (!found.ok) return found;
    const { files, trees } = found.opened;
    const edits = planEdits(spec, this.#parts.launch(id, spec.namesFolder ? (wish.folder ?? null) : null), wish, trees);
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

function digestOfPlan(id: ClientId, wish: WantedClientSettings, planned: readonly PlannedFileChange[]): string {
  const { gatehouse, ownToolsOff, confirmationOff, folder = null } = wish;
  const parts = planned.map(({ seen, text }) => [seen.path, digestConfigFile(seen), text]);
  return createHash('sha256')
    .update(JSON.stringify([id, gatehouse, ownToolsOff, confirmationOff, folder, parts]))
    .digest('hex');
}

function buildFileEffects({
  seen: { path, real, bytes, text: before },
  text,
}: PlannedFileChange): readonly FileEffect[] {
  if (before === text) return [];
  return [
    {
      path,
      change: bytes === null ? 'created' : 'modified',
      before: bytes === null ? null : before,
      after: text,
      note: real === path ? null : `It is a link to ${real}, which is changed.`,
    },
  ];
}

const buildUndo = (done: readonly PlannedFileChange[]): StoredUndo => ({
  files: done.map(({ seen, text }) => ({
    path: seen.path,
    before: seen.bytes?.toString('base64') ?? null,
    after: digestBytes(Buffer.from(text)),
  })),
});

/** Puts files back to what they were, when another of them could not be written. */
function restoreFiles(done: readonly PlannedFileChange[]): string {
  const stuck = done.flatMap(({ seen }) => {
    const found = openConfigFile(seen.path);
    const problem = found.ok ? replaceConfigFile(found.file, seen.bytes) : found.problem;
    return problem === null ? [] : [problem];
  });
  return stuck.length === 0 ? '' : ` ${stuck.join(' ')}`;
}
