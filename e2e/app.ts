import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { _electron, type ElectronApplication, test as base, type Page } from '@playwright/test';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';

export const projectDir = resolve(import.meta.dirname, '..');
const isRoot = process.getuid?.() === 0;

export interface LaunchOptions {
  /** Files of the workspace by name; `null` starts without one (the welcome screen). */
  readonly files?: Readonly<Record<string, string>> | null;
  /** The person's config.toml. */
  readonly config?: string;
  /** To start again on what an earlier start left. */
  readonly dataDir?: string;
  readonly workspace?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Started instead of the runtime, with the same words: it starts the runtime in its turn. */
  readonly launcher?: string;
}

/** The real app on folders of its own. */
export interface Gatehouse {
  readonly electron: ElectronApplication;
  readonly page: Page;
  readonly dataDir: string;
  readonly workspace: string;
  readonly pid: number | undefined;
  /** What the process said on stderr so far, without Chromium's own complaints. */
  readonly stderr: () => string;
  /** Ends it at once, as a crash does; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Ends it the way a SIGTERM does; gives its exit code. */
  readonly close: () => Promise<number | null>;
}

/** Chromium’s complaints about the desktop that a test machine has not, and the driver’s debugger. */
const NOISE = /^(?:\[|Debugger |For help, see|Waiting for the debugger|DevTools listening|libva|MESA).*\n?/gm;

export type Launch = (options?: LaunchOptions) => Promise<Gatehouse>;

export function makeFolder(name: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `gatehouse-${name}-`)));
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

async function launchGatehouse(options: LaunchOptions, folders: string[]): Promise<Gatehouse> {
  const folder = (name: string) => {
    const made = makeFolder(name);
    folders.push(made);
    return made;
  };
  const dataDir = options.dataDir ?? folder('data');
  const workspace = options.workspace ?? folder('workspace');
  if (options.files) writeFiles(workspace, options.files);
  if (options.config !== undefined) writeFileSync(join(dataDir, 'config.toml'), options.config);
  const electron = await _electron.launch({
    executablePath: options.launcher ?? electronExecutable(),
    cwd: projectDir,
    args: [
      projectDir,
      ...(isRoot ? ['--no-sandbox'] : []),
      // Numbers and dates are written as the tests expect them.
      '--lang=en-US',
      '--data-dir',
      dataDir,
      ...(options.files === null ? [] : ['--workspace', workspace]),
      ...(options.flags ?? []),
    ],
    env: { ...plainEnvironment(), ...options.env },
  });
  // Once it was killed, Playwright knows no process of it any more.
  const child = electron.process();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // A busy machine takes long to draw; what never comes ends with its test.
  electron.context().setDefaultTimeout(90_000);
  const page = await electron.firstWindow();
  // Not any load: the window begins on an empty page.
  await page.waitForURL('gatehouse://app/index.html');
  // Answered by main: its parts are joined, the workspace is open, the menu stands.
  await page.locator('.gh-frame').waitFor();
  return {
    electron,
    page,
    dataDir,
    workspace,
    pid: child.pid,
    stderr: () => stderr.replaceAll(NOISE, ''),
    kill: async () => {
      const gone = new Promise<void>((done) => void child.once('exit', () => done()));
      child.kill('SIGKILL');
      await gone;
    },
    close: async () => await endProcess(child),
  };
}

function plainEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(
    entries.filter(([name]) => name !== 'ELECTRON_RUN_AS_NODE' && name !== 'GATEHOUSE_DATA_DIR'),
  );
}

async function endProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  // Not merely gone: nothing of it holds its pipes any more, so all that it said was read.
  const ended = new Promise<void>((done) => void child.once('close', () => done()));
  child.kill('SIGTERM');
  await ended;
  return child.exitCode;
}

/** `launch` starts apps that end with the test; `gatehouse` is one on an empty workspace. */
export const test = base.extend<{ launch: Launch; gatehouse: Gatehouse }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures that are needed from this pattern.
  launch: async ({}, use) => {
    const started: Gatehouse[] = [];
    const folders: string[] = [];
    await use(async (options = {}) => {
      const app = await launchGatehouse(options, folders);
      started.push(app);
      return app;
    });
    for (const app of started) await app.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  },
  gatehouse: async ({ launch }, use) => {
    await use(await launch());
  },
});

export { expect } from '@playwright/test';
