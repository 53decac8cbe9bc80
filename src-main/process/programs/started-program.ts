import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { HeldProgram, HeldProgramEnd, ProgramNetwork } from '../../domain/ports/sources/held-program.js';
import { type GroupBounds, type CommandGroup, openCommandGroup } from '../ending/command-group.js';
import { SOURCE_DISK_RULE, watchDisks } from '../ending/disk-space.js';
import { askToEnd, killAll, type ProcessesOfCall } from '../ending/call-processes.js';
import { signalName } from '../ending/struck-limit.js';
import { processFacts } from '../ending/proc-table.js';
import { watchProcesses } from '../ending/process-watch.js';
import { sweepProcesses } from '../ending/sweep.js';
import { readTextOrNull } from '../environment/system-files.js';

export interface LeaderStart {
  readonly shell: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly side: boolean;
  readonly confinement: Confinement;
  readonly network?: ProgramNetwork;
  readonly bounds: GroupBounds;
  /** How many of the processes below the leader are not the program's. */
  readonly ownProcesses: number;
  readonly maxCpuMs: number;
  /** Folders that it may write to: a program that fills their disk is ended. Left out: nowhere that lasts. */
  readonly disks?: readonly string[];
  /** Where bubblewrap, and nothing else, notes what became of the program. */
  readonly notesPath: string;
  /** Notes the program before it begins: where that can't be kept, it does not begin. */
  readonly noteRunning: (facts: { readonly pid: number; readonly startTicks: string; readonly mark: string }) => void;
  /** Called once all of it has ended. */
  readonly onOver: () => Promise<void>;
  readonly log: (message: string) => void;
}

export function startLeader(start: LeaderStart): HeldProgram {
  const child = spawn(start.shell, start.args, {
    cwd: '/',
    env: start.environment,
    stdio: ['pipe', 'pipe', 'pipe', start.side ? 'pipe' : 'ignore', 'pipe'],
    detached: true,
  });
  return new LeaderProgram(start, child);
}

/** No setting: what is left of the disk. */
const DISK_FREE = 'disk_free';
/** The pause between two looks where the kernel itself limits the number of processes and their memory. */
const SELDOM_MS = 2000;

class LeaderProgram implements HeldProgram {
  readonly pid: number;
  readonly confinement: Confinement;
  readonly network?: ProgramNetwork;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly side: AsyncIterable<Uint8Array>;
  readonly ended: Promise<HeldProgramEnd>;
  readonly #start: LeaderStart;
  readonly #input: Writable;
  readonly #exited: Promise<number | null>;
  #call: ProcessesOfCall | null = null;
  #group: CommandGroup | null = null;
  #limit: string | null = null;

