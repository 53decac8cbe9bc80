/** Text for whoever watches, at most 60 times a second: what comes in between is joined, never dropped. */
export interface LiveView {
  /** Resolves when there is room for more. */
  show(stream: Stream, text: string): Promise<void>;
  /** When the watcher has taken everything. */
  drained(): Promise<void>;
}

type Stream = 'stdout' | 'stderr';

export const FRAME_MS = 1000 / 60;
/** UTF-16 units that wait to be shown. At 60 times a second this is more than a terminal passes on. */
export const MAX_WAITING = 4 * 1024 * 1024;

export function createLiveView(emit: (stream: Stream, text: string) => Promise<void>): LiveView {
  const waiting: Record<Stream, string[]> = { stdout: [], stderr: [] };
  let length = 0;
  let room: PromiseWithResolvers<void> | null = null;
  let running: Promise<void> | null = null;
  let lastFrame = -FRAME_MS;
  let last: Stream = 'stderr';

  const next = (): Stream => {
    const other = last === 'stdout' ? 'stderr' : 'stdout';
    return waiting[other].length > 0 ? other : last;
  };
  const run = async (): Promise<void> => {
    while (length > 0) {
      const wait = lastFrame + FRAME_MS - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(wait)));
      const stream = next();
      const text = waiting[stream].join('');
      waiting[stream] = [];
      last = stream;
      length -= text.length;
      room?.resolve();
      room = null;
      lastFrame = performance.now();
      // A watcher that fails must not stop the command: its output is stored all the same.
      await emit(stream, text).catch(() => undefined);
    }
  };

  const start = (): void => {
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = null;
        // What came between its last look and now would otherwise wait for more to come.
        if (length > 0) start();
      });
  };

  const untilRoom = async (): Promise<void> => {
    if (length <= MAX_WAITING) return;
    room ??= Promise.withResolvers<void>();
    await room.promise;
    await untilRoom();
  };

  return {
    async show(stream, text) {
      waiting[stream].push(text);
      length += text.length;
      start();
      await untilRoom();
    },
    async drained() {
      await running;
      if (running !== null) await this.drained();
    },
  };
}
