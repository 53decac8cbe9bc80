import type { HeldProgram } from '../../domain/ports/sources/held-program.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import {
  type RunningWorker,
  type WorkerIsolation,
  type WorkerPlan,
  WorkerProblem,
  type WorkerRunner,
} from '../../domain/ports/sources/worker.js';
import { REDACTED } from '../../domain/text/redact.js';
import type { Availability } from '../confinement/availability.js';
import { enforceableLimits } from '../ending/command-group.js';
import { commandEnvironment } from '../environment/environment.js';
import { buildSearchPath } from '../environment/search-path.js';
import { isExecutable } from '../environment/system-files.js';
import { startRecorded } from '../programs/start-recorded.js';
import { createProgramPlaces } from '../programs/program-places.js';
import { openRunningList } from '../programs/running-list.js';
import { findPerl } from '../proxy/bridge.js';
import { openFilteringProxy } from '../proxy/filtering-proxy.js';
import { SUPERVISOR_SHELLS } from '../start/supervisor.js';
import { CONFINED_PORT, type ConfinedStart, startConfined } from './confined-worker.js';
import { containerLabel, removeAtAppEnd } from './container-removal.js';
import { readImageId, findOrBuildImage } from './container-image.js';
import { startContainer } from './container-worker.js';
import { type ContainerEngine, findEngine, type FoundEngine } from './engines.js';
import { awaitListening, type WorkerConnection } from './running-worker.js';
import type { HeldProgramsOptions } from '../programs/held-programs.js';
import { egressReach, WORKER_WORDS } from './worker-egress.js';

export interface WorkerRunnerOptions extends Pick<
  HeldProgramsOptions,
  'confinement' | 'writable' | 'runningFolder' | 'record' | 'environment' | 'log'
> {
  /** Says that there are containers, to the next start. */
  readonly containersNote: string;
  /** The file of the ids of images that were built for workers. */
  readonly builtImages: string;
  readonly redactor: Redactor;
}

export const createWorkerRunner = (options: WorkerRunnerOptions): WorkerRunner => new ConfinedWorkers(options);

type ConfinedPlan = WorkerPlan & { readonly runs: { readonly kind: 'command' } };

class ConfinedWorkers implements WorkerRunner {
  readonly #options: WorkerRunnerOptions;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #places = createProgramPlaces();
  readonly #running = new Set<HeldProgram>();
  readonly #closing = new AbortController();
  readonly #images = new Map<string, string>();
  #engine: Promise<FoundEngine> | null = null;
  #ends: ReturnType<typeof removeAtAppEnd> | null = null;

  constructor(options: WorkerRunnerOptions) {
    this.#options = options;
    this.#environment = options.environment ?? process.env;
  }

  async imageId(image: string): Promise<string | null> {
    const engine = await this.#engineNow();
    return engine.by === null ? null : readImageId(engine, image);
  }

