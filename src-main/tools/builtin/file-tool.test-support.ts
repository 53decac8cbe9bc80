import { testSealing } from '../../workspace/images/sealing.test-support.js';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ReadLog, ReadRecord } from '../../domain/ports/workspace/read-log.js';
import {
  type FindsSecrets,
  type Tool,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
} from '../../domain/tool/tool.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { compileJsonValidator } from '../../platform/json-schema.js';
import { unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';
import { PathJail } from '../../workspace/sandbox/path-jail.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../workspace/transaction/workspace-transactions.js';

/** The real means. */
export const findsSecrets: FindsSecrets = (content) => redactor.finds(content);
const redactor = openTestRedactor();

const DEFAULTS = fileURLToPath(new URL('../../../resources/default-config.toml', import.meta.url));

export const defaultConfig = (): Config => parse(readFileSync(DEFAULTS, 'utf8')) as unknown as Config;

export class MemoryReadLog implements ReadLog {
  readonly records = new Map<string, ReadRecord>();

  record(path: string, sha256: string): void {
    this.records.set(path, { path, sha256, readAt: this.records.size });
  }

  lookup(path: string): ReadRecord | null {
    return this.records.get(path) ?? null;
  }
}

export interface CallLimits {
  readonly outputLimit?: number;
  readonly capacityBytes?: number;
  readonly signal?: AbortSignal;
}

export type CallResult =
  | { readonly ok: true; readonly output: ToolOutput; readonly changed: readonly ChangedFile[] }
  | { readonly ok: false; readonly failure: Failure };

/** A workspace on disk with the real jail and the real transactions, on which file tools are called as the gate calls them. */
export class FileToolBench implements AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly jail: PathJail;
  readonly config: Config;
  readonly readLog = new MemoryReadLog();
  /** Problems that transactions told the person. */
  readonly problems: string[] = [];
  readonly #parts;
  #calls = 0;

  private constructor(base: string, root: string, jail: PathJail, config: Config) {
    this.base = base;
    this.root = root;
    this.jail = jail;
    this.config = config;
    this.#parts = createTransactionDeps({
      sealing: testSealing(),
      dataDir: join(base, 'data'),
      clock: { now: () => 1_700_000_000_000, monotonic: () => 0 },
      imageQuotaBytes: () => 2 ** 30,
      onProblem: (problem) => this.problems.push(problem),
      durable: false,
    });
  }

  static async create(adjust: (config: Config) => Config = (config) => config): Promise<FileToolBench> {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'file-tool-')));
    const root = join(base, 'workspace');
    await mkdir(root);
    const config = adjust(defaultConfig());
    return new FileToolBench(base, root, await PathJail.create(root, config.tools.sandbox), config);
  }

  /** Schema, parse, preflight, execute, schema again, commit: what the gate does, without asking anybody. */
  async call<Args>(tool: Tool<Args>, args: JsonObject, limits: CallLimits = {}): Promise<CallResult> {
    const checked = compileJsonValidator(tool.declaration.inputSchema)(args);
    if (!checked.ok) {
      return {
        ok: false,
        failure: { code: 'BadArgs', message: checked.problems.map((one) => one.message).join('; ') },
      };
    }
    this.#calls += 1;
    const transaction = createWorkspaceTransactions(this.#parts).begin(`call-${this.#calls}`);
    const max = this.config.tools.output.max_bytes;
    const context = {
      callId: `call-${this.#calls}`,
      sandbox: this.jail,
      transaction,
      commands: {
        run: () => Promise.reject(new Error('file tools run no commands')),
      },
      readLog: this.readLog,
      findsSecrets,
      config: this.config,
      signal: limits.signal ?? new AbortController().signal,
      outputLimit: limits.outputLimit ?? Math.min(max, limits.capacityBytes ?? max),
      capacityBytes: limits.capacityBytes ?? max,
      timeoutMs: 30_000,
      network: [],
      writesGit: false,
      byPerson: false,
      byRule: null,
      emit: () => Promise.resolve(),
      onCommandEvent: () => undefined,
    } satisfies ToolContext<'files'> & ToolContext<'command'>;
    try {
      const parsed = tool.parse(args);
      const understood = (await tool.understand?.(parsed, context, null)) ?? null;
      await tool.preflight(parsed, context, understood);
      const output = await tool.execute(parsed, context, understood);
      const valid = compileJsonValidator(tool.declaration.outputSchema)(output.structured);
      if (!valid.ok) throw new Error(`${tool.declaration.name}: ${JSON.stringify(valid.problems)}`);
      const changed = await transaction.commit();
      await transaction.settle();
      return { ok: true, output, changed };
    } catch (error) {
      await transaction.rollback();
      if (error instanceof ToolFailure) return { ok: false, failure: error.failure };
      throw error;
    }
  }

  async content<Args>(tool: Tool<Args>, args: JsonObject, limits?: CallLimits): Promise<string> {
    const result = await this.call(tool, args, limits);
    if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
    return result.output.content;
  }

  /** 'ok', or the code of the failure. */
  async code<Args>(tool: Tool<Args>, args: JsonObject, limits?: CallLimits): Promise<string> {
    const result = await this.call(tool, args, limits);
    return result.ok ? 'ok' : result.failure.code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await unpatchedFsPromises.rm(this.base, { recursive: true, force: true });
  }
}
