import { setTimeout } from 'node:timers/promises';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { CommandRequest, CommandResult } from '../domain/ports/command-runner.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type { Redactor } from '../domain/ports/redactor.js';
import {
  askToEnd,
  endSupervisor,
  findProcesses,
  isGone,
  killAll,
  killCommand,
  type ProcessesOfCall,
} from './ending/ending.js';
import type { CommandGroup } from './ending/command-group.js';
import { watchDisks } from './ending/disk-space.js';
import { type CpuTime, signalName, type StruckLimit, struckLimit } from './ending/limits-struck.js';
import { createLiveView } from './output/live-view.js';
import { modelCopy } from './output/model-copy.js';
import { createOutputPump } from './output/output-pump.js';
import { processFacts, restAfterLook } from './ending/proc-table.js';
import { watchProcesses } from './ending/process-watch.js';
import type { CommandStatus } from './start/pty-session.js';
import type { Supervisor } from './start/supervisor-pool.js';
import { textOf } from './environment/system-files.js';

export interface SupervisedRun {
  readonly request: CommandRequest;
  readonly supervisor: Supervisor;
  readonly words: readonly string[];
  readonly confinement: Confinement;
  /** How many of the processes below the supervisor are not the command's. */
  readonly ownProcesses: number;
  /** From here on it may have run. */
  readonly onBegun: () => void;
  readonly outputs: OutputStore;
  /** Folders on the disks that it may fill. */
  readonly disks: readonly string[];
  readonly redactor: Redactor;
  readonly log: (message: string) => void;
}

type Ran = Omit<CommandResult, 'changedFiles' | 'changedFilesComplete' | 'putAside' | 'lookComplete' | 'networkUse'>;
type Stop = { readonly kind: 'stopped' } | { readonly kind: 'limit'; readonly limit: StruckLimit; readonly code: null };

/** How long the supervisor has to say how the command ended once all of it was killed. */
const LAST_WORD_MS = 500;
/** How long processes that can't be ended are tried for. */
const SWEEP_MS = 2000;
/** How long the ends of both streams are waited for. Only what could not be ended can hold them open. */
const STREAM_END_MS = 2000;

