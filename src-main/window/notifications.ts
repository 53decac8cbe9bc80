import { type App, type BrowserWindow, Notification } from 'electron';

/** Says something to a person who looks elsewhere. Clicking it calls `onClick`. Nothing where the system has no notifications. */
export function notify(title: string, body: string, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  notification.on('click', onClick);
  notification.show();
}

/**
 * Shows how many decisions wait: on the dock or launcher where there is a badge, and as a flashing frame where there is
 * none.
 */
export function showWaitingCount(app: App, window: BrowserWindow, waiting: number): void {
  app.setBadgeCount(waiting);
  if (window.isDestroyed()) return;
  window.flashFrame(waiting > 0 && !window.isFocused());
}
