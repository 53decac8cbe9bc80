import type { Socket } from 'node:net';

const PATIENCE_MS = 30_000;

/** Ends a connection that does not come about. One that did may be silent for as long as it likes. */
export function endUnlessConnected(socket: Socket): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => socket.destroy(new NoAnswer()), PATIENCE_MS);
  const settled = (): void => clearTimeout(timer);
  socket.once('connect', settled);
  socket.once('close', settled);
}

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor() {
    super(`no answer in ${PATIENCE_MS / 1000} seconds`);
  }
}
