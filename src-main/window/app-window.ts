import type { MainWindow } from './main-window.js';

/** What the rest of the app needs of the window. */
export type AppWindow = Pick<
  MainWindow,
  | 'native'
  | 'theme'
  | 'setTheme'
  | 'setWorkspaceTitle'
  | 'setWaiting'
  | 'bringToFront'
  | 'isFocused'
  | 'drawsPicturesOf'
  | 'reload'
>;

/** Where there is none: nobody sees what would be shown, and nothing that only a window asks for comes. */
export class NoWindow implements AppWindow {
  readonly theme = 'system';

  get native(): never {
    throw new Error('Gatehouse runs without a window.');
  }

  setTheme(): void {}
  setWorkspaceTitle(): void {}
  setWaiting(): void {}
  drawsPicturesOf(): void {}
  reload(): void {}
  bringToFront(): void {}

  isFocused(): boolean {
    return false;
  }
}
