import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How many requests may wait on one connection. Programs that ask ahead at all ask for ten at once. */
const MAX_WAITING_REQUESTS = 64;

/**
 * Answers the requests of a connection one after the other, as they go back on it anyway: who asks ahead without end
 * then holds one way out, not thousands. Who asks too far ahead loses the connection.
 */
export function answerInOrder(handle: Handler): Handler {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const start = (): void => {
      response.once('close', () => next(socket));
      handle(request, response);
    };
    const line = waiting.get(socket);
    if (line === undefined) {
      waiting.set(socket, []);
      start();
    } else if (line.length < MAX_WAITING_REQUESTS) line.push(start);
    else socket.destroy();
  };

  function next(socket: Socket): void {
    const start = socket.destroyed ? undefined : waiting.get(socket)?.shift();
    if (start === undefined) waiting.delete(socket);
    else start();
  }
}
