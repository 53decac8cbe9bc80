import { app } from 'electron';
import { hasOwner } from '../platform/session-bus.js';
import { AppTray } from '../window/tray.js';
import { notify } from '../window/notifications.js';
import type { Front } from './front.js';
import type { Shell } from './shell.js';
import { trayList } from './state/tray-list.js';

/** The D-Bus name of the program that shows such icons on Linux; without one, an icon would be nowhere. */
const WATCHER = 'org.kde.StatusNotifierWatcher';

/** Asked, never assumed. Elsewhere every desktop has a place for it. */
export const desktopHasTray = async (): Promise<boolean> => process.platform !== 'linux' || (await hasOwner(WATCHER));

export interface TrayWing {
  /** The window may go, and agents are served on: the person finds the app in the tray. */
  readonly staysInTray: () => Promise<boolean>;
  readonly close: () => void;
}

/** Opens the tray after the window is up, where the desktop has one. */
export function openTray({ window, shown, logger, demo, headless }: Shell, { stream }: Front): TrayWing {
  let tray: AppTray | null = null;
  let closed = false;
  let told = false;
  const show = () => tray?.show(trayList(stream.snapshot()));
  const start = async (): Promise<void> => {
    await shown;
    if (closed || headless || demo === 'to-its-end' || !(await desktopHasTray()) || closed) return;
    tray = new AppTray({ open: () => window.bringToFront(), quit: () => app.quit() });
    show();
  };
  const started = start().catch((error: unknown) => logger.warn('There is no icon in the tray', { error }));
  const off = stream.onEvent(({ type }) => {
    if (type === 'call' || type === 'status') show();
  });
  return {
    staysInTray: async () => {
      await started;
      // The tray may have gone since.
      if (tray === null || !(await desktopHasTray())) return false;
      if (!told)
        notify('Gatehouse keeps running', 'Agents are still served. Open it again, or quit it, from the tray.', () =>
          window.bringToFront(),
        );
      told = true;
      return true;
    },
    close: () => {
      closed = true;
      off();
      tray?.destroy();
      tray = null;
    },
  };
}
