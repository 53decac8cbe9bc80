import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const projectDir = resolve('.');
export const executable = process.execPath;
export const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** A started Electron, and when its window could be used, in ms after it was started. */
export interface Started {
  readonly child: ChildProcess;
  readonly readyAfterMs: number;
  readonly end: () => Promise<void>;
}

/** In a data folder of its own that is new, or in one that is kept from start to start, as a person's is. */
export async function startGatehouse(kept: string | null = null): Promise<Started> {
  const dataDir = kept ?? newFolder();
  const log = join(dataDir, 'logs', 'gatehouse.log');
  mkdirSync(dirname(log), { recursive: true });
  rmSync(log, { force: true });
  const args = [projectDir, ...asRoot, '--data-dir', dataDir];
  return await start(executable, args, {}, { watched: dirname(log), remove: kept === null ? dataDir : null }, () => {
    if (!existsSync(log)) return null;
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((text) => text.includes('"The window is ready"'));
    return line === undefined ? null : Date.parse((JSON.parse(line) as { at: string }).at);
  });
}

/** The gateway without a window; ready is when its address can be read. */
export async function startHeadless(): Promise<Started> {
  const dataDir = newFolder();
  const address = join(dataDir, 'gateway.json');
  const args = [projectDir, ...asRoot, '--headless', '--data-dir', dataDir];
  const nowhere = { DISPLAY: '', WAYLAND_DISPLAY: '' };
  return await start(executable, args, nowhere, { watched: dataDir, remove: dataDir }, () =>
    existsSync(address) ? statSync(address).mtimeMs : null,
  );
}

/** Electron itself, as small: no page, no window, nothing of ours. */
export async function startBareHeadless(flags: readonly string[]): Promise<Started> {
  const dataDir = newFolder();
  const ready = join(dataDir, 'ready');
  const extra = { BARE_DATA_DIR: dataDir, BARE_WITHOUT_WINDOW: '1' };
  return await start(bareRuntime(), [...asRoot, ...flags], extra, { watched: dataDir, remove: dataDir }, () =>
    existsSync(ready) ? Number(readFileSync(ready, 'utf8')) : null,
  );
}

/** The runtime as Node alone, with nothing to do. */
export async function startNode(): Promise<Started> {
  const dataDir = newFolder();
  const ready = join(dataDir, 'ready');
  const script = `require('node:fs').writeFileSync(process.env.READY, String(Date.now())); setInterval(() => {}, 1e6)`;
  const extra = { ELECTRON_RUN_AS_NODE: '1', READY: ready };
  return await start(executable, ['-e', script], extra, { watched: dataDir, remove: dataDir }, () =>
    existsSync(ready) ? Number(readFileSync(ready, 'utf8')) : null,
  );
}

export async function startBareWindow(kept: string | null = null): Promise<Started> {
  const dataDir = kept ?? newFolder();
  const ready = join(dataDir, 'ready');
  rmSync(ready, { force: true });
  const folders = { watched: dataDir, remove: kept === null ? dataDir : null };
  return await start(bareRuntime(), asRoot, { BARE_DATA_DIR: dataDir }, folders, () =>
    existsSync(ready) ? Number(readFileSync(ready, 'utf8')) : null,
  );
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));

async function start(
  program: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>>,
  { watched, remove }: { readonly watched: string; readonly remove: string | null },
  readyAt: () => number | null,
): Promise<Started> {
  const { ELECTRON_RUN_AS_NODE: _, ...inherited } = process.env;
  const env: NodeJS.ProcessEnv = { ...inherited, ...extra };
  const startedAt = Date.now();
  const child = spawn(program, args, { stdio: 'ignore', env });
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  const ready = await new Promise<number>((done, reject) => {
    const look = () => {
      const at = readyAt();
      if (at === null || Number.isNaN(at) || at === 0) return;
      watcher.close();
      done(at);
    };
    const watcher = watch(watched, look);
    void ended.then(() => reject(new Error(`${program} ended before its window was ready`)));
    look();
  });
  return {
    child,
    readyAfterMs: ready - startedAt,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
      if (remove !== null) rmSync(remove, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The same runtime, file for file, with the bare window as its app (the project's runtime always starts the project). */
function bareRuntime(): string {
  const source = dirname(executable);
  const target = resolve('artifacts', 'bench', 'bare-runtime');
  const program = join(target, 'electron');
  cpSync(resolve('scripts', 'bench', 'bare-window'), join(target, 'resources', 'app'), { recursive: true });
  if (existsSync(program)) return program;
  for (const name of readdirSync(source)) {
    if (name === 'resources' || name === 'locales') continue;
    linkSync(join(source, name), join(target, name));
  }
  cpSync(join(source, 'locales'), join(target, 'locales'), { recursive: true });
  return program;
}

/** What a process and all below it hold of memory now (resident), in MB. */
export function workingSetMb(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statusNumber(name, 'PPid');
    if (parent !== null) parents.set(Number(name), parent);
  }
  const belongs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === root) return true;
    return false;
  };
  const kilobytes = [...parents.keys()].filter(belongs).map((pid) => statusNumber(String(pid), 'VmRSS') ?? 0);
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

function statusNumber(pid: string, field: string): number | null {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? null : Number(match[1]);
  } catch {
    return null;
  }
}
