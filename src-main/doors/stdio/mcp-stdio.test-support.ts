import { expect } from 'vitest';
import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { prepareSocketPath } from '../../platform/data-folder/socket-path.js';
import { PipeToolLists } from '../../platform/data-folder/pipe-lists.js';
import { StandInServer } from './stand-in-server.js';
import { runMcpStdio } from './run-mcp-stdio.js';

export interface Reply {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const BUILT_IN = {
  tools: [{ name: 'built_in', inputSchema: { type: 'object' } }],
  instructions: 'As it comes.',
};
export const never = <T>(): Promise<T> => new Promise(() => undefined);

/** A client at the other end of the pipes. */
export function startBridge(
  dataDir: string,
  workspace: string | null = null,
  startApp: () => Promise<string> = never,
  agent: string | null = null,
  handedOver: () => Promise<void> = never,
  silenceMs = 10_000,
  cwd: string | null = null,
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: Reply[] = [];
  const watchers = new Set<() => void>();
  const complaints: string[] = [];
  let text = '';
  output.setEncoding('utf8').on('data', (chunk) => {
    text += String(chunk);
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      received.push(JSON.parse(text.slice(0, end)) as Reply);
      text = text.slice(end + 1);
    }
    for (const watcher of watchers) watcher();
  });
  const exit = runMcpStdio({
    dataDir,
    workspace,
    agent,
    cwd,
    test: null,
    meanwhile: new StandInServer({
      version: '9.9.9',
      lists: new PipeToolLists(join(dataDir, 'pipe-lists'), agent),
      builtIn: async () => BUILT_IN,
    }),
    startApp: () => ({ failed: startApp(), handedOver: handedOver() }),
    input,
    output,
    complain: (line) => complaints.push(line),
    startTimeoutMs: 2000,
    graceMs: 300,
    silenceMs,
  });
  const reply = async (matches: (reply: Reply) => boolean): Promise<Reply> => {
    const find = (): Reply | undefined => received.find(matches);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const watcher = (): void => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    watchers.add(watcher);
    watcher();
    const found = await promise;
    watchers.delete(watcher);
    return found;
  };
  const send = (message: unknown): void => {
    input.write(
      typeof message === 'string' ? `${message}\n` : `${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n`,
    );
  };
  return {
    input,
    output,
    received,
    complaints,
    exit,
    send,
    reply,
    ask(id: unknown, method: string, params: object = {}): Promise<Reply> {
      send({ id, method, params });
      return reply((each) => each.id === id && each.method === undefined);
    },
    async introduce(name = 'piped', capabilities: object = {}): Promise<Reply> {
      const answer = await this.ask('init', 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities,
        clientInfo: { name, version: '3' },
      });
      send({ method: 'notifications/initialized' });
      return answer;
    },
  };
}

/** Leaves a socket that nobody listens on, as an app that was killed does. */
export function leaveSocket(dataDir: string): void {
  const path = prepareSocketPath(dataDir);
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  expect(lstatSync(path).isSocket()).toBe(true);
}

export const call = (name: string, args: object = {}) => ({ name, arguments: args });
export const end = async (bridge: ReturnType<typeof startBridge>): Promise<void> => {
  bridge.input.end();
  expect(await bridge.exit).toBe(0);
};
