import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { readLines } from '../line-reader.js';
import { probePipe, openAppPipe } from './app-pipe.js';
import { Bridge } from './bridge.js';
import type { StandInServer } from './stand-in-server.js';
import { rpcError } from './rpc-message.js';
import { LONGEST_MESSAGE } from '../../domain/size-bounds.js';

export interface McpStdioOptions {
  readonly dataDir: string;
  /** The agent of this pipe; null for an unnamed one. */
  readonly agent: string | null;
  /** Where it was told to work, by its real path: opened where it is not open; null when the flag was not given. */
  readonly workspace: string | null;
  /** Where this process was started; null where that is gone. */
  readonly cwd: string | null;
  /** The id of the window's own test call; null for everybody else. */
  readonly test: string | null;
  /** Starts the app on its own, so that it outlives this process. */
  readonly startApp: () => StartedApp;
  /** The answers given in the app's place. */
  readonly meanwhile: StandInServer;
  readonly input: Readable;
  /** The stream for the protocol, and nothing else. */
  readonly output: Writable;
  readonly complain: (line: string) => void;
  readonly startTimeoutMs?: number;
  /** How long somebody may be there and say nothing. */
  readonly silenceMs?: number;
  /** How long answers that are under way may take after the client stopped speaking. */
  readonly graceMs?: number;
}

export interface StartedApp {
  /** Settles, with the reason, only if it could not be started. */
  readonly failed: Promise<string>;
  /** Settles only if it found an app that runs, and left the rest to that one. */
  readonly handedOver: Promise<void>;
}

const POLL_MS = 50;
/** An app that closes needs a moment for it. */
const SILENCE_MS = 5000;
const HANDED_OVER_MS = 500;
const SILENT =
  'the Gatehouse that runs does not answer: it is closing, stuck, or of another version. Quit it, wait until its window is gone, and try again.';

/** An MCP server on stdin and stdout. Resolves with the exit code when the client is gone. */
export async function runMcpStdio(options: McpStdioOptions): Promise<number> {
  const { dataDir, input, output, complain } = options;
  // A client that went away takes nothing more; reading its end is what ends us.
  output.on('error', () => input.destroy());
  input.on('error', () => undefined);

  const problem = ensureApp(options);
  let settled: string | null = null;
  const itself = randomUUID();
  const bridge = new Bridge({
    cwd: options.cwd,
    standIn: options.meanwhile,
    write: writerTo(output),
    open: async (place) => {
      const refused = await problem;
      if (refused !== null) return { ok: false, refused };
      const { agent, workspace, test } = options;
      const pipe = await openAppPipe(dataDir, { agent, knocks: false, workspace, place, settled, test, pipe: itself });
      // Whatever is open after a restart, it comes back to where it was.
      if (pipe.ok && pipe.workspace !== '') settled = pipe.workspace;
      return pipe;
    },
  });
  let code = 0;
  void problem.then((refused) => {
    if (refused === null) return;
    complain(`gatehouse: ${refused}`);
    code = 1;
    input.destroy();
  });
  const underWay = new Set<Promise<void>>();
  try {
    for await (const line of readLines(input, LONGEST_MESSAGE)) {
      const taken =
        line.kind === 'line'
          ? bridge.take(line.bytes)
          : writerTo(output)(rpcError(-32_600, `A line was longer than ${LONGEST_MESSAGE} bytes and was not read.`));
      underWay.add(taken);
      void taken.finally(() => underWay.delete(taken));
    }
  } catch {
    // The input broke: the client is gone.
  }
  // A client that left at once left all the same, but why nothing could be started is said.
  await settledWithin([problem, ...(output.destroyed ? [] : underWay)], options.graceMs ?? 1000);
  await bridge.close();
  return code;
}

/** Sees to it that an app runs which takes this pipe. Null where it does, else why there is none, in words. */
async function ensureApp(options: McpStdioOptions): Promise<string | null> {
  const ask = (): Promise<PipeProbe> => probePipe(options.dataDir, options.agent);
  const found = await retryWhileSilent(ask, options.silenceMs ?? SILENCE_MS);
  if (found.ok) return null;
  if (found.silent === true) return SILENT;
  if (found.refused !== null) return found.refused;
  // The window that asked for the test is gone, and with it who wanted to know.
  return options.test === null ? startAndWait(options, ask) : 'the Gatehouse that started this test is gone.';
}

type PipeProbe = Awaited<ReturnType<typeof probePipe>>;

/** Tries again while the app says nothing: most such apps are closing, and then nobody is there. */
async function retryWhileSilent(open: () => Promise<PipeProbe>, patienceMs: number): Promise<PipeProbe> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const pipe = await open();
    if (pipe.ok || pipe.silent !== true || performance.now() >= deadline) return pipe;
    await delay(POLL_MS);
  }
}

/** Null when the app that was started takes pipes, or why there is none. */
async function startAndWait(options: McpStdioOptions, open: () => Promise<PipeProbe>): Promise<string | null> {
  let problem: string | null = null;
  const start = (): void => {
    const { failed, handedOver } = options.startApp();
    void failed.then((reason) => {
      problem = `the app could not be started: ${reason}. Start it by hand with the same flags, without --mcp-stdio, to see why.`;
    });
    // The started app found another that runs and serves nobody: that one is closing. When it is gone, a new one can start.
    void handedOver.then(() => delay(HANDED_OVER_MS)).then(() => (again = true));
  };
  let again = false;
  start();
  const deadline = performance.now() + (options.startTimeoutMs ?? 60_000);
  while (performance.now() < deadline) {
    const pipe = await open();
    if (pipe.ok) return null;
    if (pipe.refused !== null) return pipe.refused;
    if (problem !== null) return problem;
    if (again) {
      again = false;
      start();
    }
    await delay(POLL_MS);
  }
  return 'the app was started, but it did not begin to serve. Open Gatehouse and look at its Health page.';
}

function writerTo(output: Writable): (message: string) => Promise<void> {
  return async (message) => {
    if (output.destroyed || output.write(`${message}\n`)) return;
    await once(output, 'drain').catch(() => undefined);
  };
}

function settledWithin(promises: readonly Promise<unknown>[], ms: number): Promise<unknown> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  return Promise.race([Promise.allSettled(promises), timeout]).finally(() => clearTimeout(timer));
}