/** One command from start to end: started, watched, stopped where need be, and everything it started ended. */
export async function runSupervised(run: SupervisedRun): Promise<Ran> {
  const { request } = run;
  const { session, fifo, mark, group } = run.supervisor;
  const settings = request.config.tools.run_command;
  let stop: Stop | null = null;

  const view = createLiveView(request.onOutput);
  const openPump = (stream: 'stdout' | 'stderr', flow: { pause(): void; resume(): void }) =>
    createOutputPump({
      openSink: () => run.outputs.open(request.callId, stream, settings.max_output_file_bytes),
      redaction: run.redactor.stream(),
      finds: (bytes) => run.redactor.finds(bytes),
      modelLimit: request.outputLimit,
      show: (text) => view.show(stream, text),
      pause: () => flow.pause(),
      resume: () => flow.resume(),
      onQuota: () => stopWith(passed('max_output_file_bytes')),
      onStorageFailure: (problem) => {
        run.log(`Output of ${request.callId} could not be stored: ${String(problem)}`);
      },
    });
  const stdout = openPump('stdout', { pause: () => session.pause(), resume: () => session.resume() });
  const stderr = openPump('stderr', { pause: () => fifo.readable.pause(), resume: () => fifo.readable.resume() });

  const stderrEnded = new Promise<void>((resolve) => fifo.readable.once('close', resolve));
  fifo.readable.on('data', (bytes: Buffer) => {
    watch.sawOutput();
    stderr.push(bytes);
  });

  if (request.signal.aborted) return nothingRan({ kind: 'stopped' });
  const startTicks = processFacts(session.pid)?.startTicks ?? '0';
  const call: ProcessesOfCall = {
    leader: session.pid,
    mark,
    since: Number(startTicks),
    confined: run.confinement !== 'unconfined',
    group,
  };
  using watch = watchProcesses({
    call,
    maxProcesses: settings.max_processes + run.ownProcesses,
    refused: () => group?.struck() ?? false,
    outOfMemory: () => group?.outOfMemory() ?? false,
    maxMemoryBytes: settings.max_memory_bytes,
    maxCpuMs: settings.max_cpu_seconds * 1000,
    onLimit: (limit) => stopWith(passed(limit)),
    onWaiting: (waiting) => request.onEvent({ type: 'waiting-for-input', waiting }),
    onNothingLeft: () => session.lookWhetherOver(),
  });
  using watches = new DisposableStack();
  watches.use(watchDisks({ folders: run.disks, onFull: () => stopWith(passed('disk_free')) }));
  request.onEvent({
    type: 'started',
    pid: session.pid,
    startTicks,
    mark,
    confinement: run.confinement,
  });
  // Who is told of the start may have to take it back: where it can't be recorded, it does not happen.
  if (request.signal.aborted) return nothingRan({ kind: 'stopped' });
  run.supervisor.begin(run.words, (bytes) => {
    watch.sawOutput();
    stdout.push(bytes);
  });

  run.onBegun();
  const began = performance.now();

  let over = false;
  let stopping: Promise<void> = Promise.resolve();
  /** The first reason counts; a limit does not wait for manners, since what passed it goes on meanwhile. */
  function stopWith(reason: Stop): void {
    if (over || stop !== null) return;
    stop = reason;
    stopping = end(reason.kind === 'limit' ? 0 : settings.kill_grace_ms);
  }
  async function end(graceMs: number): Promise<void> {
    const isOver = session.over.then(() => true);
    askToEnd(call);
    // What is paused can't say its last word.
    session.resume();
    if (await Promise.race([isOver, delay(graceMs)])) return;
    killCommand(call);
    if (await Promise.race([isOver, delay(LAST_WORD_MS)])) return;
    killAll(call);
  }

  const onAbort = (): void => stopWith({ kind: 'stopped' });
  request.signal.addEventListener('abort', onAbort);
  if (request.signal.aborted) onAbort();
  const status = await session.over;
  const overAt = performance.now();
  over = true;
  request.signal.removeEventListener('abort', onAbort);
  await stopping;
  const endedAll = await sweep(call, stop === null ? settings.kill_grace_ms : 0);
  if (!endedAll) run.log(`Some processes of ${request.callId} could not be ended (${GATEHOUSE_MARK_HINT}${mark}).`);

  fifo.letItEnd();
  await Promise.race([session.closed, delay(STREAM_END_MS)]);
  await Promise.race([stderrEnded, delay(STREAM_END_MS)]);
  const stored = [await stdout.finish(), await stderr.finish()].filter((output) => output !== null);
  await view.drained();

  if (status.notBegun !== null && stop === null) return nothingRan(couldNotBegin(status.notBegun));
  const lastWords = stderr.lastText === '' ? stdout.lastText : stderr.lastText;
  // Over before anybody looked: that the kernel refused it processes is told all the same, unless it coped.
  const refused = status.exitCode === 0 ? null : refusedBy(group);
  const cpuMs = Math.max(status.cpuMs ?? 0, watch.cpuMs);
  const cpu = { usedMs: cpuMs, ranMs: overAt - began, maxMs: settings.max_cpu_seconds * 1000 };
  const ending = endingOf(stop ?? refused, status, cpu, lastWords);
  const wentWell = ending.kind === 'exited' && ending.code === 0;
  const limit = request.outputLimit - (wentWell ? 0 : (request.reservedOnFailure ?? 0));
  const copy = modelCopy(stdout.ends, stderr.ends, Math.max(0, limit));
  const never = neverRan(run, stop, status, copy.stderr);
  return {
    ending: never ? notConfined(copy.stderr) : ending,
    stdout: copy.stdout,
    stderr: copy.stderr,
    outputBytes: stdout.bytes + stderr.bytes,
    outputBytesLeftOut: copy.leftOut,
    redactions: stdout.redactions + stderr.redactions,
    controlCharactersRemoved: stdout.controlsRemoved + stderr.controlsRemoved,
    storedOutputs: stored,
    confinement: never ? null : run.confinement,
    cpuMs,
    peakMemoryBytes: watch.peakMemoryBytes,
  };
}

