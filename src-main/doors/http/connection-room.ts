import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the connections of a server so that nobody can hold all of them by doing nothing: for a new one the one that is
 * idle longest, or has not said what it wants yet, goes. Only where every one is being answered the new one is refused.
 */
export function keepConnectionRoom(server: Server, most: number): void {
  /** The idle connections, in the order in which they fell idle. */
  const idle = new Set<Socket>();
  const busy = new Map<Socket, number>();
  const makeIdle = (socket: Socket): void => {
    busy.delete(socket);
    if (!socket.destroyed) idle.add(socket);
  };
  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= most) {
      const [longest] = idle;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      idle.delete(longest);
      longest.destroy();
    }
    idle.add(socket);
    socket.once('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else makeIdle(socket);
    });
  });
}
