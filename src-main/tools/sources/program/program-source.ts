import { resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type { LookUpKey } from '../../../domain/outside/key-destination.js';
import type {
  FindHeldProgram,
  HeldProgramRequest,
  StartHeldProgram,
} from '../../../domain/ports/sources/held-program.js';
import type { CodeInspector, PinnedStart } from '../../../domain/ports/sources/code-inspector.js';
import type {
  MakeSource,
  Offer,
  Source,
  SourceInvocation,
  SourceOptions,
} from '../../../domain/ports/sources/source.js';
import { NOT_PINNED, SourceProblem } from '../../../domain/ports/sources/source.js';
import { resolveProcessTerms } from '../../../domain/tool/terms.js';
import { type ProcessBounds, ToolFailure } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';
import { Listeners } from '../../../platform/listeners.js';
import { resolveInnerFolder } from '../../../platform/reading/inner-folder.js';
import { toCredentialVariable, type ProgramManifest, type FolderAccess } from './program-manifest.js';
import { type ProgramDefinition, readProgramDefinitions, type ProgramDefinitions } from './program-definitions.js';
import { runProgram } from './program-run.js';

export interface ProgramSourceDeps {
  readonly start: StartHeldProgram;
  readonly find: FindHeldProgram;
  readonly code: CodeInspector;
  /** The folder that lasts and is that source’s alone. */
  readonly homeOf: (source: string) => string;
  readonly valueOf: LookUpKey;
  readonly now: () => number;
}

/** Tools that are programs on this computer, each described by a manifest. */
export const createProgramSource =
  (parts: ProgramSourceDeps): MakeSource =>
  (made) =>
    new ProgramSource(parts, made);

interface ProgramOffer {
  readonly digest: string;
  readonly offer: Offer;
  readonly programs: readonly ProgramDefinition[];
  readonly byKey: ReadonlyMap<string, ProgramDefinition>;
  readonly files: ProgramDefinitions['files'];
}

class ProgramSource implements Source {
  readonly kind = 'program';
  readonly name: string;
  readonly #parts: ProgramSourceDeps;
  readonly #made: SourceOptions;
  readonly #listeners = new Listeners();
  #found: ProgramOffer | null = null;
  #problem: string | null = null;

  constructor(parts: ProgramSourceDeps, made: SourceOptions) {
    this.#parts = parts;
    this.#made = made;
    this.name = made.name;
  }

  /** The identity of the source, with its manifests as they were last read. */
  get identity(): JsonObject {
    const { manifest = '', credentials } = this.#made.settings;
    const { files = {}, programs = [] } = this.#found ?? this.#readNow() ?? {};
    // Who is given a key or a network is to be what it was looked at as.
    const reasons = listNotPinned(programs.filter(({ manifest: { permissions } }) => hasGrants(permissions)));
    return {
      kind: this.kind,
      manifest,
      credentials: Object.keys(credentials).toSorted(),
      ...(Object.keys(files).length === 0 ? {} : { files: { ...files } }),
      ...(reasons.length === 0 ? {} : { [NOT_PINNED]: reasons }),
    };
  }

  get notPinned(): readonly string[] {
    return listNotPinned(this.#found?.programs ?? []);
  }

  refreshFiles(): void {
    try {
      this.#readOffer();
    } catch {
      // Whoever asks what it offers is told.
    }
  }

  async offer(): Promise<Offer> {
    const { offer } = this.#readOffer();
    return offer;
  }

  termsFor: Source['termsFor'] = (situation, { pinned }) => {
    const { permissions } = (pinned['manifest'] ?? {}) as Partial<ProgramManifest>;
    const hosts = (permissions?.network ?? []).map(({ host, port }) => (port === undefined ? host : `${host}:${port}`));
    const places = permissions?.filesystem ?? [];
    return {
      process: resolveProcessTerms(situation).process,
      network: hosts.length === 0 ? NO_NETWORK : { reach: 'hosts', hosts, by: 'settings' },
      paths: places.some(({ mode }) => mode === 'rw') ? 'change' : places.length > 0 ? 'read' : 'none',
      secrets: this.#listReferences(permissions).map(([, reference]) => reference.replace(/^(?:secret|env):/u, '')),
    };
  };

  bounds: NonNullable<Source['bounds']> = ({ pinned }) =>
    readBounds((pinned['manifest'] ?? {}) as Partial<ProgramManifest>);

  async call(invocation: SourceInvocation): ReturnType<Source['call']> {
    const { operation, args, signal, folder, timeoutMs, config, terms } = invocation;
    const found = this.#readOfferForCall();
    const program = found.byKey.get(programKey(operation));
    // What runs is what was accepted, and not what stands there by now.
    if (program === undefined || digestJson(program.offered.pinned) !== digestJson(operation.pinned))
      invocation.stillAccepted(found.offer);
    if (program === undefined)
      throw new ToolFailure({ code: 'SourceUnavailable', message: 'Its manifest is gone.', eCode: 'E3306' });
    if (terms.process === null) throw new Error('A program has terms of a process.');
    signal.throwIfAborted();
    const { manifest } = program;
    const line = {
      parameters: args,
      context: {
        invocation_id: invocation.callId,
        tool_id: manifest.tool_id,
        version: manifest.version,
        deadline_ms: this.#parts.now() + timeoutMs,
        documents: {},
        resume: null,
      },
    };
    const code = await this.#pinCode(program, terms.process.held === 'confined', folder);
    const missing = (manifest.permissions?.credentials ?? []).filter((name) => !this.#hasCredential(name));
    const answer = await runProgram(
      this.#parts.start,
      {
        startedFor: this.name,
        command: code.command,
        args: code.args,
        workingDirectory: code.cwd,
        home: this.#parts.homeOf(this.name),
        copies: code.copies,
        ...resolveAccess(folder, program.places, code.reads),
        ...resolveLimits(manifest, timeoutMs, invocation.limits),
        environment: this.#buildEnvironment(manifest, program.places.length > 0 ? folder : null),
        process: terms.process,
        network: terms.network,
        side: true,
        config,
      },
      `${JSON.stringify(line)}\n`,
      invocation,
    );
    const notGiven = missing.map((name) => `The credential ${name} is not in your settings, and was not given.`);
    return { ...answer, warnings: [...answer.warnings, ...notGiven] };
  }

  state(): ReturnType<Source['state']> {
    const running = this.#problem !== null ? 'failed' : this.#found === null ? 'unknown' : 'running';
    return { running, problem: this.#problem, complaints: '', confinement: null };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {}

  #readOffer(): ProgramOffer {
    const read = this.#readNow();
    if (read === null) {
      const path = this.#path;
      const problem = `There is no manifest, nor a folder of up to 1,000 files, at ${path}.`;
      this.#setProblem(problem);
      throw new SourceProblem('refused', problem);
    }
    this.#setProblem(null);
    const { programs, refused, files } = read;
    const offer: Offer = { ownName: null, operations: programs.map(({ offered }) => offered), refused };
    const digest = digestJson([
      programs.map(({ offered, code }) => [offered.pinned, code.notPinned.map(({ words }) => words)]),
      refused.map((each) => ({ ...each })),
      { ...files },
    ]);
    if (this.#found?.digest === digest) return this.#found;
    const byKey = new Map<string, ProgramDefinition>();
    // The first of one id and version stays.
    for (const program of programs)
      if (!byKey.has(programKey(program.offered))) byKey.set(programKey(program.offered), program);
    this.#found = { digest, offer, programs, byKey, files };
    return this.#found;
  }

  get #path(): string {
    return resolve(this.#made.dataFolder, this.#made.settings.manifest ?? '');
  }

  #readNow(): ProgramDefinitions | null {
    const { code, find } = this.#parts;
    return readProgramDefinitions(this.#path, this.name, { look: (words) => code.inspect(words), find });
  }

  async #pinCode({ code }: ProgramDefinition, isConfined: boolean, folder: string | null): Promise<PinnedStart> {
    try {
      return await this.#parts.code.prepareStart(code, { isConfined, folder });
    } catch (error) {
      const message = `What it runs could not be kept: ${error instanceof Error ? error.message : ''} Nothing was started.`;
      throw new ToolFailure({ code: 'SourceUnavailable', message, eCode: 'E3101' });
    }
  }

  #readOfferForCall(): ProgramOffer {
    try {
      return this.#readOffer();
    } catch (error) {
      const message = error instanceof Error ? error.message : 'Its manifest can’t be read.';
      throw new ToolFailure({ code: 'SourceUnavailable', message, eCode: 'E3306' });
    }
  }

  #hasCredential(name: string): boolean {
    return Object.hasOwn(this.#made.settings.credentials, name);
  }

  /** References to the keys that the settings give, of those that a manifest asks for. */
  #listReferences(
    permissions: ProgramManifest['permissions'],
  ): readonly (readonly [name: string, reference: string])[] {
    const { credentials } = this.#made.settings;
    return (permissions?.credentials ?? []).flatMap((name) => {
      const reference = this.#hasCredential(name) ? credentials[name] : undefined;
      return reference === undefined ? [] : [[name, reference] as const];
    });
  }

  #buildEnvironment({ permissions }: ProgramManifest, folder: string | null): Readonly<Record<string, string>> {
    const given = this.#listReferences(permissions).map(([name, reference]) => {
      const found = this.#parts.valueOf(reference, this.name);
      if ('problem' in found)
        throw new ToolFailure({
          code: 'ExecutionFailed',
          message: `The credential ${name} is to be ${reference}. ${found.problem}. Nothing was started.`,
          eCode: 'E3302',
        });
      return [toCredentialVariable(name), found.value] as const;
    });
    return { ...Object.fromEntries(given), ...(folder === null ? {} : { GATEHOUSE_WORKSPACE: folder }) };
  }

  #setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#listeners.tell();
  }
}

