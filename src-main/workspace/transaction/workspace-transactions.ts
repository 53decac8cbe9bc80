import { join } from 'node:path';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { JailedPath } from '../../domain/ports/workspace/sandbox.js';
import type {
  JudgedDestination,
  UnrestoredChange,
  StagedRestore,
  StagedWrite,
  WorkspaceTransaction,
  WorkspaceTransactions,
} from '../../domain/ports/workspace/transaction.js';
import { applyCommit, type StagedChange, prepareCommit, type TransactionStores } from './commit.js';
import { failureAt } from './failures.js';
import { sha256 } from '../../platform/digest.js';
import { SerialQueue } from '../../platform/serial-queue.js';
import { ImageStore } from '../images/image-store.js';
import { type TransactionManifest, shownPath, wasKept } from './transaction-manifest.js';
import { ManifestStore } from './manifest-store.js';
import { ConcurrentChanges } from './concurrent-changes.js';
import { findNotRestored, rollBack } from './rollback.js';
import type { ImageSealing } from '../images/image-sealing.js';
import type { TransactionStepHook } from './transaction-steps.js';

export interface TransactionOptions {
  /** Everything is kept under it: `transactions/` for what is under way, `undo/` for what can be taken back. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly imageQuotaBytes: () => number;
  readonly sealing: ImageSealing;
  /**
   * Reports to a person: a file that was left alone because somebody else changed it, a manifest that could not be
   * read.
   */
  readonly onProblem: (message: string) => void;
  /** Tests only. */
  readonly onStep?: TransactionStepHook;
  /** Benchmarks only: false measures what waiting for the disk costs. */
  readonly durable?: boolean;
}

/** The parts that transactions, undo and quarantine share. */
export interface TransactionDeps extends TransactionStores {
  readonly mutex: SerialQueue;
  /** Segments whose images a transaction under way would need. */
  readonly segmentsInUse: Map<string, number>;
  readonly meanwhile: ConcurrentChanges;
  readonly options: TransactionOptions;
  nextOrder(): number;
}

export function createTransactionDeps(options: TransactionOptions): TransactionDeps {
  const disk = { step: options.onStep ?? (() => undefined), durable: options.durable ?? true };
  const images = new ImageStore(join(options.dataDir, 'undo'), options.imageQuotaBytes, disk, options.sealing);
  const manifests = new ManifestStore(join(options.dataDir, 'transactions'), images, disk, options.sealing);
  let order = 0;
  const nextOrder = () => (order += 1);
  const shared = {
    mutex: new SerialQueue(),
    segmentsInUse: new Map<string, number>(),
    meanwhile: new ConcurrentChanges(),
  };
  return { images, manifests, disk, options, nextOrder, ...shared };
}

export function createWorkspaceTransactions(parts: TransactionDeps): WorkspaceTransactions {
  return {
    begin: (callId, mustKeep = false) => new FileTransaction(callId, parts, mustKeep),
    keeps: (size, content) => parts.images.wouldKeep(size, content),
    recover: (wasSettled) => parts.mutex.run(() => recover(parts, wasSettled)),
  };
}

async function recover(
  parts: TransactionDeps,
  wasSettled: (callId: string) => boolean,
): Promise<readonly { readonly callId: string; readonly files: readonly string[] }[]> {
  const { manifests, options } = parts;
  const damaged = (file: string) =>
    options.onProblem(`A record of an unfinished change could not be read and was kept as ${file}.`);
  const rolledBack: { callId: string; files: readonly string[] }[] = [];
  let allDone = true;
  for (const manifest of await manifests.pending(damaged)) {
    try {
      if (wasSettled(manifest.callId)) await manifests.settle(manifest);
      else {
        tellLeftAlone(parts, await rollBack(manifest, parts));
        rolledBack.push({ callId: manifest.callId, files: manifest.files.map(shownPath) });
      }
    } catch (error) {
      allDone = false;
      parts.segmentsInUse.set(manifest.callId, manifest.segment);
      const files = manifest.files.map(shownPath).join(', ');
      options.onProblem(`Could not put back ${files}: ${wordsOf(error)} It is tried again at the next start.`);
    }
  }
  if (allDone) await manifests.removeStraySpares();
  return rolledBack;
}

