import type { LookUpKey } from '../../../../domain/outside/key-destination.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type {
  FindHeldProgram,
  HeldProgram,
  HeldProgramRequest,
  StartHeldProgram,
} from '../../../../domain/ports/sources/held-program.js';
import type { InspectedCode, CodeInspector, LaunchRequest } from '../../../../domain/ports/sources/code-inspector.js';
import type { InstalledPackage, Packages } from '../../../../domain/ports/sources/packages.js';
import {
  NOT_PINNED,
  type SourceOptions,
  SourceProblem,
  type AcceptanceState,
} from '../../../../domain/ports/sources/source.js';
import type { ProcessTerms, ToolTerms } from '../../../../domain/tool/terms.js';
import { digestJson } from '../../../../platform/digest.js';
import {
  resolveEnvironment,
  buildIdentity,
  readPlainEnvironment,
  resolveProgram,
  listSecretNames,
  resolveStartCommand,
} from '../mcp-settings.js';
import { StartedPackage } from '../started-package.js';

export interface ProgramStartDeps {
  readonly start: StartHeldProgram;
  readonly find: FindHeldProgram;
  readonly packages: Packages;
  readonly code: CodeInspector;
  readonly homeOf: (source: string) => string;
  /** The value of `secret:<name>` or `env:<variable>`, for what is started for that source. */
  readonly valueOf: LookUpKey;
  readonly clock: { monotonic(): number };
}

export interface StartRequest {
  readonly folder: string | null;
  readonly process: ProcessTerms;
  readonly config: Config;
  readonly terms: Pick<ToolTerms, 'network' | 'paths'>;
  readonly as: AcceptanceState;
  /** The stamp of what was judged: nothing else gets what is given to it. */
  readonly stamp: string;
}

/** A local server: what it is started by, what of that is accepted, and its start on the very same. */
export class ProgramStart {
  readonly package: StartedPackage;
  readonly #made: SourceOptions;
  readonly #parts: ProgramStartDeps;
  #looked: { readonly code: InspectedCode; readonly at: number } | null = null;

  constructor(
    made: SourceOptions,
    parts: ProgramStartDeps,
    onNewer: () => void,
    fetched: InstalledPackage | null = null,
  ) {
    this.#made = made;
    this.#parts = parts;
    this.package = new StartedPackage(made, parts.packages, onNewer, fetched);
  }

  /** The identity of the server; for a package, once it was fetched, with what was fetched. */
  get identity(): JsonObject {
    const { settings } = this.#made;
    const identity = buildIdentity(settings, this.package.installed);
    if (settings.command === undefined) return identity;
    const { files, notPinned } = this.#currentCode();
    const isGiven = listSecretNames(settings).length + settings.network.length > 0;
    return {
      ...identity,
      ...resolveProgram(this.#parts.find, this.#made, this.package.isFetched),
      ...(Object.keys(files).length === 0 ? {} : { files: { ...files } }),
      ...(notPinned.length === 0 || !isGiven ? {} : { [NOT_PINNED]: notPinned.map(({ words }) => words) }),
    };
  }

  get notPinned(): readonly string[] {
    return this.#made.settings.command === undefined ? [] : this.#currentCode().notPinned.map(({ words }) => words);
  }

  /** A digest of what would run: it changes with it. */
  get stamp(): string {
    return this.#made.settings.command === undefined ? '' : computeStamp(this.#currentCode());
  }

  lookAgain(): void {
    this.#looked = null;
  }

  async start({ folder, process, config, terms, as, stamp }: StartRequest): Promise<HeldProgram> {
    const isOnlyLookedAt = as === 'looked-at';
    const started = await this.package.resolveCommand({ process, config });
    const now = this.#currentCode();
    if (!isOnlyLookedAt && computeStamp(now) !== stamp)
      throw new SourceProblem('failed', `What “${this.#made.name}” is started from changed meanwhile.`);
    const place = isOnlyLookedAt ? null : toFolderAccess(folder, terms.paths);
    const code = await this.#parts.code.prepareStart(now, {
      isConfined: process.held === 'confined',
      folder: place?.path ?? null,
    });
    const { installed } = this.package;
    return await this.#parts.start({
      startedFor: this.#made.name,
      command: started?.command ?? code.command,
      args: code.args,
      workingDirectory: code.cwd,
      // Nothing that another than was accepted leaves there is found by the one that was.
      home: as === 'accepted' ? this.#parts.homeOf(this.#made.name) : null,
      environment: isOnlyLookedAt
        ? readPlainEnvironment(this.#made.settings)
        : resolveEnvironment(this.#made, this.#parts.valueOf),
      process,
      network: isOnlyLookedAt ? NO_NETWORK : terms.network,
      folder: place,
      reads: [...code.reads, ...(installed === null ? [] : [installed.folder])],
      copies: code.copies,
      memoryBytes: null,
      cpuSeconds: null,
      side: false,
      config,
    });
  }

  /**
   * The server's code, cached for a moment: showing it need not read every file each time; a call has it read again.
   */
  #currentCode(): InspectedCode {
    const now = this.#parts.clock.monotonic();
    if (this.#looked === null || now - this.#looked.at > CODE_FRESH_MS)
      this.#looked = { code: this.#parts.code.inspect(this.#startWords()), at: now };
    return this.#looked.code;
  }

  /**
   * The words that the server is started with. A package's own files are known by their integrity; other files that it
   * is given are checked as everybody’s.
   */
  #startWords(): LaunchRequest {
    const { settings } = this.#made;
    const words = resolveStartCommand(this.#made);
    const environment = readPlainEnvironment(settings);
    return { ...words, args: this.package.args ?? words.args, environment, seesFolder: settings.filesystem !== 'none' };
  }
}

const computeStamp = ({ files }: InspectedCode): string => digestJson({ ...files });

const CODE_FRESH_MS = 1000;

const toFolderAccess = (folder: string | null, paths: StartRequest['terms']['paths']): HeldProgramRequest['folder'] =>
  folder === null || paths === 'none' ? null : { path: folder, access: paths === 'read' ? 'read' : 'write' };