const hasGrants = (permissions: ProgramManifest['permissions']): boolean =>
  (permissions?.credentials?.length ?? 0) + (permissions?.network?.length ?? 0) > 0;

const listNotPinned = (programs: readonly ProgramDefinition[]): string[] =>
  programs.flatMap(({ manifest, code }) => code.notPinned.map(({ words }) => `${manifest.tool_id}: ${words}`));

const programKey = ({ toolId, version }: { readonly toolId: string | null; readonly version: string }): string =>
  `${toolId ?? ''}@${version}`;

/**
 * The places that a program may read besides the machine's own programs: its own folder, and of the open folder what
 * its manifest says.
 */
function resolveAccess(
  folder: string | null,
  places: readonly FolderAccess[],
  own: readonly string[],
): Pick<HeldProgramRequest, 'folder' | 'reads'> {
  const refuse = (message: string) => new ToolFailure({ code: 'ExecutionFailed', message, eCode: 'E3108' });
  if (places.length > 0 && folder === null)
    throw refuse('It works in the open folder, and none is open. Nothing was started.');
  const found = places.map(({ path, mode }) => {
    const real = folder === null ? null : resolveInnerFolder(folder, path);
    if (real === null)
      throw refuse(
        `There is no ${path === '' ? 'open folder' : `“${path}” in the open folder`}, or it leads out of it. Nothing was started.`,
      );
    return { path: real, mode };
  });
  const access = (mode: FolderAccess['mode']) => (mode === 'rw' ? 'write' : 'read');
  const holds = (outer: string, path: string): boolean => path === outer || path.startsWith(`${outer}/`);
  // A path that holds the others is the folder; else the one that it may write to, or the first that it reads.
  const outer = found.find(({ path }) => found.every((each) => holds(path, each.path)));
  const main = outer ?? found.find(({ mode }) => mode === 'rw') ?? found[0];
  if (main === undefined) return { folder: null, reads: own };
  const inner = found.filter(({ path }) => path !== main.path && holds(main.path, path));
  const parts = inner.map(({ path, mode }) => ({ path, access: access(mode) }) as const);
  const read = found.filter((each) => each.mode === 'ro' && !holds(main.path, each.path)).map(({ path }) => path);
  return { folder: { path: main.path, access: access(main.mode), parts }, reads: [...own, ...read] };
}

const MILLI = 1000;

const readBounds = ({ execution_config: execution }: Partial<ProgramManifest>): Required<ProcessBounds> => {
  const { default_memory_mb_limit: memory, default_cpu_millicore_limit: cpu } = execution ?? {};
  return { memoryBytes: memory === undefined ? null : memory * 2 ** 20, cpuMillicores: cpu ?? null };
};

const lowerBound = (one: number | null, other: number | undefined): number | null =>
  one === null || other === undefined ? (one ?? other ?? null) : Math.min(one, other);

function resolveLimits(manifest: ProgramManifest, timeoutMs: number, wanted: SourceInvocation['limits']) {
  const bounds = readBounds(manifest);
  const cpu = lowerBound(bounds.cpuMillicores, wanted.cpuMillicores);
  return {
    memoryBytes: lowerBound(bounds.memoryBytes, wanted.memoryBytes),
    // So much of one core, for as long as it may run.
    cpuSeconds: cpu === null ? null : Math.max(1, Math.ceil((cpu / MILLI) * (timeoutMs / MILLI))),
  };
}
