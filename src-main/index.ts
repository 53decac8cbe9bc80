import { join } from 'node:path';
import { app, Menu } from 'electron';
import { type DemoFolders, createDemoFolders, demoSampleFolder } from './platform/files/demo-folders.js';
import { Running, type RunningParts } from './app/start/running.js';
import { parseFlags } from './platform/flags.js';
import { type DataPaths, listDataPaths, prepareDataDir, checkWorkspace } from './platform/data-folder/paths.js';
import { temporaryFolder } from './platform/files/small-file.js';
import { attachTestDriver } from './platform/test-driver.js';
import { runWithoutDisplay, startWithoutPages } from './process/start/without-display.js';
import { registerAppScheme } from './window/app-protocol.js';

const built = join(import.meta.dirname, '..');
const development = !app.isPackaged;
main();

function main(): void {
  const parsed = parseFlags(process.argv.slice(1), {
    packaged: app.isPackaged,
    defaultDataDir: ownPlace(),
    environment: process.env,
  });
  if (!parsed.ok) return refuse(parsed.problem);
  if (parsed.options.headless) startWithoutPages(process.argv.slice(1));
  const asked = parsed.options.workspace;
  const workspace = asked === null ? null : checkWorkspace(asked, parsed.options.dataDir);
  if (workspace !== null && !workspace.ok) return refuse(workspace.problem);
  const demo = parsed.options.demo === null ? null : demoPlace();
  if (demo !== null && 'problem' in demo) return refuse(demo.problem);
  // A folder that was named is the person's wish; the platform's own place is not for playing in.
  const asIs = demo === null || parsed.options.dataDirSaid;
  const dataDir = prepareDataDir(asIs ? parsed.options.dataDir : demo.dataDir);
  if (!dataDir.ok) return refuse(dataDir.problem);

  const all = listDataPaths(dataDir.path);
  const paths = demo === null ? all : { ...all, config: demo.config };
  if (parsed.options.mcpStdio) return serveStdio(paths, workspace?.path ?? null, parsed.options.agent);
  // The lock is the profile's: one instance for each data folder.
  app.setPath('userData', paths.chromium);
  // What can't be handed over is refused whole: nothing of it opens a folder there.
  const handsOver = demo === null && !(parsed.options.headless && parsed.options.domain !== null);
  const handed = handsOver && workspace !== null ? handedAs(workspace.path) : null;
  if (!app.requestSingleInstanceLock({ workspace: handed })) {
    if (!handsOver && demo === null)
      return refuse(`Gatehouse runs on ${paths.root} already. Close it, or start this one with another --data-dir.`);
    if (parsed.options.headless)
      process.stderr.write(`gatehouse: Gatehouse runs on ${paths.root} already, and serves this too.\n`);
    if (demo !== null)
      return refuse(`Gatehouse runs on ${paths.root} already. Close it, or start the demo without --data-dir.`);
    app.exit(0);
    return;
  }
  registerAppScheme();
  // Ours comes after the window; without this word Electron makes one of its own first.
  Menu.setApplicationMenu(null);
  run({
    options: parsed.options,
    workspace: demo?.workspace ?? workspace?.path ?? null,
    paths,
    openAboveData: dataDir.openAbove ?? null,
    built,
    // The build leaves it beside the code. An installed app's own folder can't be written to.
    compiled: development ? join(built, 'compiled') : paths.compileCache,
  });
}

/**
 * As plain letters and digits: Chromium drops blanks from its message where a name is of wide characters, can’t read it then, answers
 * nothing, and the second start takes the first for hung and kills it.
 */
function handedAs(path: string): string {
  return Buffer.from(path).toString('base64url');
}

function pathHanded(handed: string): string {
  return Buffer.from(handed, 'base64url').toString();
}

/** In a container whose root is read-only, or for a user without a home folder, there is none. */
function ownPlace(): string | null {
  try {
    return app.getPath('userData');
  } catch {
    return null;
  }
}

/** Node’s own, and in none of its types: what Chromium would write into its profile at the end has no folder any more. */
interface EndsAtOnce {
  readonly reallyExit: (code: number) => never;
}

/** Gone with the process, however it ends by itself. */
function demoPlace(): DemoFolders | { readonly problem: string } {
  const place = createDemoFolders(demoSampleFolder(app.getAppPath()));
  if ('problem' in place) return place;
  // Chromium's network process would write the cache after ours has ended.
  app.commandLine.appendSwitch('disable-http-cache');
  process.once('exit', (code) => {
    // What Chromium keeps its lock with it would take away after this.
    app.releaseSingleInstanceLock();
    place.remove();
    (process as unknown as EndsAtOnce).reallyExit(code);
  });
  return place;
}

/** An MCP client's pipe to the app that runs, or is started: a process of its own, without window, lock or profile. */
function serveStdio(paths: DataPaths, workspace: string | null, agent: string | null): void {
  const code = runWithoutDisplay(process.argv.slice(1));
  if (code !== null) return app.exit(code);
  const profile = temporaryFolder('gatehouse-stdio-');
  app.setPath('userData', profile.path);
  const appArgs = development ? [app.getAppPath()] : [];
  void import('./app/start/mcp-stdio.js')
    .then(({ serveMcpStdio }) =>
      serveMcpStdio({ dataDir: paths.root, workspace, agent, version: app.getVersion(), appArgs }),
    )
    .catch((error: unknown) => {
      process.stderr.write(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    })
    .finally(profile.remove)
    .then(async (exitCode) => {
      // Asked to exit while it is still on its way up, Electron may forget the code.
      await app.whenReady();
      app.exit(exitCode);
    });
}

/** One clear line, and exit code 2. */
function refuse(problem: string): void {
  process.stderr.write(`gatehouse: ${problem}\n`);
  app.exit(2);
}

/** What Electron tells the app. */
function run(parts: RunningParts): void {
  const running = new Running(parts);
  const onSignal = () => void running.stop();
  const takeSignals = () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal).on(signal, onSignal);
  };
  takeSignals();
  process.on('uncaughtException', (error) => running.fault('Uncaught error', error));
  process.on('unhandledRejection', (error) => running.fault('Unhandled rejection', error));
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    const handed = (data as { workspace?: unknown } | null)?.workspace;
    running.handOver(typeof handed === 'string' ? pathHanded(handed) : null);
  });
  app.on('activate', () => running.window?.bringToFront());
  app.on('window-all-closed', () => void running.stop());
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (running.mayClose()) void running.stop();
  });
  const attached = development ? attachTestDriver(process.argv) : Promise.resolve();
  Promise.all([app.whenReady(), attached])
    .then(() => {
      // Electron took the signals for itself meanwhile.
      takeSignals();
      return running.open(development);
    })
    .catch((error: unknown) => running.failed(error));
}
