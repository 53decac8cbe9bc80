import { testSealing } from '../images/sealing.test-support.js';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ImageSealing } from '../images/image-sealing.js';
import type { UndoStore } from '../../domain/ports/workspace/undo-store.js';
import type { WorkspaceTransaction, WorkspaceTransactions } from '../../domain/ports/workspace/transaction.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { systemClock } from '../../platform/clock.js';
import { unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';
import { PathJail } from '../sandbox/path-jail.js';
import { sha256 } from '../../platform/digest.js';
import type { TransactionStepHook } from './transaction-steps.js';
import { createUndoStore } from '../undo/undo-store.js';
import { createTransactionDeps, createWorkspaceTransactions, type TransactionDeps } from './workspace-transactions.js';

// What rights new files have is part of what is compared; people have different habits there.
process.umask(0o022);

const SANDBOX = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };

export interface BenchOptions {
  readonly dataDir?: string;
  readonly workspace?: string;
  readonly durable?: boolean;
}

/** A workspace and a data folder of its own, with the real jail over it. */
export class Bench {
  readonly base: string;
  readonly workspace: string;
  readonly dataDir: string;
  readonly jail: PathJail;
  readonly problems: string[] = [];
  step: TransactionStepHook = () => undefined;
  quota = 2 ** 31;
  /** A restart forgets the run's key. */
  sealing: ImageSealing = testSealing();
  parts: TransactionDeps;
  transactions: WorkspaceTransactions;
  undo: UndoStore;

  /** Whether to wait for the disk. What a killed process wrote is there without that, so most tests don't. */
  readonly durable: boolean;

  private constructor(base: string, jail: PathJail, { dataDir = join(base, 'data'), durable = false }: BenchOptions) {
    this.base = base;
    this.durable = durable;
    this.workspace = jail.workingDirectory;
    this.dataDir = dataDir;
    this.jail = jail;
    this.parts = this.#makeParts();
    this.transactions = createWorkspaceTransactions(this.parts);
    this.undo = createUndoStore(this.parts);
  }

  static async create(options: BenchOptions = {}): Promise<Bench> {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-')));
    await mkdir(join(base, 'workspace'));
    return Bench.at(base, options);
  }

  /** A bench on folders that exist already: what another process left. */
  static async at(base: string, options: BenchOptions = {}): Promise<Bench> {
    return new Bench(base, await PathJail.create(options.workspace ?? join(base, 'workspace'), SANDBOX), options);
  }

  /** Makes everything anew, as after a restart: nothing is left in memory. */
  restart(): void {
    this.parts = this.#makeParts();
    this.transactions = createWorkspaceTransactions(this.parts);
    this.undo = createUndoStore(this.parts);
  }

  async dispose(): Promise<void> {
    await rm(this.base, { recursive: true, force: true });
  }

  async write(files: FileTree): Promise<void> {
    for (const [path, { content, mode }] of Object.entries(files)) {
      const file = join(this.workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      await chmod(file, mode);
    }
  }

  async stageWrite(
    transaction: WorkspaceTransaction,
    path: string,
    content: string | Buffer,
    before: string | Buffer | null,
  ): Promise<void> {
    const expected = before === null ? null : sha256(Buffer.from(before));
    await transaction.stageWrite({ path: await this.jail.validate(path), content: Buffer.from(content), expected });
  }

  async stageDelete(transaction: WorkspaceTransaction, path: string, before: string | Buffer): Promise<void> {
    await transaction.stageDelete(await this.jail.validate(path), sha256(Buffer.from(before)));
  }

  /** A transaction with these changes staged. */
  async begin(callId: string, changes: TreeChanges): Promise<WorkspaceTransaction> {
    const transaction = this.transactions.begin(callId);
    for (const [path, [before, after]] of Object.entries(changes)) {
      if (after !== null) await this.stageWrite(transaction, path, after, before);
      else if (before !== null) await this.stageDelete(transaction, path, before);
    }
    return transaction;
  }

  /** A whole call: staged, committed, settled. */
  async change(callId: string, changes: TreeChanges) {
    const transaction = await this.begin(callId, changes);
    const changed = await transaction.commit();
    await transaction.settle();
    return changed;
  }

  async undoCall(callId: string, undoes: string, paths: readonly string[] | null = null) {
    const transaction = this.transactions.begin(callId);
    const undone = await this.undo.stage({ of: [{ callId: undoes, paths }], sandbox: this.jail, transaction });
    await transaction.commit();
    await transaction.settle();
    return undone;
  }

  async tree(): Promise<Readonly<Record<string, string>>> {
    return treeOf(this.workspace);
  }

  /** The files that crash recovery has left of its own. */
  async pending(): Promise<readonly string[]> {
    return readdir(join(this.dataDir, 'transactions')).catch(() => []);
  }

  #makeParts(): TransactionDeps {
    return createTransactionDeps({
      sealing: this.sealing,
      dataDir: this.dataDir,
      clock: systemClock,
      imageQuotaBytes: () => this.quota,
      onProblem: (message) => this.problems.push(message),
      durable: this.durable,
      onStep: (step, subject) => this.step(step, subject),
    });
  }
}

/** The content of each path before and after; null: nothing. */
export type TreeChanges = Readonly<Record<string, readonly [before: string | null, after: string | null]>>;

export type FileTree = Readonly<Record<string, { readonly content: string | Buffer; readonly mode: number }>>;

/** Every name below a folder with its kind, mode, owner (counted from us: 0:0 is ours) and bytes: equal means nothing differs. */
export async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  // A file called x.asar is a file here.
  const { lstat, readdir: list, readFile, readlink } = unpatchedFsPromises;
  const tree: Record<string, string> = {};
  for (const entry of await list(folder, { recursive: true })) {
    const path = join(folder, entry);
    const facts = await lstat(path);
    if (facts.isSymbolicLink()) tree[entry] = `link ${await readlink(path)}`;
    else if (facts.isDirectory()) tree[entry] = 'folder';
    else
      tree[entry] =
        `${(facts.mode & 0o7777).toString(8)} ${facts.uid - OUR_UID}:${facts.gid - OUR_GID} ${(await readFile(path)).toString('latin1')}`;
  }
  return tree;
}

const OUR_UID = process.getuid?.() ?? 0;
const OUR_GID = process.getgid?.() ?? 0;
/** Whether tests may do what only root may: mount a small disk, give a file away. */
export const isRoot = OUR_UID === 0;

export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure;
    throw error;
  }
  throw new Error('it did not fail');
}
