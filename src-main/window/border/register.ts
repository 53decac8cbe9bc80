import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { ANSWERED_CHANNEL, REQUEST_CHANNEL } from '#contract/window/wire.js';
import type { BridgeResult } from '#contract/window/result.js';
import type { Border } from './border.js';

export interface PageSender {
  /** The page that may speak; null while there is none. */
  readonly page: () => WebContents | null;
  readonly origin: string;
  readonly onForeign: (url: string) => void;
  readonly onAnswer: () => void;
}

/** The one ipcMain.handle. The page may ask before everything is built; its answers come when it is. */
export function registerIpc(border: Promise<Border>, sender: PageSender): void {
  ipcMain.handle(REQUEST_CHANNEL, async (event, ...asked: readonly unknown[]): Promise<BridgeResult<unknown>> => {
    if (!isOurPage(event, sender)) {
      sender.onForeign(event.senderFrame?.url ?? 'a frame that is gone');
      return { ok: false, error: { code: 'refused', message: 'Only Gatehouse’s own page may ask this.' } };
    }
    const [name, json, byHand, id] = asked;
    // If the border can't be built the app ends, and says why; Electron would print a rejection, with its stack.
    const built = await border.catch(() => null);
    if (built === null)
      return { ok: false, error: { code: 'unavailable', message: 'Gatehouse could not be started.' } };
    const answer = await built.answer(name, json, byHand === true);
    sender.onAnswer();
    if (typeof id === 'number') setImmediate(() => sendAnswered(event.sender, id));
    return answer;
  });
}

/**
 * Whether a message comes from exactly the top frame of our window, showing exactly our origin: no child frame, no
 * other window, no page that came by navigation.
 */
function isOurPage(event: IpcMainInvokeEvent, { page, origin }: PageSender): boolean {
  const ours = page();
  const frame = event.senderFrame;
  if (ours === null || frame === null || ours.isDestroyed()) return false;
  return event.sender === ours && frame === ours.mainFrame && frame.parent === null && frame.origin === origin;
}

/**
 * Says that an answer was sent, after it and on the same pipe: a page that hears this and has no answer knows that it
 * was lost.
 */
function sendAnswered(page: WebContents, id: number): void {
  if (!page.isDestroyed()) page.send(ANSWERED_CHANNEL, id);
}
