import { randomBytes } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type {
  FindHeldProgram,
  HeldProgram,
  HeldProgramEnd,
  HeldProgramRequest,
  StartHeldProgram,
} from '../../domain/ports/sources/held-program.js';
import type { ProgramRecord } from '../../domain/ports/program-record.js';
import type { ProtectedFiles } from '../../domain/ports/workspace/workspace-watch.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Availability } from '../confinement/availability.js';
import {
  chooseConfinement,
  type ConfinementChoice,
  type PossibleConfinement,
} from '../confinement/confinement-choice.js';
import type { KeptPaths } from '../confinement/workspace-mounts.js';
import { findSharedFiles } from '../confinement/shared-files.js';
import { markLimit } from '../ending/call-mark.js';
import { commandEnvironment, MARK_VARIABLE } from '../environment/environment.js';
import { findProgram, findFolderAround, buildSearchPath } from '../environment/search-path.js';
import { isExecutable } from '../environment/system-files.js';
import { toolHomes } from '../environment/tool-homes.js';
import { proxyEnvironment } from '../proxy/bridge.js';
import { openFilteringProxy } from '../proxy/filtering-proxy.js';
import { limitArguments, SUPERVISOR_SHELLS } from '../start/supervisor.js';
import { leaderArguments } from './leader.js';
import { startRecorded } from './start-recorded.js';
import { createProgramPlaces, type ProgramPlace } from './program-places.js';
import { openRunningList, type RunningList } from './running-list.js';
import { startLeader } from './started-program.js';

export interface HeldProgramsOptions {
  /** Whether this machine can confine, found out anew where it could not. */
  readonly confinement: () => Promise<Availability>;
  /** Gatehouse's own data, and whatever else a confined program must not see. */
  readonly hidden: () => readonly string[];
  /** Folders that tools may write to, or could once: no program is found there by its name. */
  readonly writable: () => readonly string[];
  /** The folders that are open: a program sees none of them but the one that it was given. */
  readonly folders: () => readonly string[];
  /** The files of a folder, and those that a program may not write to where it is not watched. */
  readonly standing: (root: string) => Promise<ProtectedFiles>;
  /**
   * Guards a folder that tools work in while a program may write to it, until the returned value is disposed of: what
   * it leaves there is checked.
   */
  readonly live: (root: string) => Promise<AsyncDisposable>;
  /** The files of a folder that are hidden from every program, by path from there. */
  readonly hides: (root: string, config: Config) => readonly string[];
  /** Where the list of what runs is kept. */
  readonly runningFolder: string;
  readonly record: ProgramRecord;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  readonly log: (message: string) => void;
}

export interface HeldPrograms extends AsyncDisposable {
  readonly start: StartHeldProgram;
  readonly find: FindHeldProgram;
}

export const createHeldPrograms = (options: HeldProgramsOptions): HeldPrograms => new ConfinedPrograms(options);

class ConfinedPrograms implements HeldPrograms {
  readonly #options: HeldProgramsOptions;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #places = createProgramPlaces();
  readonly #list: RunningList;
  readonly #running = new Set<HeldProgram>();
  #closed = false;

  constructor(options: HeldProgramsOptions) {
    this.#options = options;
    this.#environment = options.environment ?? process.env;
    this.#list = openRunningList(options.runningFolder);
  }

