import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { readLines } from '../line-reader.js';
import { type AppPipe, openAppPipe } from './app-pipe.js';
import { Bridge } from './bridge.js';
import { rpcError } from './rpc-message.js';
import { LONGEST_MESSAGE } from '../../domain/size-bounds.js';

export interface McpStdioOptions {
  readonly dataDir: string;
  /** Which agent this pipe is; null for an unnamed one. */
  readonly agent: string | null;
  /** What to open when the app has to be started; null when the flag was not given. */
  readonly workspace: string | null;
  /** Starts the app on its own, so that it outlives this process. `failed` settles, with the reason, only if that failed. */
  readonly startApp: (workspace: string) => { readonly failed: Promise<string> };
  readonly input: Readable;
  /** For the protocol, and nothing else. */
  readonly output: Writable;
  readonly complain: (line: string) => void;
  readonly startTimeoutMs?: number;
  /** How long answers that are under way may take after the client stopped speaking. */
  readonly graceMs?: number;
}

const POLL_MS = 50;

/** An MCP server on stdin and stdout. Resolves with the exit code when the client is gone. */
export async function runMcpStdio(options: McpStdioOptions): Promise<number> {
  const { dataDir, input, output, complain } = options;
  // A client that went away takes nothing more; reading its end is what ends us.
  output.on('error', () => input.destroy());
  input.on('error', () => undefined);

  const open = (): Promise<AppPipe> => openAppPipe(dataDir, { agent: options.agent });
  /** The one that proved that the app runs is the one that is used. */
  let first: AppPipe | null = await open();
  if (!first.ok && first.refused !== null) {
    complain(`gatehouse: ${first.refused}`);
    return 1;
  }
  if (!first.ok) {
    if (options.workspace === null) {
      complain(
        `gatehouse: no Gatehouse runs on the data folder ${dataDir}. Open it, or add --workspace <dir> to have it started.`,
      );
      return 2;
    }
    const started = await startAndWait(options, options.workspace, open);
    if (typeof started === 'string') {
      complain(`gatehouse: ${started}`);
      return 1;
    }
    first = started;
  }

  const bridge = new Bridge({
    open: async () => {
      const ready = first;
      first = null;
      return ready?.ok === true && !ready.stream.destroyed ? ready : open();
    },
    write: writerTo(output),
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
  if (!output.destroyed) await settledWithin([...underWay], options.graceMs ?? 1000);
  await bridge.close();
  return 0;
}

/** The pipe to the app that was started, or why there is none. */
async function startAndWait(
  options: McpStdioOptions,
  workspace: string,
  open: () => Promise<AppPipe>,
): Promise<AppPipe | string> {
  let problem: string | null = null;
  void options.startApp(workspace).failed.then((reason) => {
    problem = `the app could not be started: ${reason}. Start it by hand with the same flags, without --mcp-stdio, to see why.`;
  });
  const deadline = performance.now() + (options.startTimeoutMs ?? 60_000);
  while (performance.now() < deadline) {
    const pipe = await open();
    if (pipe.ok) return pipe;
    if (pipe.refused !== null) return pipe.refused;
    if (problem !== null) return problem;
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
