import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { app, dialog, session } from 'electron';
import type { App } from './app/compose.js';
import { Border } from './window/border/border.js';
import { registerIpc } from './window/border/register.js';
import { readAsset } from './platform/assets.js';
import { systemClock } from './platform/clock.js';
import { ConfigStore } from './settings/config-store.js';
import { unacceptedSettings } from './settings/unaccepted-settings.js';
import { parseFlags, type StartOptions } from './platform/flags.js';
import { systemKeyStore } from './platform/keys/key-store.js';
import { FileLogger } from './platform/logger.js';
import { type DataPaths, dataPaths, usableDataDir, usableWorkspace } from './platform/paths.js';
import { AppRedactor } from './platform/redaction/redactor.js';
import { Secrets } from './platform/keys/secrets.js';
import { readSmallFile, replaceSmallFile, temporaryFolder } from './platform/small-file.js';
import { driverAttached } from './platform/test-driver.js';
import { runWithoutDisplay } from './process/start/without-display.js';
import { APP_ORIGIN, registerAppScheme, serveApp } from './window/app-protocol.js';
import { guardAllContents, guardSession } from './window/guards.js';
import { MainWindow } from './window/main-window.js';
import { installMenu } from './window/menu.js';

const built = join(import.meta.dirname, '..');
const development = !app.isPackaged;
const STOP_LIMIT_MS = 20_000;
const SHOWN_LIMIT_MS = 10_000;
main();

function main(): void {
  const parsed = parseFlags(process.argv.slice(1), {
    packaged: app.isPackaged,
    defaultDataDir: app.getPath('userData'),
    environment: process.env,
  });
  if (!parsed.ok) return refuse(parsed.problem);
  const asked = parsed.options.workspace;
  const workspace = asked === null ? null : usableWorkspace(asked, parsed.options.dataDir);
  if (workspace !== null && !workspace.ok) return refuse(workspace.problem);
  const dataDir = usableDataDir(parsed.options.dataDir);
  if (!dataDir.ok) return refuse(dataDir.problem);

  const paths = dataPaths(dataDir.path);
  if (parsed.options.mcpStdio) return serveStdio(paths, workspace?.path ?? null, parsed.options.agent);
  // The lock is the profile's: one instance for each data folder.
  app.setPath('userData', paths.chromium);
  const handOver = { workspace: workspace?.path ?? null };
  if (!app.requestSingleInstanceLock(handOver)) {
    app.exit(0);
    return;
  }
  registerAppScheme();
  run(parsed.options, workspace?.path ?? null, paths, dataDir.openAbove ?? null);
}

