import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { app, dialog, session } from 'electron';
import { readAsset } from '../../platform/assets.js';
import type { StartOptions } from '../../platform/flags.js';
import type { FileLogger } from '../../platform/logger.js';
import type { DataPaths } from '../../platform/data-folder/paths.js';
import { readSmallFile, replaceSmallFile } from '../../platform/files/small-file.js';
import { APP_ORIGIN, serveApp } from '../../window/app-protocol.js';
import { registerIpc } from '../../window/border/register.js';
import { guardAllContents, guardSession } from '../../window/guards.js';
import { type AppWindow, NoWindow } from '../../window/app-window.js';
import { MainWindow } from '../../window/main-window.js';
import type { App } from '../compose.js';
import type { Inside } from './inside.js';
import { StartRefused } from './start-refused.js';

export interface RunningParts {
  readonly options: StartOptions;
  readonly workspace: string | null;
  readonly paths: DataPaths;
  /** A folder above the data's in which everybody may write; null where none is. */
  readonly openAboveData: string | null;
  /** The folder of the built parts: main, preload, renderer. */
  readonly built: string;
  /** The folder in which the engine keeps them compiled. */
  readonly compiled: string;
}

const STOP_LIMIT_MS = 20_000;
const SHOWN_LIMIT_MS = 10_000;

const inOneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ');

/**
 * The app from its start to its end. The window comes first, and loads next to nothing: all else is loaded while the page
 * reads its script in its own process, and what the page or anybody else asks meanwhile is answered when it is there.
 */
