import { type BrowserWindow, dialog } from 'electron';

export interface HealthHandlers {
  /** The person gave up on a page that died. */
  readonly onGiveUp: () => void;
  readonly onTrouble: (what: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * Watches the window's page. Calls in main go on when the page dies; so a page that crashed or hangs is offered a
 * reload, and nothing is lost.
 */
export function watchHealth(window: BrowserWindow, { onGiveUp, onTrouble }: HealthHandlers): void {
  const contents = window.webContents;
  let asking: AbortController | null = null;
  let reloading = false;

  contents.on('render-process-gone', (_event, details) => {
    onTrouble('The window’s page ended', { reason: details.reason, exitCode: details.exitCode });
    if (details.reason === 'clean-exit' || window.isDestroyed()) return;
    if (reloading) {
      reloading = false;
      contents.reload();
      return;
    }
    void ask(
      'The window stopped working',
      'Nothing is lost: calls go on, and everything is in the history. Reload the window to see it again.',
      'Quit Gatehouse',
    ).then((reload) => {
      if (reload === true) contents.reload();
      else if (reload === false) onGiveUp();
    });
  });
  contents.on('preload-error', (_event, _path, error) =>
    onTrouble('The window’s page could not be prepared', { error }),
  );
  contents.on('did-fail-load', (_event, code, words, url) =>
    onTrouble('The window’s page could not be loaded', { code, words, url }),
  );
  window.on('unresponsive', () => {
    onTrouble('The window’s page does not answer', {});
    void ask(
      'The window does not answer',
      'Calls go on meanwhile. You can wait, or reload the window; nothing is lost.',
      'Wait',
    ).then((reload) => {
      if (reload !== true) return;
      // A page that hangs can't be asked to reload: its process is ended first.
      reloading = true;
      contents.forcefullyCrashRenderer();
    });
  });
  window.on('responsive', () => asking?.abort());

  async function ask(message: string, detail: string, other: string): Promise<boolean | null> {
    if (asking !== null) return null;
    asking = new AbortController();
    try {
      const { response } = await dialog.showMessageBox(window, {
        type: 'warning',
        title: 'Gatehouse',
        message,
        detail,
        buttons: ['Reload', other],
        defaultId: 0,
        cancelId: 1,
        signal: asking.signal,
      });
      return asking.signal.aborted ? null : response === 0;
    } finally {
      asking = null;
    }
  }
}