function tellLeftAlone({ options }: TransactionDeps, files: readonly string[]): void {
  if (files.length === 0) return;
  options.onProblem(`Changed by something else meanwhile, so left as it is: ${files.join(', ')}.`);
}

const wordsOf = (error: unknown) => failureAt('', error).failure.message.replace('Could not change “”: ', '');

class FileTransaction implements WorkspaceTransaction {
  readonly #callId: string;
  readonly #parts: TransactionDeps;
  readonly #mustKeep: boolean;
  readonly #changes = new Map<string, StagedChange>();
  #manifest: TransactionManifest | null = null;
  #state: WorkspaceTransaction['state'] = 'open';
  #made: ReadonlyMap<string, string> = new Map();
  #left: UnrestoredChange | null = null;

  constructor(callId: string, parts: TransactionDeps, mustKeep: boolean) {
    this.#callId = callId;
    this.#parts = parts;
    this.#mustKeep = mustKeep;
  }

  get state(): WorkspaceTransaction['state'] {
    return this.#state;
  }

  get made(): ReadonlyMap<string, string> {
    return this.#made;
  }

  async stageWrite({ path, content, expected, current, judged }: StagedWrite): Promise<void> {
    const wanted = { kind: 'file', content, sha256: sha256(content), mode: null, owner: null } as const;
    this.#stage({
      ...pathFields(path),
      expected: expected === null ? null : { kind: 'file', sha256: expected },
      wanted,
      pruneFolders: 0,
      current: current ?? null,
      access: 'write',
      judged: judged ?? null,
    });
  }

  async stageDelete(path: JailedPath, expected: string, judged?: JudgedDestination): Promise<void> {
    this.#stage({
      ...pathFields(path),
      expected: { kind: 'file', sha256: expected },
      wanted: null,
      pruneFolders: 0,
      current: null,
      access: 'write',
      judged: judged ?? null,
    });
  }

  async stageRestore({ folder, name, wanted, judged, ...how }: StagedRestore): Promise<void> {
    const relative = folder.relative === '' ? name : `${folder.relative}/${name}`;
    const change = {
      root: folder.root,
      relative,
      ...how,
      current: null,
      access: 'read',
      judged: judged ?? null,
    } as const;
    if (wanted?.kind !== 'file') this.#stage({ ...change, wanted });
    else this.#stage({ ...change, wanted: { ...wanted, sha256: sha256(wanted.content) } });
  }

  #stage(change: StagedChange): void {
    if (this.#state !== 'open') throw new Error('the transaction is over');
    const key = `${change.root}\0${change.relative}`;
    if (this.#changes.has(key)) throw new Error(`“${shownPath(change)}” is staged twice`);
    this.#changes.set(key, change);
  }

  async commit(): Promise<readonly ChangedFile[]> {
    return this.#parts.mutex.run(async () => {
      if (this.#state !== 'open') throw new Error('the transaction is over');
      try {
        this.#manifest = await this.#commit();
      } catch (error) {
        this.#state = 'rolled-back';
        throw error;
      }
      this.#state = 'committed';
      return this.#manifest === null ? [] : changedFilesOf(this.#manifest);
    });
  }

  async #commit(): Promise<TransactionManifest | null> {
    if (this.#changes.size === 0) return null;
    const { clock } = this.#parts.options;
    const at = { time: clock.now(), order: this.#parts.nextOrder() };
    const plan = await this.#harmless(() =>
      prepareCommit(this.#callId, [...this.#changes.values()], at, this.#parts, this.#mustKeep),
    );
    this.#changes.clear();
    if (plan === null) return null;
    this.#parts.segmentsInUse.set(this.#callId, plan.manifest.segment);
    await this.#harmless(() => this.#parts.manifests.write(plan.manifest));
    try {
      const { disk, meanwhile } = this.#parts;
      this.#made = await meanwhile.trackWhile(plan.manifest, () => applyCommit(plan.manifest, plan, disk));
    } catch (error) {
      this.#left = await this.#rollBack(plan.manifest);
      throw failureAt('the workspace', error);
    }
    return plan.manifest;
  }

  /** Runs the steps before the workspace is touched: after a failure there is nothing to put back. */
  async #harmless<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What can't be tidied up now harms nobody: recovery finds a manifest of changes that never began.
      await this.#parts.images.discard().catch(() => undefined);
      await this.#parts.manifests.drop(this.#callId).catch(() => undefined);
      this.#parts.segmentsInUse.delete(this.#callId);
      throw failureAt('what is kept for undo', error);
    }
  }

  async rollback(): Promise<UnrestoredChange | null> {
    return this.#parts.mutex.run(async () => {
      this.#changes.clear();
      const manifest = this.#manifest;
      this.#state = 'rolled-back';
      // What could not be put back is not tried again: it is what the result tells of.
      if (this.#left !== null || manifest === null) return this.#left;
      this.#manifest = null;
      this.#left = await this.#rollBack(manifest);
      return this.#left;
    });
  }

  async #rollBack(manifest: TransactionManifest): Promise<UnrestoredChange | null> {
    const { meanwhile, disk, segmentsInUse, options } = this.#parts;
    try {
      const back = () => rollBack(manifest, this.#parts);
      tellLeftAlone(this.#parts, await meanwhile.trackWhile(manifest, back, 'taken-back'));
      segmentsInUse.delete(this.#callId);
      return null;
    } catch (error) {
      const { files, others } = await findNotRestored(manifest, disk);
      const [first, ...more] = [...files.map(shownPath), ...others];
      if (first === undefined) {
        options.onProblem(`All files are as they were, but tidying up after that failed: ${wordsOf(error)}`);
        return null;
      }
      if (files.length > 0) this.#manifest = await this.#onlyOf(manifest, files);
      return { paths: [first, ...more], files: changedFilesOf({ ...manifest, files }), why: wordsOf(error) };
    }
  }

  /**
   * Reduces the manifest to these files. Until the result is settled, a crash leads to another try; then it is the
   * record from which the rest is undone.
   */
  async #onlyOf(manifest: TransactionManifest, files: TransactionManifest['files']): Promise<TransactionManifest> {
    const rest = { ...manifest, files };
    // A command that runs did not make them.
    await this.#parts.meanwhile.trackWhile(rest, async () => undefined);
    try {
      await this.#parts.manifests.write(rest);
      return rest;
    } catch {
      return manifest;
    }
  }

  async settle(): Promise<void> {
    await this.#parts.mutex.run(async () => {
      const manifest = this.#manifest;
      this.#manifest = null;
      if (manifest === null) return;
      try {
        await this.#parts.manifests.settle(manifest);
        this.#parts.segmentsInUse.delete(this.#callId);
        await this.#parts.images.evict(new Set(this.#parts.segmentsInUse.values()));
      } catch (error) {
        // The result is in the journal, so the next start settles what is left here.
        this.#parts.options.onProblem(`Tidying up what is kept for undo failed: ${wordsOf(error)}`);
      }
    });
  }
}

function pathFields(path: JailedPath): { readonly root: string; readonly relative: string; readonly asked: string } {
  return { root: path.root, relative: path.relative, asked: path.asked };
}

/** The note names both reasons: the record says only that the file was not kept. */
const NOT_KEPT_NOTE =
  'It was not kept for undo: it is too large, or holds what looks like a secret and this system has no key store.';

export function changedFilesOf(manifest: TransactionManifest): readonly ChangedFile[] {
  return manifest.files.map((file) => {
    const change = file.before === null ? 'created' : file.after === null ? 'deleted' : 'modified';
    const undoable = wasKept(file.before);
    const note = undoable ? null : NOT_KEPT_NOTE;
    return {
      path: shownPath(file),
      change,
      undoable,
      note,
      ...(file.lines === undefined ? {} : { lines: file.lines }),
    };
  });
}