const GATEHOUSE_MARK_HINT = 'marked GATEHOUSE_CALL=';

/** What the kernel refused it. */
function refusedBy(group: CommandGroup | null) {
  if (group?.struck() === true) return passed('max_processes');
  return group?.outOfMemory() === true ? passed('max_memory_bytes') : null;
}

const passed = (limit: StruckLimit) => ({ kind: 'limit', limit, code: null }) as const;

function endingOf(stop: Stop | null, status: CommandStatus, cpu: CpuTime, lastWords: string): CommandResult['ending'] {
  if (stop !== null) return stop;
  const struck = struckLimit(status, cpu, lastWords);
  if (struck !== null) return { kind: 'limit', ...struck };
  if (status.signal === null) return { kind: 'exited', code: status.exitCode };
  return { kind: 'signalled', signal: signalName(status.signal), code: 128 + status.signal };
}

const WHY_NOT_BEGUN = {
  folder: 'The workspace folder could not be entered.',
  pipe: 'The pipe for its errors is gone: something cleared the folder for temporary files.',
  supervisor: 'The shell that was to run it ended before it began.',
} as const;

const couldNotBegin = (why: keyof typeof WHY_NOT_BEGUN): CommandResult['ending'] => ({
  kind: 'unstartable',
  reason: `The command could not be started: ${WHY_NOT_BEGUN[why]}`,
});

/** Nothing ran, so nothing was produced or used. */
export const nothingRan = (ending: CommandResult['ending']): Ran => ({
  ending,
  stdout: '',
  stderr: '',
  outputBytes: 0,
  outputBytesLeftOut: 0,
  redactions: 0,
  controlCharactersRemoved: 0,
  storedOutputs: [],
  confinement: null,
  cpuMs: 0,
  peakMemoryBytes: 0,
});

/**
 * Bubblewrap says why it could not begin, and then nothing has run. A command can say the same words; but bubblewrap
 * notes the exit of what it ran, where no command can take it back.
 */
function neverRan(run: SupervisedRun, stop: Stop | null, status: CommandStatus, stderr: string): boolean {
  const { confinement, supervisor } = run;
  if (confinement === 'unconfined' || stop !== null) return false;
  const notes = textOf(supervisor.fifo.notesPath) ?? '';
  // Its mounts were not what they should be: it was ended before anything ran in them.
  if (notes.includes('"astray"')) return true;
  // It is noted of every child that was made: there was no bubblewrap to make one.
  if (!notes.includes('"child-pid"')) return true;
  return status.exitCode === 1 && stderr.startsWith('bwrap: ') && !notes.includes('"exit-code"');
}

const notConfined = (said: string): CommandResult['ending'] => ({
  kind: 'unstartable',
  reason: `The command could not be confined, so it was not run. ${said.trim()}`.trim(),
});

/** Ends what is left after the command: background children, and whoever left its group. True when nothing is. */
async function sweep(call: ProcessesOfCall, graceMs: number): Promise<boolean> {
  if (findProcesses(call).command.length === 0) {
    endSupervisor(call);
    if (isGone(call)) return true;
  } else if (graceMs > 0) {
    askToEnd(call);
    let rest = POLL_MS;
    for (const until = performance.now() + graceMs; performance.now() < until;) {
      await delay(rest);
      const began = performance.now();
      if (findProcesses(call).command.length === 0) break;
      rest = Math.max(POLL_MS, restAfterLook(began));
    }
  }
  const until = performance.now() + SWEEP_MS;
  // By the clock alone, a machine that stood still would be taken for a process that will not end.
  for (let tries = 1; ; tries += 1) {
    killAll(call);
    await delay(POLL_MS);
    if (isGone(call)) return true;
    if (tries >= LEAST_TRIES && performance.now() > until) return false;
  }
}

const POLL_MS = 10;
const LEAST_TRIES = 20;
const delay = (ms: number): Promise<false> => setTimeout(ms, false);
