import type { RequestOf } from '#contract/window/channels.js';
import { FAULT_STACK, FAULT_WORDS } from '#contract/window/channels.js';
import { ask } from './use-request.js';

type FaultPart = RequestOf<'app.fault'>['in'];

/** Writes a fault of the page to the app's log, where somebody who looks for it finds it. */
export function reportFault(part: FaultPart, thrown: unknown, where = ''): void {
  const error = thrown instanceof Error ? thrown : null;
  const words = error === null ? String(thrown) : `${error.name}: ${error.message}`;
  void ask('app.fault', {
    in: part,
    words: words.slice(0, FAULT_WORDS),
    stack: `${error?.stack ?? ''}${where}`.slice(0, FAULT_STACK),
  });
}

/** Reports faults that no code of ours caught. */
export function reportUncaught(): void {
  window.addEventListener('error', ({ error, message, filename, lineno }) => {
    // Not a fault: what was seen is told a frame later.
    if (error === null && message.startsWith('ResizeObserver loop')) return;
    reportFault('script', error ?? message, error === null ? `${filename}:${lineno}` : '');
  });
  window.addEventListener('unhandledrejection', ({ reason }) => reportFault('promise', reason));
}
