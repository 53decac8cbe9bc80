import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { electronExecutable } from '../../../scripts/setup/electron-runtime.mjs';

export interface ServedApp {
  readonly pid: number;
  readonly stderr: () => string;
  readonly get: (path: string) => Promise<Record<string, unknown>>;
  readonly post: (path: string, body: object) => Promise<Record<string, unknown>>;
  readonly run: (
    toolId: string,
    input: object,
  ) => Promise<{ readonly status: number; readonly body: { readonly ok: boolean } }>;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Asks it to end; gives its exit code. */
  readonly end: () => Promise<number | null>;
}

/** The real app, as built, without a window. */
export async function serveApp(dataDir: string, flags: readonly string[]): Promise<ServedApp> {
  const child = spawn(
    electronExecutable(),
    [
      resolve('.'),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--headless',
      '--data-dir',
      dataDir,
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: withoutNode() },
  );
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const gone = new Promise<number | null>((done) => void child.once('exit', (code) => done(code)));
  const file = join(dataDir, 'gateway.json');
  const isOurs = (): boolean => {
    if (!existsSync(file)) return false;
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid === child.pid;
  };
  while (!isOurs()) {
    if (child.exitCode !== null) throw new Error(`It ended: ${stderr}`);
    await wait(20);
  }
  const { url, token } = JSON.parse(readFileSync(file, 'utf8')) as { readonly url: string; readonly token: string };
  const headers = { authorization: `Bearer ${token}` };
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    get: async (path) => (await (await fetch(`${url}${path}`, { headers })).json()) as Record<string, unknown>,
    post: async (path, body) => {
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Record<string, unknown>;
    },
    run: async (toolId, input) => {
      const response = await fetch(`${url}/v1/tools/${toolId}:run`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input }),
      });
      return { status: response.status, body: (await response.json()) as { ok: boolean } };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    end: async () => {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

function withoutNode(): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _node, DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...rest } = process.env;
  return rest;
}

/** Processes of this machine with a word among what they were started with. */
export function processesWith(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}
