import { Throttle } from '../../platform/timing/throttle.js';

/** Text for whoever watches, at most 60 times a second: what comes in between is joined, never dropped, and stays in order. */
export interface LiveView {
  /** Resolves when there is room for more. */
  show(stream: LiveStreamName, text: string): Promise<void>;
  /** When the watcher has taken everything. */
  drained(): Promise<void>;
}

type LiveStreamName = 'stdout' | 'stderr';

export const FRAME_MS = 1000 / 60;
/** UTF-16 units that wait to be shown. At 60 times a second this is more than a terminal passes on. */
export const MAX_WAITING = 4 * 1024 * 1024;

export function createLiveView(emit: (stream: LiveStreamName, text: string) => Promise<void>): LiveView {
  let waiting: { readonly stream: LiveStreamName; readonly text: string[] }[] = [];
  let length = 0;
  let room: PromiseWithResolvers<void> | null = null;

  const frames = new Throttle(FRAME_MS, async () => {
    const turns = waiting;
    waiting = [];
    length = 0;
    room?.resolve();
    room = null;
    // A watcher that fails must not stop the command: its output is stored all the same.
    for (const { stream, text } of turns) await emit(stream, text.join('')).catch(() => undefined);
    if (length > 0) frames.ask();
  });

  const untilRoom = async (): Promise<void> => {
    if (length <= MAX_WAITING) return;
    room ??= Promise.withResolvers<void>();
    await room.promise;
    await untilRoom();
  };

  return {
    async show(stream, text) {
      const last = waiting.at(-1);
      if (last?.stream === stream) last.text.push(text);
      else waiting.push({ stream, text: [text] });
      length += text.length;
      frames.ask();
      await untilRoom();
    },
    drained: () => frames.done(),
  };
}
