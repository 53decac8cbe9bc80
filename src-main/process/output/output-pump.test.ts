import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OutputSink } from '../../domain/ports/output-store.js';
import { createLiveView, FRAME_MS, MAX_WAITING } from './live-view.js';
import { BATCH_BYTES } from './output-queue.js';
import { createOutputPump, GATHER_MS, MAX_QUEUED_BYTES, type PumpOptions } from './output-pump.js';

function pumpWith(sink: Partial<OutputSink>, options: Partial<PumpOptions> = {}) {
  const calls: string[] = [];
  const pump = createOutputPump({
    openSink: () => ({
      write: () => Promise.resolve(true),
      finish: () => Promise.resolve({ stream: 'stdout', sha256: '', bytes: 0 }),
      abandon: () => Promise.resolve(),
      ...sink,
    }),
    openSealed: () => null,
    redaction: openTestRedactor().stream(),
    finds: (bytes) => openTestRedactor().finds(bytes),
    modelLimit: 1000,
    turn: () => 0,
    onKept: () => undefined,
    show: () => Promise.resolve(),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    onQuota: () => calls.push('quota'),
    onStorageFailure: () => calls.push('failure'),
    ...options,
  });
  return { pump, calls };
}

describe('the output pump', () => {
  it('holds the command up while storing is slow, and lets it go on after', async () => {
    const slow = Promise.withResolvers<boolean>();
    const { pump, calls } = pumpWith({ write: () => slow.promise });
    for (let sent = 0; sent <= MAX_QUEUED_BYTES; sent += 65_536) pump.push(Buffer.alloc(65_536));
    expect(calls).toEqual(['pause']);
    slow.resolve(true);
    await pump.finish();
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('holds the command up while the watcher is slow', async () => {
    const slow = Promise.withResolvers<void>();
    const { pump, calls } = pumpWith({}, { show: () => slow.promise });
    for (let sent = 0; sent <= MAX_QUEUED_BYTES; sent += 65_536) pump.push(Buffer.alloc(65_536, 'x'));
    expect(calls).toEqual(['pause']);
    slow.resolve();
    await pump.finish();
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('decodes and cleans across the borders of pieces, and stores the bytes as they came', async () => {
    const stored: Uint8Array[] = [];
    const shown: string[] = [];
    const { pump } = pumpWith(
      { write: (bytes) => Promise.resolve(stored.push(Uint8Array.from(bytes)) > 0) },
      { show: (text) => Promise.resolve(void shown.push(text)) },
    );
    const whole = Buffer.from('é\u{1b}[31m€\r\n🎈');
    for (const byte of whole) pump.push(Buffer.of(byte));
    await pump.finish();
    expect(Buffer.concat(stored)).toEqual(whole);
    expect(shown.join('')).toBe('é\u{1b}[31m€\r\n🎈');
    expect(pump.ends.ends.render(1000).text).toBe('é€\r\n🎈');
    expect(pump.controlsRemoved).toBe(5);
  });

  it('takes together what comes within a moment of what was taken, and at the end waits for nothing', async () => {
    // The clock too: on a busy machine a moment is over before the next line comes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const stored: string[] = [];
    const write = (bytes: Uint8Array) => Promise.resolve(stored.push(Buffer.from(bytes).toString()) > 0);
    const { pump } = pumpWith({ write });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (const line of ['a\n', 'b\n', 'c\n']) {
      pump.push(Buffer.from(line));
      await turn();
    }
    expect(stored).toEqual(['a\n']);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    expect(stored).toEqual(['a\n', 'b\nc\n']);
    const much = 'x\n'.repeat(BATCH_BYTES / 2);
    pump.push(Buffer.from(much));
    await turn();
    expect(stored.slice(2)).toEqual([much]);
    pump.push(Buffer.from('d\n'));
    await pump.finish();
    expect(stored.at(-1)).toBe('d\n');
  });

  it('tells of the quota and of a store that fails, and goes on showing', async () => {
    const shown: string[] = [];
    const show = (text: string) => Promise.resolve(void shown.push(text));
    const full = pumpWith({ write: () => Promise.resolve(false) }, { show });
    full.pump.push(Buffer.from('a'));
    await full.pump.finish();
    const broken = pumpWith({ write: () => Promise.reject(new Error('ENOSPC')) }, { show });
    broken.pump.push(Buffer.from('b'));
    expect(await broken.pump.finish()).toBeNull();
    expect([full.calls, broken.calls, shown]).toEqual([['quota'], ['failure'], ['a', 'b']]);
  });

  it('opens no store for a stream that says nothing', async () => {
    const { pump } = pumpWith({}, { openSink: () => expect.unreachable() });
    expect(await pump.finish()).toBeNull();
  });
});

describe('the live view', () => {
  it('joins what comes within a frame, in order, and drops nothing', async () => {
    // Its own clock: a machine that is busy between a frame and the look at it makes the next seem early.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const emitted: { at: number; stream: string; text: string }[] = [];
    const view = createLiveView((stream, text) =>
      Promise.resolve(void emitted.push({ at: performance.now(), stream, text })),
    );
    for (let line = 0; line < 20_000; line += 1) {
      await view.show(line % 2 === 0 ? 'stdout' : 'stderr', `${line}\n`);
      if (line % 500 === 0) await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(10 * FRAME_MS);
    await view.drained();
    for (const [stream, rest] of [
      ['stdout', 0],
      ['stderr', 1],
    ] as const) {
      const text = emitted.filter((each) => each.stream === stream).map((each) => each.text);
      expect(text.join('')).toBe(
        Array.from({ length: 20_000 }, (_, line) => line)
          .filter((line) => line % 2 === rest)
          .map((line) => `${line}\n`)
          .join(''),
      );
    }
    expect(emitted.map(({ text }) => text).join('')).toBe(
      Array.from({ length: 20_000 }, (_, line) => `${line}\n`).join(''),
    );
    const frames = [...new Set(emitted.map(({ at }) => at))];
    const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(FRAME_MS);
  });

  it('makes the writer wait when the watcher does not keep up, and survives one that fails', async () => {
    const slow = Promise.withResolvers<void>();
    let emitted = 0;
    const view = createLiveView(async (_, text) => {
      if (emitted === 0) await slow.promise;
      emitted += text.length;
      throw new Error('the window is gone');
    });
    await view.show('stdout', 'first');
    let waited = true;
    const writing = (async () => {
      await view.show('stdout', 'x'.repeat(MAX_WAITING + 1));
      waited = false;
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(waited).toBe(true);
    slow.resolve();
    await writing;
    await view.drained();
    expect(emitted).toBe('first'.length + MAX_WAITING + 1);
  });
});