  readonly start: StartHeldProgram = async (request) => {
    if ((this.#options.platform ?? process.platform) === 'win32')
      return unstartableProgram('Programs can’t be run on Windows by this version of Gatehouse.');
    const shell = SUPERVISOR_SHELLS.find(isExecutable);
    if (shell === undefined)
      return unstartableProgram('Programs need bash, which is not installed. Install the package “bash”.');
    const judged = await this.#judged(request);
    if (!judged.possible) return unstartableProgram(judged.reason);
    const environment = this.#environmentFor(request, judged);
    const program = this.find(request);
    if (program === null) return unstartableProgram(notFound(request.command));
    let place: ProgramPlace | null = null;
    try {
      place = await this.#places.next();
      const parts = { request, shell, choice: judged, environment, program };
      const held = await this.#startRecorded(place, parts);
      this.#running.add(held);
      void held.ended.then(() => this.#running.delete(held));
      return held;
    } catch (error) {
      await place?.[Symbol.asyncDispose]();
      return unstartableProgram(`It could not be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map(async (program) => program.end(0)));
    await this.#places.dispose();
  }

  /** Chooses the confinement that the terms name, or refuses. */
  async #judged(request: HeldProgramRequest): Promise<ConfinementChoice> {
    const { process: terms, config, network, folder, reads, copies = [], home = null } = request;
    const refuse = (reason: string): ConfinementChoice => ({ possible: false, reason });
    if (this.#closed) return refuse('Gatehouse is closing.');
    const choice = chooseConfinement(
      await this.#options.confinement(),
      {
        config: withNetwork(config, network),
        network: [],
        workingDirectory: folder?.path ?? null,
        reads,
        copies,
        ownHome: home,
        showsRefused: request.startedFor !== null,
        sees: 'folder',
        readable: [],
      },
      {
        homes: [...new Set([this.#environment['HOME'] ?? homedir(), userInfo().homedir])],
        environment: { ...this.#environment, PATH: this.#pathFor(request) },
        writable: this.#options.writable,
        hidden: () => [
          ...this.#options.hidden(),
          ...this.#options.folders().filter((open) => open !== folder?.path),
          ...(this.#places.folder === null ? [] : [this.#places.folder]),
        ],
      },
    );
    if (!choice.possible) return choice;
    const isHeld = choice.confinement !== 'unconfined';
    if (isHeld === (terms.held === 'confined')) return choice;
    return refuse(isHeld ? CONFINED_BY_NOW : NOT_CONFINED);
  }

  readonly find: FindHeldProgram = (named) =>
    findProgram(named.command, {
      path: this.#pathFor(named),
      cwd: named.workingDirectory,
      writable: this.#options.writable(),
    });

  /** The PATH of the program. One from its settings is filtered no less. */
  #pathFor({ environment }: Pick<HeldProgramRequest, 'environment'>): string {
    return buildSearchPath(environment['PATH'] ?? this.#environment['PATH'] ?? '', this.#options.writable());
  }

  #environmentFor(request: HeldProgramRequest, choice: PossibleConfinement): Record<string, string> {
    const rules = {
      allowlist: [],
      denylist: request.config.tools.environment.denylist,
      writable: this.#options.writable(),
    };
    return {
      ...commandEnvironment(this.#environment, rules, false),
      ...(choice.confinement === 'unconfined' ? {} : typeof request.home === 'string' ? OWN_HOME : PRIVATE_PLACES),
      ...(request.home === undefined ? {} : toolHomes(this.#environment['HOME'] ?? homedir())),
      ...(typeof request.home === 'string' ? { HOME: request.home, ...cachesIn(request.home) } : {}),
      ...request.environment,
      ...(choice.reach === null ? {} : proxyEnvironment(choice.reach.hosts)),
      PATH: this.#pathFor(request),
    };
  }

  #startRecorded(place: ProgramPlace, parts: HeldProgramStart): Promise<HeldProgram> {
    const { request, choice, program } = parts;
    if (request.startedFor === null) return this.#startIn(place, parts);
    const facts = {
      of: 'source',
      name: request.startedFor,
      domain: null,
      runs: [program, ...request.args].join(' '),
      digest: null,
      heldBy: choice.confinement,
      hosts: hostsOf(request.network),
      given: Object.keys(request.environment),
    } as const;
    return startRecorded(this.#options.record, facts, () => this.#startIn(place, parts));
  }

  async #startIn(place: ProgramPlace, parts: HeldProgramStart): Promise<HeldProgram> {
    const { request, shell, choice, environment, program } = parts;
    const { run_command: settings } = request.config.tools;
    const kept = { ...(await this.#keptOf(request, choice)), ...this.#coveredIn(request, place) };
    const mark = randomBytes(16).toString('hex');
    const isConfined = choice.confinement !== 'unconfined';
    const temporary = isConfined ? '/tmp' : place.temporary();
    const workingDirectory = request.workingDirectory ?? request.home ?? temporary;
    const hasEmptyHome = request.home === null && request.environment['HOME'] === undefined;
    // Bubblewrap enters the folder itself, where it is what was mounted.
    const words = [
      ...choice.prefix(place.networkPath, kept),
      ...(isConfined ? ['/bin/sh', '-c', 'cd -- "$0" && exec "$@"', workingDirectory] : []),
      program,
      ...request.args,
    ];
    const limits = programLimits(settings, request.cpuSeconds, mark);
    await using undone = new AsyncDisposableStack();
    const living = await this.#livesIn(request);
    if (living !== null) undone.use(living);
    const proxy =
      choice.reach === null
        ? null
        : await openFilteringProxy({ socketPath: place.networkPath, reach: choice.reach, words: OF_PROGRAMS });
    if (proxy !== null) undone.use(proxy);
    const held = startLeader({
      shell,
      args: leaderArguments(
        { ...place, folder: isConfined ? '/' : workingDirectory, confines: isConfined },
        limits,
        words,
      ),
      environment: {
        ...environment,
        ...(isConfined ? {} : { TMPDIR: temporary }),
        ...(hasEmptyHome ? { HOME: temporary } : {}),
        [MARK_VARIABLE]: mark,
      },
      mark,
      side: request.side,
      confinement: choice.confinement,
      ...(proxy === null
        ? {}
        : { network: { mark: () => proxy.mark(), refusedSince: (since: number) => proxy.since(since).refused } }),
      bounds: { processes: settings.max_processes, memoryBytes: request.memoryBytes ?? settings.max_memory_bytes },
      ownProcesses: choice.ownProcesses + OF_THE_LEADER,
      disks: [request.home ?? null, request.folder?.access === 'write' ? request.folder.path : null].filter(
        (path) => path !== null,
      ),
      maxCpuMs: request.cpuSeconds === null ? Infinity : request.cpuSeconds * 1000,
      notesPath: place.notesPath,
      noteRunning: (facts) => this.#list.note(facts),
      log: this.#options.log,
      onOver: async () => {
        await proxy?.[Symbol.asyncDispose]();
        await living?.[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
        this.#list.forget(mark);
      },
    });
    undone.move();
    return held;
  }

  /** Starts the guard of a program that may write to a folder that tools work in: the innermost such folder. */
  async #livesIn({ folder }: HeldProgramRequest): Promise<AsyncDisposable | null> {
    if (folder === null || ![folder, ...(folder.parts ?? [])].some(({ access }) => access === 'write')) return null;
    const roots = this.#options.writable().filter((root) => findFolderAround(folder.path, [root]) !== null);
    const root = roots.toSorted((one, other) => other.length - one.length)[0];
    return root === undefined ? null : this.#options.live(root);
  }

  /** Files of secrets and what tools are denied, in a folder that tools work in: an empty file replaces each. */
  #coveredIn({ folder, reads, config }: HeldProgramRequest, place: ProgramPlace): Pick<KeptPaths, 'covered'> {
    const seen = [...(folder === null ? [] : [folder.path]), ...reads];
    const roots = this.#options
      .writable()
      .filter((root) => seen.some((path) => findFolderAround(path, [root]) !== null));
    const paths = roots.flatMap((root) => this.#options.hides(root, config).map((path) => join(root, path)));
    return paths.length === 0 ? {} : { covered: { paths, by: place.file('empty', '') } };
  }

  /** The parts of its folder that it can't write to. */
  async #keptOf({ folder }: HeldProgramRequest, choice: PossibleConfinement): Promise<KeptPaths> {
    if (folder === null || choice.confinement === 'unconfined') return { readOnly: [], own: [] };
    const { parts = [] } = folder;
    const own = parts.filter(({ access }) => access === 'write').map(({ path }) => path);
    if (folder.access === 'read' && own.length === 0) return { readOnly: [folder.path], own };
    const { readOnly, before } = await this.#options.standing(folder.path);
    if (folder.access === 'read') return { readOnly: [folder.path, ...readOnly], own };
    const kept = parts.filter(({ access }) => access === 'read').map(({ path }) => path);
    const shared = findSharedFiles(folder.path, before);
    const absolute = (paths: readonly string[]) => paths.map((path) => join(folder.path, path));
    return { readOnly: [...readOnly, ...kept, ...absolute(shared.readOnly)], own: absolute(shared.own) };
  }
}

const hostsOf = (network: HeldProgramRequest['network']): readonly string[] =>
  network.reach === 'any' ? ['*'] : network.reach === 'none' ? [] : network.hosts;

interface HeldProgramStart {
  readonly request: HeldProgramRequest;
  readonly shell: string;
  readonly choice: PossibleConfinement;
  readonly environment: Readonly<Record<string, string>>;
  readonly program: string;
}

/** The number of leader processes: the one that waits for the app's end. */
const OF_THE_LEADER = 1;

/** Confined, the home folder can't be written to: what programs keep for later goes into their own /tmp. */
const PRIVATE_PLACES = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm' } as const;

/** A single-file program of .NET unpacks itself before it says a word, and looks nowhere else. */
const cachesIn = (home: string) => ({ DOTNET_BUNDLE_EXTRACT_BASE_DIR: join(home, '.cache/dotnet') });

/** The variables of a program with a home of its own: its caches are kept there. */
const OWN_HOME = { TMPDIR: '/tmp' } as const;

const OF_PROGRAMS = {
  notListed: 'is not among the hosts that this program may reach (network).',
  nextToIt: 'If that is meant, name the address under network.',
};

const CONFINED_BY_NOW =
  'It was to run unconfined, and by now programs can be confined. Nothing ran; ask again, and it runs confined.';
const NOT_CONFINED = 'It was to run confined, and now that can’t be had. Nothing ran.';

/** Replaces the commands' network settings: a program has a list of its own. */
function withNetwork(config: Config, network: HeldProgramRequest['network']): Config {
  const { run_command: settings } = config.tools;
  const own = { network: network.reach === 'any', allowed_hosts: network.reach === 'none' ? [] : network.hosts };
  return {
    ...config,
    tools: { ...config.tools, run_command: { ...settings, ...own, allowed_hosts: [...own.allowed_hosts] } },
  };
}

/** The limits of commands, but for the time: a program that runs for days uses more than any command. */
function programLimits(
  settings: Config['tools']['run_command'],
  cpuSeconds: number | null,
  mark: string,
): readonly string[] {
  const all = limitArguments({ ...settings, max_cpu_seconds: cpuSeconds ?? 0 });
  const pairs = Array.from({ length: all.length / 2 }, (_, at) => all.slice(2 * at, 2 * at + 2));
  const kept = pairs.filter(([option]) => cpuSeconds !== null || (option !== '-St' && option !== '-Ht'));
  return [...kept.flat(), '-R', String(markLimit(mark))];
}

const notFound = (command: string): string =>
  command.includes('/')
    ? `There is no program at ${command}.`
    : `“${command}” is not installed, or in none of the folders that programs are looked for in (PATH). Install it, or give its whole path.`;

function unstartableProgram(reason: string): HeldProgram {
  const end: HeldProgramEnd = { code: null, signal: null, limit: null, unstartable: reason };
  return {
    pid: 0,
    confinement: null,
    write: () => Promise.reject(new Error(reason)),
    endInput: () => undefined,
    stdout: emptyStream(),
    stderr: emptyStream(),
    side: emptyStream(),
    ended: Promise.resolve(end),
    end: () => Promise.resolve(),
  };
}

// eslint-disable-next-line require-yield
async function* emptyStream(): AsyncGenerator<Uint8Array> {}
