import { setTimeout } from 'node:timers/promises';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { CommandRequest, CommandResult } from '../domain/ports/command-runner.js';
import { OutputOrder } from '../domain/call/output-order.js';
import type { StoredOutput } from '../domain/call/outputs.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type { Redactor } from '../domain/ports/redactor.js';
import { askToEnd, killAll, killCommand, type ProcessesOfCall } from './ending/call-processes.js';
import { sweepProcesses } from './ending/sweep.js';
import type { CommandGroup } from './ending/command-group.js';
import { COMMAND_DISK_RULE, watchDisks } from './ending/disk-space.js';
import { type CpuTime, signalName, type StruckLimit, findStruckLimit } from './ending/struck-limit.js';
import { StreamOrder } from './output/stream-order.js';
import { createLiveView, type LiveView } from './output/live-view.js';
import { buildDrawnCopy } from './output/model-copy.js';
import { createOutputPump, type OutputPump } from './output/output-pump.js';
import { processFacts } from './ending/proc-table.js';
import { watchProcesses } from './ending/process-watch.js';
import type { CommandStatus } from './start/pty-session.js';
import type { Supervisor } from './start/supervisor-pool.js';
import { readTextOrNull } from './environment/system-files.js';

export interface SupervisedRun {
  readonly request: CommandRequest;
  readonly supervisor: Supervisor;
  readonly words: readonly string[];
  readonly confinement: Confinement;
  /** How many of the processes below the supervisor are not the command's. */
  readonly ownProcesses: number;
  /** Called when the command may have begun to run. */
  readonly onBegun: () => void;
  readonly outputs: OutputStore;
  /** Folders on the disks that it may fill. */
  readonly disks: readonly string[];
  readonly redactor: Redactor;
  readonly log: (message: string) => void;
}

type SupervisedResult = Omit<
  CommandResult,
  'changedFiles' | 'changedFilesComplete' | 'createdFolders' | 'putAside' | 'lookComplete' | 'networkUse'
>;
type StopReason =
  { readonly kind: 'stopped' } | { readonly kind: 'limit'; readonly limit: StruckLimit; readonly code: null };

/** How long the supervisor has to say how the command ended once all of it was killed. */
const LAST_WORD_MS = 500;
/** How long the ends of both streams are waited for. Only what could not be ended can hold them open. */
const STREAM_END_MS = 2000;

/** Runs one command from start to end: started, watched, stopped where need be, and everything it started ended. */
export async function runSupervised(run: SupervisedRun): Promise<SupervisedResult> {
  const { request } = run;
  const { session, fifo, mark, group } = run.supervisor;
  const settings = request.config.tools.run_command;
  if (request.signal.aborted) return emptyResult({ kind: 'stopped' });
  const startTicks = processFacts(session.pid)?.startTicks ?? '0';
  const call: ProcessesOfCall = {
    leader: session.pid,
    mark,
    since: Number(startTicks),
    confined: run.confinement !== 'unconfined',
    group,
  };
  const stopping = new CommandStop(run, call);
  const said = openOutputs(run, () => stopping.stop(passedLimit('max_output_file_bytes')));
  const inTurn = new StreamOrder(
    (bytes) => said.stdout.push(bytes),
    (bytes) => said.stderr.push(bytes),
    () => session.markPlace(),
  );
  const stderrEnded = new Promise<void>((resolve) => fifo.readable.once('close', resolve));
  fifo.readable.on('data', (bytes: Buffer) => {
    watch.sawOutput();
    inTurn.stderr(bytes);
  });

  using watch = watchProcesses({
    call,
    maxProcesses: settings.max_processes + run.ownProcesses,
    refused: () => group?.struck() ?? false,
    outOfMemory: () => group?.outOfMemory() ?? false,
    maxMemoryBytes: settings.max_memory_bytes,
    maxCpuMs: settings.max_cpu_seconds * 1000,
    onLimit: (limit) => stopping.stop(passedLimit(limit)),
    onWaiting: (waiting) => request.onEvent({ type: 'waiting-for-input', waiting }),
    onNothingLeft: () => session.lookWhetherOver(),
  });
  using watches = new DisposableStack();
  watches.use(
    watchDisks({ rule: COMMAND_DISK_RULE, folders: run.disks, onFull: () => stopping.stop(passedLimit('disk_free')) }),
  );
  request.onEvent({
    type: 'started',
    pid: session.pid,
    startTicks,
    mark,
    confinement: run.confinement,
  });
  // Who is told of the start may have to take it back: where it can't be recorded, it does not happen.
  if (request.signal.aborted) return emptyResult({ kind: 'stopped' });
  const onOutput = (bytes: Buffer): void => {
    watch.sawOutput();
    inTurn.stdout(bytes);
  };
  run.supervisor.begin(run.words, onOutput, () => inTurn.marked());

  run.onBegun();
  const began = performance.now();
  const status = await stopping.untilOver();
  const ranMs = performance.now() - began;
  await stopping.done();
  const endedAll = await sweepProcesses(call, stopping.reason === null ? settings.kill_grace_ms : 0);
  if (!endedAll) run.log(`Some processes of ${request.callId} could not be ended (${GATEHOUSE_MARK_HINT}${mark}).`);

  fifo.letItEnd();
  await Promise.race([session.closed, delay(STREAM_END_MS)]);
  await Promise.race([stderrEnded, delay(STREAM_END_MS)]);
  inTurn.releaseHeld();
  const stored = [await said.stdout.finish(), await said.stderr.finish(), await said.storeOrder()].filter(
    (output) => output !== null,
  );
  await said.view.drained();

  if (status.notBegun !== null && stopping.reason === null) return emptyResult(couldNotBegin(status.notBegun));
  const cpuMs = Math.max(status.cpuMs ?? 0, watch.cpuMs);
  const used = { cpuMs, ranMs, peakMemoryBytes: watch.peakMemoryBytes };
  return buildResult(run, stopping.reason, status, said, stored, used);
}

