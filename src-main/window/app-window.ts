import type { MainWindow } from './main-window.js';

/** The part of the window that the rest of the app needs. */
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

/**
 * The replacement where there is no window: nobody sees what would be shown, and no request comes that only a window
 * makes.
 */
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
