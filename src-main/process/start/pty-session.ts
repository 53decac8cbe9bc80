import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type IPty, spawn } from 'node-pty';
import { createEndMarkScanner } from '../output/end-mark.js';
import { createPlaceMarks, type PutMark } from '../output/place-marks.js';
import { childrenCpuMs, type NotBegun, READY } from './supervisor.js';
import { readTextOrNull } from '../environment/system-files.js';

/** A supervised command in a terminal of its own, and how it ended. */
export interface PtySession {
  readonly pid: number;
  /** The command is over, as the supervisor says or, where something ended the supervisor, as its own end tells. */
  readonly over: Promise<CommandStatus>;
  /** The terminal is closed and nothing more will come. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Gives the word to begin. Until then nothing comes out. */
  begin(onOutput: (bytes: Buffer) => void, onPlace: () => void): void;
  /** Marks the place up to which has been written so far: `onPlace` when it comes. */
  markPlace(): PutMark;
  pause(): void;
  resume(): void;
  /** Checks whether the command is over where nothing of it seems alive: it may be over, and unable to say so. */
  lookWhetherOver(): void;
  /** Ends a session that never began. */
  discard(): void;
}

export interface CommandStatus {
  readonly exitCode: number;
  readonly signal: number | null;
  /**
   * The processor time that the supervisor saw; confined, bubblewrap ends without having waited for the rest, and the
   * watch knows better.
   */
  readonly cpuMs: number | null;
  /** Why nothing ran: the folder could not be entered, the pipe was gone, or the supervisor ended before it was asked. */
  readonly notBegun: NotBegun | 'supervisor' | null;
}

export interface PtyOptions {
  readonly shell: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly endMark: string;
  readonly timesPath: string;
}

/** The looks of the watch before silence counts; it looks five times a second by then. */
const SILENT_LOOKS = 5;

export const COLUMNS = 120;
export const ROWS = 30;

export function openPtySession(options: PtyOptions): PtySession {
  const terminal = spawn(options.shell, options.args, {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: options.cwd,
    env: options.env,
    encoding: null,
  });
  const scanner = createEndMarkScanner(options.endMark);
  const marks = createPlaceMarks((bytes) => writeBehind(terminal, bytes));
  const over = Promise.withResolvers<CommandStatus>();
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let isReady = false;
  let saidBefore = '';
  let isAsked = false;
  let isPaused = false;
  /** How often in a row it looked as if it could not say that it is over. */
  let silentLooks = 0;
  let onOutput: (bytes: Buffer) => void = () => undefined;
  let onPlace: () => void = () => undefined;

  const said = (bytes: Buffer): void => {
    const { output, word } = scanner.push(bytes);
    for (const each of output) onOutput(each);
    if (word !== null)
      over.resolve({ ...statusOf(word), cpuMs: childrenCpuMs(readTextOrNull(options.timesPath) ?? '') });
  };
  // Without an encoding node-pty gives bytes, whatever its types say.
  const data = terminal.onData((chunk: unknown) => {
    silentLooks = 0;
    if (!isReady) {
      saidBefore += (chunk as Buffer).toString('latin1');
      if (!saidBefore.includes(READY)) return;
      isReady = true;
      if (isAsked) terminal.write('\n');
      return;
    }
    const { before, isMarked, after } = marks.take(chunk as Buffer);
    said(before);
    if (!isMarked) return;
    onPlace();
    said(after);
  });
  const exit = terminal.onExit(({ exitCode, signal }) => {
    const rest = scanner.end();
    if (rest.length > 0) onOutput(rest);
    data.dispose();
    exit.dispose();
    // Only the first result counts: after the supervisor's own, this one tells how the supervisor was ended.
    over.resolve({
      exitCode,
      signal: signal === undefined || signal === 0 ? null : signal,
      cpuMs: null,
      notBegun: isReady ? null : 'supervisor',
    });
    isClosed = true;
    closed.resolve();
  });
  return {
    pid: terminal.pid,
    over: over.promise,
    closed: closed.promise,
    get isClosed() {
      return isClosed;
    },
    begin(listener, placeListener) {
      onOutput = listener;
      onPlace = placeListener;
      isAsked = true;
      if (isReady) terminal.write('\n');
    },
    markPlace: () => (isClosed ? 'never' : marks.put()),
    discard: () => terminal.kill('SIGKILL'),
    pause() {
      isPaused = true;
      terminal.pause();
    },
    resume() {
      isPaused = false;
      terminal.resume();
    },
    lookWhetherOver() {
      // What it said may be on its way, or wait for us.
      if (isPaused || (silentLooks += 1) < SILENT_LOOKS) return;
      const times = readTextOrNull(options.timesPath) ?? '';
      const word = new RegExp(`^${options.endMark} (\\w+)$`, 'mu').exec(times)?.[1];
      if (word !== undefined) over.resolve({ ...statusOf(word), cpuMs: childrenCpuMs(times) });
    },
  };
}

/** Writes to the terminal as one more of its writers, behind the others; never waits. */
function writeBehind(terminal: IPty, bytes: Uint8Array): PutMark {
  const path: unknown = Reflect.get(terminal, 'ptsName');
  if (typeof path !== 'string') return 'never';
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      return writeSync(descriptor, bytes) === bytes.length ? 'put' : 'later';
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'later' : 'never';
  }
}

/** A shell reports a child that a signal ended as 128 and the signal's number. */
function statusOf(word: string): Omit<CommandStatus, 'cpuMs'> {
  if (word === 'folder' || word === 'pipe') return { exitCode: 125, signal: null, notBegun: word };
  const code = Number(word);
  return { exitCode: code, signal: code > 128 && code < 128 + 65 ? code - 128 : null, notBegun: null };
}