interface CommandOutputs {
  readonly view: LiveView;
  readonly stdout: OutputPump;
  readonly stderr: OutputPump;
  /** Stores, after both have finished, in which order they came. */
  readonly storeOrder: () => Promise<StoredOutput | null>;
}

function openOutputs(
  { request, supervisor, outputs, redactor, log }: SupervisedRun,
  onQuota: () => void,
): CommandOutputs {
  const { session, fifo } = supervisor;
  const { max_output_file_bytes: most } = request.config.tools.run_command;
  const view = createLiveView(request.onOutput);
  const order = new OutputOrder();
  const onStorageFailure = (problem: unknown): void => {
    log(`Output of ${request.callId} could not be stored: ${String(problem)}`);
  };
  const open = (stream: 'stdout' | 'stderr', flow: { pause(): void; resume(): void }) =>
    createOutputPump({
      openSink: () => outputs.open(request.callId, stream, most),
      openSealed: (from) => outputs.seal(request.callId, stream, from, most),
      redaction: redactor.stream(request.alsoSecret),
      finds: (bytes) => redactor.finds(bytes),
      modelLimit: request.outputLimit,
      show: (text) => view.show(stream, text),
      pause: () => flow.pause(),
      resume: () => flow.resume(),
      turn: () => order.turnOf(stream),
      onKept: (turn, bytes) => order.kept(turn, bytes),
      onQuota,
      onStorageFailure,
    });
  const storeOrder = async (): Promise<StoredOutput | null> => {
    const text = order.asText();
    if (text === null) return null;
    try {
      const sink = outputs.open(request.callId, 'order', most);
      await sink.write(Buffer.from(text));
      return await sink.finish();
    } catch (problem) {
      onStorageFailure(problem);
      return null;
    }
  };
  return { view, stdout: open('stdout', session), stderr: open('stderr', fifo.readable), storeOrder };
}

/** The stop of a command before its own end. */
class CommandStop {
  reason: StopReason | null = null;
  readonly #run: SupervisedRun;
  readonly #call: ProcessesOfCall;
  #over = false;
  #ending: Promise<void> = Promise.resolve();

  constructor(run: SupervisedRun, call: ProcessesOfCall) {
    this.#run = run;
    this.#call = call;
  }

