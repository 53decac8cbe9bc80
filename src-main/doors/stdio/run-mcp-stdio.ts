import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { readGatewayAddress } from '../../platform/gateway-file.js';
import { Bridge } from './bridge.js';
import { readLines } from './line-reader.js';
import { rpcError } from './rpc-message.js';
import { Upstream } from './upstream.js';

export interface McpStdioOptions {
  readonly dataDir: string;
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

const LONGEST_LINE = 4 * 1024 * 1024;
const POLL_MS = 50;

/** An MCP server on stdin and stdout. Resolves with the exit code when the client is gone. */
export async function runMcpStdio(options: McpStdioOptions): Promise<number> {
  const { dataDir, input, output, complain } = options;
  // A client that went away takes nothing more; reading its end is what ends us.
  output.on('error', () => input.destroy());
  input.on('error', () => undefined);

  const running = await findRunning(dataDir);
  if (!running) {
    if (options.workspace === null) {
      complain(
        `gatehouse: no Gatehouse serves on the data folder ${dataDir}. Open it and enable the gateway, or add --workspace <dir> to have it started.`,
      );
      return 2;
    }
    const problem = await startAndWait(options, options.workspace);
    if (problem !== null) {
      complain(`gatehouse: ${problem}`);
      return 1;
    }
  }

  const bridge = new Bridge({ find: () => readGatewayAddress(dataDir), write: writerTo(output) });
  const underWay = new Set<Promise<void>>();
  try {
    for await (const line of readLines(input, LONGEST_LINE)) {
      const taken =
        line.kind === 'line'
          ? bridge.take(line.text)
          : writerTo(output)(rpcError(-32_600, `A line was longer than ${LONGEST_LINE} bytes and was not read.`));
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

async function findRunning(dataDir: string): Promise<boolean> {
  const address = readGatewayAddress(dataDir);
  if (address === null) return false;
  const upstream = new Upstream(address, 'looking-for-the-app');
  try {
    return await upstream.isThere();
  } finally {
    upstream.close();
  }
}

/** Null when it serves. */
async function startAndWait(options: McpStdioOptions, workspace: string): Promise<string | null> {
  let problem: string | null = null;
  void options.startApp(workspace).failed.then((reason) => {
    problem = `the app could not be started: ${reason}. Start it by hand with the same flags, without --mcp-stdio, to see why.`;
  });
  const deadline = performance.now() + (options.startTimeoutMs ?? 60_000);
  while (performance.now() < deadline) {
    if (await findRunning(options.dataDir)) return null;
    if (problem !== null) return problem;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
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
