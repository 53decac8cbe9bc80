import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const executable = process.execPath;
export const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export interface RunningApp {
  readonly dataDir: string;
  readonly url: string;
  readonly token: string;
  readonly end: () => Promise<void>;
}

export async function startApp(dataDir: string, workspace: string, more: readonly string[] = []): Promise<RunningApp> {
  const flags = [...asRoot, '--gateway', '--data-dir', dataDir, '--workspace', workspace, ...more];
  const child = spawn(executable, [resolve('.'), ...flags], { stdio: 'ignore', env: withoutNode() });
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  const address = await until(() => {
    if (child.exitCode !== null) throw new Error('Gatehouse ended before it served.');
    const file = join(dataDir, 'gateway.json');
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly url: string; readonly token: string })
      : null;
  });
  return {
    dataDir,
    ...address,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export async function until<T>(look: () => T | null | Promise<T | null>): Promise<T> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error('It did not start within a minute.');
}

export function withoutNode(): Record<string, string> {
  const rest = stringsOf(process.env);
  delete rest['ELECTRON_RUN_AS_NODE'];
  return rest;
}

export function stringsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