  /** The first reason counts; a limit does not wait for manners, since what passed it goes on meanwhile. */
  stop(reason: StopReason): void {
    if (this.#over || this.reason !== null) return;
    this.reason = reason;
    this.#ending = this.#end(reason.kind === 'limit' ? 0 : this.#run.request.config.tools.run_command.kill_grace_ms);
  }

  /** How it ended, by itself or since it was stopped; whoever asked for it may stop it until then. */
  async untilOver(): Promise<CommandStatus> {
    const { signal } = this.#run.request;
    const onAbort = (): void => this.stop({ kind: 'stopped' });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const status = await this.#run.supervisor.session.over;
    this.#over = true;
    signal.removeEventListener('abort', onAbort);
    return status;
  }

  done(): Promise<void> {
    return this.#ending;
  }

  async #end(graceMs: number): Promise<void> {
    const { session } = this.#run.supervisor;
    const isOver = session.over.then(() => true);
    askToEnd(this.#call);
    // What is paused can't say its last word.
    session.resume();
    if (await Promise.race([isOver, delay(graceMs)])) return;
    killCommand(this.#call);
    if (await Promise.race([isOver, delay(LAST_WORD_MS)])) return;
    killAll(this.#call);
  }
}

function buildResult(
  run: SupervisedRun,
  stop: StopReason | null,
  status: CommandStatus,
  { stdout, stderr }: CommandOutputs,
  storedOutputs: SupervisedResult['storedOutputs'],
  { cpuMs, ranMs, peakMemoryBytes }: Pick<SupervisedResult, 'cpuMs' | 'peakMemoryBytes'> & { readonly ranMs: number },
): SupervisedResult {
  const { request, supervisor } = run;
  const lastWords = stderr.lastText === '' ? stdout.lastText : stderr.lastText;
  // Over before anybody looked: that the kernel refused it processes is told all the same, unless it coped.
  const refused = status.exitCode === 0 ? null : findRefusedLimit(supervisor.group);
  const cpu = { usedMs: cpuMs, ranMs, maxMs: request.config.tools.run_command.max_cpu_seconds * 1000 };
  const ending = describeEnding(stop ?? refused, status, cpu, lastWords);
  const wentWell = ending.kind === 'exited' && ending.code === 0;
  const limit = Math.max(0, request.outputLimit - (wentWell ? 0 : (request.reservedOnFailure ?? 0)));
  const copy = buildDrawnCopy(stdout.ends, stderr.ends, limit);
  const redactions = stdout.redactions + stderr.redactions;
  const never = hasNeverRun(run, stop, status, copy.stderr);
  return {
    ending: never ? notConfinedEnding(copy.stderr) : ending,
    stdout: copy.stdout,
    stderr: copy.stderr,
    outputBytes: stdout.bytes + stderr.bytes,
    outputBytesLeftOut: copy.leftOut,
    redactions,
    whole: redactions === 0 ? null : buildDrawnCopy(stdout.wholeEnds, stderr.wholeEnds, limit),
    controlCharactersRemoved: stdout.controlsRemoved + stderr.controlsRemoved,
    storedOutputs,
    confinement: never ? null : run.confinement,
    cpuMs,
    peakMemoryBytes,
  };
}

const GATEHOUSE_MARK_HINT = 'marked GATEHOUSE_CALL=';

/** The limit at which the kernel refused the command something. */
function findRefusedLimit(group: CommandGroup | null) {
  if (group?.struck() === true) return passedLimit('max_processes');
  return group?.outOfMemory() === true ? passedLimit('max_memory_bytes') : null;
}

const passedLimit = (limit: StruckLimit) => ({ kind: 'limit', limit, code: null }) as const;

function describeEnding(
  stop: StopReason | null,
  status: CommandStatus,
  cpu: CpuTime,
  lastWords: string,
): CommandResult['ending'] {
  if (stop !== null) return stop;
  const struck = findStruckLimit(status, cpu, lastWords);
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

/** The result where nothing ran, so nothing was produced or used. */
export const emptyResult = (ending: CommandResult['ending']): SupervisedResult => ({
  ending,
  stdout: '',
  stderr: '',
  outputBytes: 0,
  outputBytesLeftOut: 0,
  redactions: 0,
  whole: null,
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
function hasNeverRun(run: SupervisedRun, stop: StopReason | null, status: CommandStatus, stderr: string): boolean {
  const { confinement, supervisor } = run;
  if (confinement === 'unconfined' || stop !== null) return false;
  const notes = readTextOrNull(supervisor.fifo.notesPath) ?? '';
  // “astray”: the mounts were not what they should be, and the command was ended before anything ran in them.
  if (notes.includes('"astray"')) return true;
  // “child-pid” is noted of every child: without it there was no bubblewrap to make one.
  if (!notes.includes('"child-pid"')) return true;
  return status.exitCode === 1 && stderr.startsWith('bwrap: ') && !notes.includes('"exit-code"');
}

const notConfinedEnding = (said: string): CommandResult['ending'] => ({
  kind: 'unstartable',
  reason: `The command could not be confined, so it was not run. ${said.trim()}`.trim(),
});

const delay = (ms: number): Promise<false> => setTimeout(ms, false);