  constructor(start: LeaderStart, child: ChildProcess) {
    const [input, output, errors, side, control] = child.stdio as readonly [
      Writable,
      Readable,
      Readable,
      Readable | null,
      Writable,
    ];
    this.#start = start;
    this.#input = input;
    this.pid = child.pid ?? 0;
    this.confinement = start.confinement;
    if (start.network !== undefined) this.network = start.network;
    this.stdout = output;
    this.stderr = errors;
    this.side = side ?? nothing();
    // Who went away takes nothing more; that it went is what `ended` tells.
    for (const stream of [input, control]) stream.on('error', () => undefined);
    for (const stream of [output, errors, side]) stream?.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.#exited = promise;
    let unstartable: string | null = null;
    child.once('error', (error) => {
      unstartable = error.message;
      resolve(null);
    });
    child.once('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
    this.ended = this.#untilEnded(() => unstartable);
    if (child.pid === undefined) return;
    try {
      this.#begin(child.pid, control);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  #begin(pid: number, control: Writable): void {
    const { mark, bounds } = this.#start;
    const startTicks = processFacts(pid)?.startTicks ?? '0';
    this.#group = openCommandGroup(pid, bounds, mark);
    this.#call = {
      leader: pid,
      mark,
      since: Number(startTicks),
      confined: this.confinement !== 'unconfined',
      group: this.#group,
    };
    this.#start.noteRunning({ pid, startTicks, mark });
    control.write('begin\n');
  }

  async #untilEnded(unstartable: () => string | null): Promise<HeldProgramEnd> {
    // The constructor's rest comes first.
    await Promise.resolve();
    const watch = this.#watch();
    const code = await this.#exited;
    watch[Symbol.dispose]();
    if (this.#call !== null && !(await sweepProcesses(this.#call, 0)))
      this.#start.log(`Some processes of a program could not be ended (marked GATEHOUSE_CALL=${this.#start.mark}).`);
    const end = this.#endOf(code, unstartable());
    this.#group?.[Symbol.dispose]();
    await this.#start.onOver();
    return end;
  }

  #watch(): Disposable {
    const call = this.#call;
    if (call === null) return { [Symbol.dispose]: () => undefined };
    const { bounds, ownProcesses, maxCpuMs, disks = [] } = this.#start;
    const isHeldByKernel = this.#group?.capped === true && this.#group.boundsMemory && maxCpuMs === Infinity;
    const onLimit = (limit: string): void => {
      this.#limit ??= limit;
      killAll(call);
    };
    const watches = new DisposableStack();
    watches.use(watchDisks({ rule: SOURCE_DISK_RULE, folders: disks, onFull: () => onLimit(DISK_FREE) }));
    watches.use(
      watchProcesses({
        call,
        maxProcesses: bounds.processes + ownProcesses,
        refused: () => this.#group?.struck() ?? false,
        outOfMemory: () => this.#group?.outOfMemory() ?? false,
        maxMemoryBytes: bounds.memoryBytes,
        maxCpuMs,
        ...(isHeldByKernel ? { restMs: SELDOM_MS } : {}),
        onLimit,
        onNothingLeft: () => undefined,
        onWaiting: () => undefined,
      }),
    );
    return watches;
  }

  #endOf(code: number | null, unstartable: string | null): HeldProgramEnd {
    const { maxCpuMs, confinement, notesPath } = this.#start;
    const end = { code: null, signal: null, limit: null, unstartable: null };
    if (unstartable !== null) return { ...end, unstartable };
    const limit = this.#limit ?? struckLimit(code, maxCpuMs, this.#group);
    if (limit !== null) return { ...end, limit };
    // Bubblewrap notes every child that it made: without one nothing of the program ran.
    if (
      confinement !== 'unconfined' &&
      !(readTextOrNull(notesPath) ?? '').includes('"child-pid"') &&
      code !== null &&
      code < 128
    )
      return { ...end, unstartable: 'It could not be confined, so it was not run.' };
    if (code !== null && code > 128 && code < 128 + 65) return { ...end, signal: signalName(code - 128) };
    return { ...end, code };
  }

  write(chunk: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#input.write(chunk, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }

  endInput(): void {
    this.#input.end();
  }

  async end(graceMs: number): Promise<void> {
    const over = this.#exited.then(() => true);
    const within = async (ms: number): Promise<boolean> => Promise.race([over, setTimeout(ms, false)]);
    // First what protocols ask for, then what the system has for it.
    const listens = !this.#input.writableEnded;
    this.#input.end();
    if (listens && graceMs > 0 && (await within(graceMs / 2))) return void (await this.ended);
    if (this.#call !== null && graceMs > 0) {
      askToEnd(this.#call);
      await within(listens ? graceMs / 2 : graceMs);
    }
    if (this.#call !== null) killAll(this.#call);
    await this.ended;
  }
}

function struckLimit(code: number | null, maxCpuMs: number, group: CommandGroup | null): string | null {
  if (code === 0) return null;
  if (maxCpuMs !== Infinity && code === 128 + constants.signals.SIGXCPU) return 'max_cpu_seconds';
  if (code === 128 + constants.signals.SIGXFSZ) return 'max_file_bytes';
  if (group?.outOfMemory() === true) return 'max_memory_bytes';
  return group?.struck() === true ? 'max_processes' : null;
}

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<Uint8Array> {}