/** An MCP client's pipe to the app that runs, or is started: a process of its own, without window, lock or profile. */
function serveStdio(paths: DataPaths, workspace: string | null, agent: string | null): void {
  const code = runWithoutDisplay(process.argv.slice(1));
  if (code !== null) return app.exit(code);
  const profile = temporaryFolder('gatehouse-stdio-');
  app.setPath('userData', profile.path);
  const appArgs = development ? [app.getAppPath()] : [];
  void import('./app/start/mcp-stdio.js')
    .then(({ serveMcpStdio }) => serveMcpStdio({ dataDir: paths.root, workspace, agent, appArgs }))
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

/** Where the window stood is worth a line in the log, not a quit that fails. */
function rememberOrTell(logger: FileLogger, file: string, text: string): void {
  try {
    replaceSmallFile(file, text);
  } catch (error) {
    logger.warn('The window’s place could not be remembered', { file, error });
  }
}

/** One clear line, and exit code 2. */
function refuse(problem: string): void {
  process.stderr.write(`gatehouse: ${problem}\n`);
  app.exit(2);
}

function run(options: StartOptions, workspace: string | null, paths: DataPaths, openAboveData: string | null): void {
  const redactor = new AppRedactor({
    entry: pathToFileURL(join(built, 'main', 'redaction.js')),
    onFault: (error) => logger.error('Secrets could not be looked for', { error }),
  });
  const logger = new FileLogger({ directory: paths.logs, now: () => systemClock.now(), redactor });
  logger.info('Gatehouse starts', { version: app.getVersion(), pid: process.pid, workspace });
  const refused = (what: string, detail: string) => logger.warn('Refused to the window', { what, detail });
  let window: MainWindow | null = null;
  let started: App | null = null;
  let composing: Promise<App> | null = null;
  /** What comes while the app starts is kept until it has: a fault, a workspace that a second start hands over. */
  const made = Promise.withResolvers<App>();
  let stopping: Promise<void> | null = null;

  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      try {
        // What will not end in time is left to the next start, which looks for it.
        await Promise.race([composing?.then((composed) => composed.stop()), delay(STOP_LIMIT_MS)]);
        window?.destroy();
      } catch (error) {
        logger.error('Stopping failed', { error });
      } finally {
        logger.info('Gatehouse ends');
        logger.close();
        app.exit(0);
      }
    })();
    return stopping;
  };
  const onSignal = () => void stop();
  const takeSignals = () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal).on(signal, onSignal);
  };
  takeSignals();
  const mayClose = () => stopping !== null || (started?.mayClose() ?? true);
  const fault = (title: string, error: unknown) => {
    logger.error(title, { error });
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const advice = 'It was logged. Your work goes on; if something looks wrong, restart the app.';
    void made.promise.then(({ showFault }) => showFault('Something went wrong inside Gatehouse', advice, details));
  };

  process.on('uncaughtException', (error) => fault('Uncaught error', error));
  process.on('unhandledRejection', (error) => fault('Unhandled rejection', error));
  guardAllContents(app, refused);
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    window?.bringToFront();
    const handed = (data as { workspace?: unknown } | null)?.workspace;
    void made.promise.then(({ handOver }) => handOver(typeof handed === 'string' ? handed : null));
  });
  app.on('activate', () => window?.bringToFront());
  app.on('window-all-closed', () => void stop());
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (mayClose()) void stop();
  });

  // Drawn, and answered: from here on a person can do something.
  const drawn = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const took: Record<string, number> = {};
  const reached = (point: string) => void (took[point] = Math.round(performance.now()));
  void Promise.all([drawn.promise, answered.promise]).then(() => logger.info('The window is ready', { ms: took }));

  const open = async (): Promise<void> => {
    reached('Chromium ready');
    // Electron took the signals for itself meanwhile.
    takeSignals();
    const scriptServed = Promise.withResolvers<void>();
    serveApp(session.defaultSession, async (path) => {
      const asset = await readAsset(join(built, 'renderer'), path);
      if (path.endsWith('.js')) scriptServed.resolve();
      return asset;
    });
    guardSession(session.defaultSession, refused);
    window = new MainWindow({
      preload: join(built, 'preload', 'index.cjs'),
      development,
      readState: () => readSmallFile(paths.windowState),
      writeState: (text) => rememberOrTell(logger, paths.windowState, text),
      mayClose,
      onShown: () => {
        reached('drawn');
        drawn.resolve();
      },
      onGiveUp: () => void stop(),
      onTrouble: (what, fields) => logger.error(what, fields),
    });
    const parts = {
      workspace,
      gateway: options.gateway,
      paths,
      redactor,
      logger,
      window,
      config,
      // A window that nobody looks at is not drawn.
      shown: Promise.race([
        Promise.all([drawn.promise, answered.promise]).then(() => undefined),
        delay(SHOWN_LIMIT_MS, undefined, { ref: false }),
      ]),
      givenDataDir: resolve(options.dataDir),
      openAboveData,
      packaged: app.isPackaged,
      built: join(built, 'main'),
      launcher: { command: process.execPath, args: app.isPackaged ? [] : [app.getAppPath()] },
      chromiumSandboxOff:
        app.commandLine.hasSwitch('no-sandbox') || process.env['ELECTRON_DISABLE_SANDBOX'] !== undefined,
    };
    // First the page gets its script, and reads it in its own process while the parts are built in this one. What it
    // asks meanwhile is answered when they are.
    const loading = window.load().catch((error: unknown) => {
      // A reload that came first, or a page that died: window-health.ts brings it back.
      if (stopping === null) logger.error('The page did not load', { error });
    });
    reached('asked for the page');
    composing = Promise.all([
      import('./app/compose.js'),
      systemKeyStore(),
      Promise.race([scriptServed.promise, loading]),
    ]).then(([{ compose }, keyStore]) => {
      reached('parts loaded');
      return compose({ ...parts, keyStore, secrets: new Secrets(paths.secrets, keyStore) });
    });
    registerIpc(
      composing.then(({ handlers }) => new Border(handlers, (channel, error) => fault(`${channel} failed`, error))),
      {
        page: () => window?.page ?? null,
        origin: APP_ORIGIN,
        onForeign: (url) => refused('request from a foreign page', url),
        onAnswer: () => {
          took['answered'] ??= Math.round(performance.now());
          answered.resolve();
        },
      },
    );
    started = await composing;
    made.resolve(started);
    reached('composed');
    started.stream.onEvent((event) => window?.send(event));
    installMenu(started.menu, { mac: process.platform === 'darwin', development });
    await loading;
  };

  reached('loaded');
  const config = new ConfigStore(
    paths.config,
    unacceptedSettings(paths.unacceptedSettings, (error) =>
      logger.warn('Which settings wait for a yes could not be kept', { error }),
    ),
  );
  const attached = development ? driverAttached(process.argv) : Promise.resolve();
  Promise.all([app.whenReady(), attached])
    .then(open)
    .catch((error: unknown) => {
      if (stopping !== null) return;
      logger.error('Starting failed', { error });
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`gatehouse: starting failed: ${reason}\n`);
      // Started from a menu, nobody reads stderr.
      if (app.isPackaged) dialog.showErrorBox('Gatehouse can’t start', `${reason}\n\nMore is in ${paths.logs}.`);
      app.exit(1);
    });
}