  async isolationOf(plan: WorkerPlan): Promise<WorkerIsolation> {
    if (plan.runs.kind !== 'command') return isolationIn(await this.#engineNow(), plan);
    const { available, problem } = await this.#means();
    if (available === null) return { by: 'none', lacking: [problem] };
    return { by: 'bubblewrap', lacking: lackingOf(available, plan.gvisor) };
  }

  async start(plan: WorkerPlan, signal: AbortSignal): Promise<RunningWorker> {
    const stopped = AbortSignal.any([signal, this.#closing.signal]);
    return isConfined(plan) ? this.#startConfined(plan, stopped) : this.#startContainer(plan, stopped);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running].map(async (held) => held.end(0)));
    await this.#ends?.over();
    await this.#places.dispose();
  }

  /** The programs that it takes to confine a worker, or why they can’t be had. */
  async #means() {
    const found = await this.#options.confinement();
    const missing = (problem: string) => ({ available: null, shell: null, perl: null, problem }) as const;
    if (!found.available) return missing(found.problem);
    const [shell, perl] = [SUPERVISOR_SHELLS.find(isExecutable), findPerl()];
    if (shell === undefined) return missing('Workers need bash, which is not installed. Install the package “bash”.');
    if (perl === null) return missing('Workers need Perl, which is not installed. Install the package “perl”.');
    return { available: found, shell, perl, problem: '' } as const;
  }

  async #startConfined(plan: ConfinedPlan, signal: AbortSignal): Promise<RunningWorker> {
    const means = await this.#means();
    if (means.available === null) throw new WorkerProblem(means.problem);
    const isolation = { by: 'bubblewrap', lacking: lackingOf(means.available, plan.gvisor) } as const;
    return this.#startWith({ plan, isolation, port: CONFINED_PORT, runs: wordsOf(plan) }, signal, async (parts) =>
      startConfined({ ...means, ...parts, plan, path: this.#path(), writable: this.#options.writable() }),
    );
  }

  #path(): string {
    return buildSearchPath(this.#environment['PATH'] ?? '', this.#options.writable());
  }

  async #startContainer(plan: WorkerPlan, signal: AbortSignal): Promise<RunningWorker> {
    const engine = await this.#engineNow();
    const isolation = isolationIn(engine, plan);
    if (engine.by === null || isolation.by === 'none') throw new WorkerProblem(isolation.lacking.join(' '));
    const [shell, perl] = [SUPERVISOR_SHELLS.find(isExecutable), findPerl()];
    if (shell === undefined || perl === null) throw new WorkerProblem('Workers need bash and Perl. Install both.');
    const port = plan.runs.kind === 'command' ? CONFINED_PORT : plan.runs.port;
    const gvisor = isolation.by === 'gvisor' ? await this.#gvisorOf(engine) : null;
    const image = await this.#imageOf(engine, plan, signal);
    this.#ends ??= removeAtAppEnd(engine, this.#options.containersNote);
    const label = containerLabel(this.#options.containersNote);
    try {
      return await this.#startWith({ plan, isolation, port, runs: image }, signal, async (parts) =>
        startContainer({ ...parts, plan, engine, image, port, label, gvisor, shell, perl }, signal),
      );
    } catch (error) {
      // The image may have been removed since.
      this.#images.clear();
      throw error;
    }
  }

  /** A package's copy stays as it is, so what was looked for once is known. */
  async #imageOf(engine: ContainerEngine, plan: WorkerPlan, signal: AbortSignal): Promise<string> {
    const key = JSON.stringify([plan.packageFolder, plan.runs]);
    const known = this.#images.get(key);
    if (known !== undefined) return known;
    const image = await findOrBuildImage({ engine, plan, built: this.#options.builtImages }, signal);
    this.#images.set(key, image);
    return image;
  }

  async #gvisorOf(engine: ContainerEngine): Promise<string | null> {
    return engine.by === 'docker' ? engine.runsc : this.#places.shared('runsc', runscWrapper(engine));
  }

  #engineNow(): Promise<FoundEngine> {
    this.#engine ??= findEngine({
      environment: { ...this.#environment, PATH: this.#path() },
      file: (name, text) => this.#places.shared(name, text),
    }).then((found) => {
      // Somebody may install one, or start it.
      if (found.by === null) this.#engine = null;
      return found;
    });
    return this.#engine;
  }

  async #startWith(
    { plan, isolation, port, runs }: WorkerToStart,
    signal: AbortSignal,
    begin: (parts: WorkerStart) => Promise<HeldProgram>,
  ): Promise<RunningWorker> {
    checkSecrets(plan.secrets);
    const reach = egressReach(plan.egress);
    for (const entry of reach.left)
      this.#options.log(
        `The worker “${plan.worker}” does not reach ${entry}, whatever its list says: it is next to this machine.`,
      );
    const place = await this.#places.next();
    await using undone = new AsyncDisposableStack();
    undone.use(place);
    const proxy = undone.use(await openFilteringProxy({ socketPath: place.networkPath, reach, words: WORKER_WORDS }));
    if (signal.aborted) throw new WorkerProblem('It was stopped before it began.');
    const list = openRunningList(this.#options.runningFolder);
    let mark = '';
    const start: WorkerStart = {
      place,
      reach,
      noteRunning: (facts) => {
        ({ mark } = facts);
        list.note(facts);
      },
      onOver: async () => {
        await proxy[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
        list.forget(mark);
      },
      log: this.#options.log,
    };
    const held = await startRecorded(this.#options.record, factsOf(plan, isolation, runs), () => begin(start));
    undone.move();
    this.#running.add(held);
    void held.ended.then(() => this.#running.delete(held));
    // Who waits for more has a pipe that ends; nothing else asks it to end but a signal.
    held.endInput();
    const shown = withoutSecrets(this.#options.redactor, plan.secrets);
    return awaitListening({ isolation, socketPath: place.serverPath, held, proxy, port, shown }, signal);
  }
}

interface WorkerToStart extends Pick<WorkerConnection, 'isolation' | 'port'> {
  readonly plan: WorkerPlan;
  /** The words for the record. */
  readonly runs: string;
}

const wordsOf = ({ runs: { command } }: ConfinedPlan): string => command.join(' ');

function factsOf(plan: WorkerPlan, { by }: WorkerIsolation, runs: string) {
  const { worker: name, domainId, version, packageDigest: digest, egress: hosts, secrets } = plan;
  const domain = `${domainId} ${version}`;
  return { of: 'worker', name, domain, runs, digest, heldBy: by, hosts, given: Object.keys(secrets) } as const;
}

const isConfined = (plan: WorkerPlan): plan is ConfinedPlan => plan.runs.kind === 'command';

type WorkerStart = Pick<ConfinedStart, 'place' | 'reach' | 'noteRunning' | 'onOver' | 'log'>;

function isolationIn(engine: FoundEngine, plan: WorkerPlan): WorkerIsolation {
  if (engine.by === null)
    return { by: 'none', lacking: [`It is a container, and none can be run here. ${engine.problem}`] };
  if (plan.gvisor && engine.runsc !== null) return { by: 'gvisor', lacking: engine.lacking };
  const missing = plan.gvisor ? ['gVisor (runsc) is not installed, so the kernel of this machine serves it.'] : [];
  return { by: engine.by, lacking: [...missing, ...engine.lacking] };
}

/** The wrapper that starts gVisor: its network is the one that it is given, which is empty. */
const runscWrapper = ({ runsc }: ContainerEngine): string =>
  `#!/bin/sh\nexec ${runsc} --network=host --oci-seccomp${process.getuid?.() === 0 ? '' : ' --ignore-cgroups'} "$@"\n`;

function lackingOf(found: Extract<Availability, { available: true }>, gvisor: boolean): readonly string[] {
  return [
    ...(gvisor ? ['gVisor runs containers only; this is a confined program.'] : []),
    ...(found.filtersCalls ? [] : ['System calls can’t be filtered on this machine.']),
    ...limitsLacking(),
  ];
}

/** The limits that groups of ours can't enforce here. */
function limitsLacking(): readonly string[] {
  const holds = enforceableLimits();
  return [
    ...(holds.memory
      ? []
      : ['Its memory is held down for each process, and for all of them by a look several times a second.']),
    ...(holds.processes ? [] : ['The number of its processes is held down by a look several times a second.']),
    ...(holds.cpus ? [] : ['Its share of the processor can’t be limited on this machine.']),
  ];
}

/**
 * Refuses secrets under names that make a shell run something: they are in the environment of a shell of ours for a
 * moment.
 */
function checkSecrets(secrets: Readonly<Record<string, string>>): void {
  const usable = commandEnvironment(secrets, { allowlist: ['*'], denylist: ['PATH'], writable: [] }, false);
  const wrong = Object.keys(secrets).find((name) => usable[name] !== secrets[name]);
  if (wrong !== undefined)
    throw new WorkerProblem(
      `A secret can’t be given to a worker as ${wrong}: programs take that name for something else.`,
    );
}

function withoutSecrets(redactor: Redactor, secrets: Readonly<Record<string, string>>): (text: string) => string {
  const values = Object.values(secrets).filter((value) => value.length >= MIN_SECRET_LENGTH);
  return (text) => redactor.text(values.reduce((shown, value) => shown.replaceAll(value, REDACTED), text)).value;
}

/** A shorter one would blot out half of every word. */
const MIN_SECRET_LENGTH = 4;
