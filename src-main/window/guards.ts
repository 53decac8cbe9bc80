import type { App, Session, WebContents } from 'electron';
import { APP_ORIGIN, APP_URL } from './app-protocol.js';

export type ReportRefusal = (what: string, detail: string) => void;

/** Guards all web contents, whatever they come to be: they can't go anywhere, open anything or embed anything. */
export function guardAllContents(app: App, report: ReportRefusal): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents, report));
}

function guardContents(contents: WebContents, report: ReportRefusal): void {
  const stay = (event: { preventDefault: () => void; url: string }) => {
    if (event.url === APP_URL) return;
    event.preventDefault();
    report('navigation', event.url);
  };
  contents.on('will-navigate', stay);
  contents.on('will-frame-navigate', stay);
  contents.on('will-redirect', stay);
  contents.setWindowOpenHandler(({ url }) => {
    report('new window', url);
    return { action: 'deny' };
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
    report('webview', '');
  });
}

/** Guards a session: no permission, no device, no download, and no request that leaves the app's own origin. */
export function guardSession(session: Session, report: ReportRefusal): void {
  session.setPermissionRequestHandler((_contents, permission, decide) => {
    report('permission', permission);
    decide(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, decide) => {
    report('screen capture', '');
    decide({});
  });
  session.on('will-download', (event, item) => {
    event.preventDefault();
    report('download', item.getURL());
  });
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest((details, decide) => {
    const own = details.url.startsWith(`${APP_ORIGIN}/`) || /^(?:devtools|data):/.test(details.url);
    if (!own) report('request', details.url);
    decide({ cancel: !own });
  });
}