export class Running {
  readonly #parts: RunningParts;
  /** Made at once, once it is asked for. */
  #inside: Promise<Inside> | null = null;
  #composing: Promise<App> | null = null;
  readonly #made = Promise.withResolvers<App>();
  #app: App | null = null;
  #window: MainWindow | null = null;
  #stopping: Promise<void> | null = null;
  // Drawn, and answered: from then on a person can do something.
  readonly #drawn = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();
  readonly #pageless = Promise.withResolvers<void>();
  /** A window that nobody looks at is not drawn. */
  readonly #shown = Promise.race([
    this.#pageless.promise,
    Promise.all([this.#drawn.promise, this.#answered.promise]).then(() => undefined),
    delay(SHOWN_LIMIT_MS, undefined, { ref: false }),
  ]);
  readonly #took: Record<string, number> = {};
  #exitCode = 0;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.#reached('loaded');
    void Promise.all([this.#drawn.promise, this.#answered.promise]).then(() =>
      this.log((logger) => logger.info('The window is ready', { ms: this.#took })),
    );
    guardAllContents(app, this.#refused);
  }

  get window(): MainWindow | null {
    return this.#window;
  }

  /** A second start handed its workspace over; kept until the app is there. */
  handOver(workspace: string | null): void {
    this.#window?.bringToFront();
    void this.#made.promise.then((made) => made.handOver(workspace));
  }

  readonly mayClose = (): boolean => this.#stopping !== null || (this.#app?.mayClose() ?? true);

  /** Writes to the log in turn: entries from before there is a log are written when there is. */
  log(write: (logger: FileLogger) => void): void {
    // Where not even the log can be loaded, `failed` says so.
    void this.#load().then(
      ({ logger }) => write(logger),
      () => undefined,
    );
  }

  readonly fault = (title: string, error: unknown): void => {
    this.log((logger) => logger.error(title, { error }));
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const advice = 'It was logged. Your work goes on; if something looks wrong, restart the app.';
    void this.#made.promise.then(({ showFault }) =>
      showFault('Something went wrong inside Gatehouse', advice, details),
    );
  };

  async open(development: boolean): Promise<void> {
    this.#reached('Chromium ready');
    if (this.#parts.options.demo === 'to-its-end') return this.#playDemo(development);
    if (this.#parts.options.headless) return this.#serveAlone();
    const whatItNeeds = this.#serve();
    const window = this.#openWindow(development);
    this.#window = window;
    const { begun, done } = window.load();
    const loaded = done.catch((error: unknown) => {
      // A reload that came first, or a page that died: window-health.ts brings it back.
      if (this.#stopping === null) this.log((logger) => logger.error('The page did not load', { error }));
    });
    this.#reached('asked for the page');
    // What answers it takes a while to be loaded, and now it keeps nobody waiting.
    void globalThis.Response;
    this.#composing = this.#composeBetween(whatItNeeds, { begun, loaded }, window);
    this.#answer(this.#composing);
    const made = await this.#composing;
    this.#app = made;
    this.#made.resolve(made);
    this.#reached('composed');
    made.stream.onEvent((event) => window.told.add(event));
    await Promise.all([loaded, this.#shown]);
    // The menu's words are the contract's, which is loaded by now.
    const { installMenu } = await import('../../window/menu.js');
    installMenu(made.menu, { mac: process.platform === 'darwin', development });
  }

  /** No window: what a person would read in it of the gateway and of settings goes to stderr. */
  async #serveAlone(): Promise<void> {
    this.#pageless.resolve();
    this.#composing = this.#compose(new NoWindow());
    const made = await this.#composing;
    this.#app = made;
    this.#made.resolve(made);
    const said = new Set<string>();
    const say = (line: string): void => {
      if (!said.has(line)) process.stderr.write(`gatehouse: ${line}\n`);
      said.add(line);
    };
    const tell = (): void => {
      const { notices, status } = made.stream.snapshot();
      const { gateway } = status;
      for (const { id, title, text } of notices)
        if (id.startsWith('config-') || id === 'journal-failed') say(`${title}: ${inOneLine(text)}`);
      if (gateway.url !== null) say(`the gateway serves at ${gateway.url}`);
      if (gateway.problem !== null) say(gateway.problem);
    };
    made.stream.onEvent(tell);
    tell();
  }

  /** Plays the demo without showing anything: its window has no page, and the script answers for the person. */
  async #playDemo(development: boolean): Promise<void> {
    this.#pageless.resolve();
    const window = this.#openWindow(development);
    this.#window = window;
    this.#composing = this.#compose(window);
    const made = await this.#composing;
    this.#app = made;
    this.#made.resolve(made);
    this.#exitCode = await made.playDemo((line) => void process.stdout.write(`${line}\n`));
    await this.stop();
  }

  /**
   * The parts are loaded while the page's own process reads the page, and built while it reads what the page needs: in
   * between it is served, since it can do nothing until then.
   */
  async #composeBetween(
    whatItNeeds: Promise<unknown>,
    { begun, loaded }: { readonly begun: Promise<void>; readonly loaded: Promise<void> },
    window: MainWindow,
  ): Promise<App> {
    await Promise.race([begun, loaded]);
    this.#reached('page has begun');
    await Promise.race([Promise.all([this.#load(), whatItNeeds]), loaded]);
    this.#reached('parts loaded');
    return this.#compose(window);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The app could not be started: logged, said, and over. */
  async failed(cause: unknown): Promise<void> {
    if (this.#stopping !== null) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const inside = await this.#load().catch(() => null);
    if (cause instanceof StartRefused) {
      for (const line of cause.lines) process.stderr.write(`gatehouse: ${line}\n`);
      return app.exit(2);
    }
    inside?.logger.error('Starting failed', { error: cause });
    process.stderr.write(`gatehouse: starting failed: ${reason}\n`);
    // Started from a menu, nobody reads stderr.
    if (app.isPackaged) {
      dialog.showErrorBox('Gatehouse can’t start', `${reason}\n\nMore is in ${this.#parts.paths.logs}.`);
    }
    app.exit(1);
  }

  readonly #refused = (what: string, detail: string): void =>
    this.log((logger) => logger.warn('Refused to the window', { what, detail }));

  #reached(point: string): void {
    this.#took[point] ??= Math.round(performance.now());
  }

  #load(): Promise<Inside> {
    const { paths, built, compiled, workspace } = this.#parts;
    if (this.#inside === null) enableCompileCache(compiled);
    this.#inside ??= import('./inside.js').then(({ openInside }) => openInside(paths, join(built, 'main'), workspace));
    return this.#inside;
  }

  /** Resolves when the page was given its script and its style. */
  #serve(): Promise<unknown> {
    const [script, style] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    serveApp(
      session.defaultSession,
      async (path) => {
        const asset = await readAsset(join(this.#parts.built, 'renderer'), path);
        // In a turn of its own: the answer goes first.
        if (path.endsWith('.js')) setImmediate(script.resolve);
        if (path.endsWith('.css')) setImmediate(style.resolve);
        return asset;
      },
      async (callId, number) => this.#window?.picture(callId, number) ?? null,
    );
    guardSession(session.defaultSession, this.#refused);
    return Promise.all([script.promise, style.promise]);
  }

  #openWindow(development: boolean): MainWindow {
    const { built, paths } = this.#parts;
    return new MainWindow({
      preload: join(built, 'preload', 'index.cjs'),
      development,
      readState: () => readSmallFile(paths.windowState),
      writeState: (text) => {
        try {
          replaceSmallFile(paths.windowState, text);
        } catch (error) {
          // Worth a line in the log, not a quit that fails.
          const file = paths.windowState;
          this.log((logger) => logger.warn('The window’s place could not be remembered', { file, error }));
        }
      },
      onClose: () => void this.#closeWindow(),
      onShown: () => {
        this.#reached('drawn');
        this.#drawn.resolve();
      },
      onGiveUp: () => void this.stop(),
      onTrouble: (what, fields) => this.log((logger) => logger.error(what, fields)),
    });
  }

  async #compose(window: AppWindow): Promise<App> {
    const inside = await this.#load();
    const { options, workspace, openAboveData } = this.#parts;
    return inside.build({
      workspace,
      gateway: options.gateway,
      domain: options.domain,
      headless: options.headless,
      demo: options.demo,
      window,
      shown: this.#shown,
      givenDataDir: resolve(options.dataDir),
      openAboveData,
      packaged: app.isPackaged,
      launcher: { command: process.execPath, args: app.isPackaged ? [] : [app.getAppPath()] },
      chromiumSandboxOff:
        app.commandLine.hasSwitch('no-sandbox') || process.env['ELECTRON_DISABLE_SANDBOX'] !== undefined,
    });
  }

  #answer(composing: Promise<App>): void {
    const border = composing.then(async (made) => (await this.#load()).border(made, this.fault));
    registerIpc(border, {
      page: () => this.#window?.page ?? null,
      origin: APP_ORIGIN,
      onForeign: (url) => this.#refused('request from a foreign page', url),
      onAnswer: () => {
        // An answer is heard after all that was told before it.
        this.#window?.told.flush();
        this.#reached('answered');
        this.#answered.resolve();
      },
    });
  }

  /** Where the desktop has a tray the app stays there, and agents are served; elsewhere it ends. */
  async #closeWindow(): Promise<void> {
    if (this.#stopping === null && (await this.#app?.staysInTray()) === true) return this.#window?.hide();
    if (this.mayClose()) await this.stop();
  }

  async #stop(): Promise<void> {
    const inside = await this.#load().catch(() => null);
    try {
      // What will not end in time is left to the next start, which looks for it.
      await Promise.race([this.#composing?.then((made) => made.stop()), delay(STOP_LIMIT_MS)]);
      this.#window?.destroy();
    } catch (error) {
      inside?.logger.error('Stopping failed', { error });
    } finally {
      inside?.logger.info('Gatehouse ends');
      inside?.logger.close();
      app.exit(this.#exitCode);
    }
  }
}
