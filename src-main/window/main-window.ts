import { BrowserWindow, nativeTheme, screen, type WebContents } from 'electron';
import type { AppEvent } from '#contract/window/app-events.js';
import { EVENT_CHANNEL } from '#contract/window/wire.js';
import { APP_URL, type ReadPicture } from './app-protocol.js';
import { EventBatcher } from './event-batcher.js';
import { watchHealth, type HealthHandlers } from './window-health.js';
import { MINIMUM, parseWindowState, placeWindow, type WindowState } from './window-state.js';

export interface MainWindowOptions extends HealthHandlers {
  readonly preload: string;
  readonly readState: () => string | null;
  readonly writeState: (text: string) => void;
  readonly development: boolean;
  /** The person closes it. It stays until it is hidden or destroyed. */
  readonly onClose: () => void;
  /** Called when the window was drawn for the first time. */
  readonly onShown: () => void;
}

export type Theme = WindowState['theme'];

/** The app's window. Shows what main says, remembers its place, and comes back when its page dies. */
export class MainWindow {
  readonly #options: MainWindowOptions;
  readonly #window: BrowserWindow;
  #theme: Theme;
  #normal: WindowState['bounds'];
  #title = 'Gatehouse';
  #waiting = 0;
  #readPicture: ReadPicture = () => Promise.resolve(null);
  /** The events that the page hears from main. */
  readonly told = new EventBatcher((events) => this.#send(events));

  constructor(options: MainWindowOptions) {
    this.#options = options;
    const remembered = parseWindowState(options.readState());
    this.#theme = remembered?.theme ?? 'system';
    nativeTheme.themeSource = this.#theme;
    const primary = screen.getPrimaryDisplay();
    const others = screen.getAllDisplays().filter((display) => display.id !== primary.id);
    const areas = [primary, ...others].map((display) => display.workArea);
    this.#normal = placeWindow(remembered?.bounds ?? null, areas);
    this.#window = new BrowserWindow({
      ...this.#normal,
      minWidth: MINIMUM.width,
      minHeight: MINIMUM.height,
      show: false,
      title: 'Gatehouse',
      autoHideMenuBar: true,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#16181b' : '#fbfbfa',
      webPreferences: {
        preload: options.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        webviewTag: false,
        navigateOnDragDrop: false,
        spellcheck: false,
        devTools: options.development,
        safeDialogs: true,
      },
    });
    if (remembered?.maximized === true) this.#window.maximize();
    this.#listen();
  }

  /** Reads the pictures that its page may draw besides what belongs to the app. */
  readonly picture: ReadPicture = (callId, number) => this.#readPicture(callId, number);

  drawsPicturesOf(read: ReadPicture): void {
    this.#readPicture = read;
  }

  get page(): WebContents | null {
    return this.#window.isDestroyed() ? null : this.#window.webContents;
  }

  /** The native window, for dialogs that belong to it. */
  get native(): BrowserWindow {
    return this.#window;
  }

  get theme(): Theme {
    return this.#theme;
  }

  /** Loads the page. `begun`: its own process has the page, and reads it. */
  load(): { readonly begun: Promise<void>; readonly done: Promise<void> } {
    const { webContents } = this.#window;
    const begun = new Promise<void>((resolve) => webContents.once('did-navigate', () => resolve()));
    return { begun, done: this.#window.loadURL(APP_URL) };
  }

  #send(events: readonly AppEvent[]): void {
    const page = this.page;
    if (page === null || page.isCrashed()) return;
    page.send(EVENT_CHANNEL, events);
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    nativeTheme.themeSource = theme;
    this.#save();
  }

  setWorkspaceTitle(name: string | null): void {
    this.#title = name === null ? 'Gatehouse' : `${name} — Gatehouse`;
    this.#showTitle();
  }

  /** Sets how many decisions wait for the person: the title says it to whoever sees only that. */
  setWaiting(waiting: number): void {
    this.#waiting = waiting;
    this.#showTitle();
  }

  #showTitle(): void {
    if (this.#window.isDestroyed()) return;
    this.#window.setTitle(this.#waiting === 0 ? this.#title : `(${this.#waiting}) ${this.#title}`);
  }

  /** Reloads the page, which begins anew with what main has. */
  reload(): void {
    this.page?.reload();
  }

  bringToFront(): void {
    if (this.#window.isDestroyed()) return;
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  isFocused(): boolean {
    return !this.#window.isDestroyed() && this.#window.isFocused();
  }

  /** Hides the window; its page goes on. */
  hide(): void {
    if (this.#window.isDestroyed()) return;
    this.#save();
    this.#window.hide();
  }

  /** Closes without asking. */
  destroy(): void {
    if (this.#window.isDestroyed()) return;
    this.#save();
    this.#window.destroy();
  }

  #listen(): void {
    const window = this.#window;
    window.once('ready-to-show', () => {
      window.show();
      this.#options.onShown();
    });
    window.on('page-title-updated', (event) => event.preventDefault());
    const moved = () => {
      if (!window.isMaximized() && !window.isMinimized() && !window.isFullScreen()) this.#normal = window.getBounds();
    };
    window.on('resize', moved);
    window.on('move', moved);
    window.on('close', (event) => {
      event.preventDefault();
      this.#options.onClose();
    });
    nativeTheme.on('updated', () => {
      if (!window.isDestroyed()) window.setBackgroundColor(nativeTheme.shouldUseDarkColors ? '#16181b' : '#fbfbfa');
    });
    watchHealth(window, this.#options);
  }

  #save(): void {
    const state: WindowState = { bounds: this.#normal, maximized: this.#window.isMaximized(), theme: this.#theme };
    this.#options.writeState(`${JSON.stringify(state)}\n`);
  }
}
