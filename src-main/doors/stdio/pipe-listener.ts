import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  keepSocketPrivate,
  prepareSocketPath,
  NoSocketPathError,
  removeStaleSocket,
  inspectSocketPath,
} from '../../platform/data-folder/socket-path.js';
import { asHello, firstLine, type Hello, isOtherVersion, type Welcome, welcomeLine } from './hello.js';

export interface PipeListener {
  readonly path: string;
  /** Lets nobody in any more. What is open is ended by who holds it. */
  close(): Promise<void>;
}

/** Takes the pipe and says where it works, or why it does not, in words. */
export type TakePipe = (stream: Socket, hello: Hello) => Promise<Welcome>;

const MAX_PIPES = 512;
const OTHER_VERSION =
  'the Gatehouse that runs is of another version than this command. Quit it, start it again, and try again.';

/**
 * Removes, at start, the socket of an app that is gone. Anything else at its place is reported when somebody tries to
 * listen.
 */
export async function clearDeadSocket(dataDir: string): Promise<void> {
  const path = socketPlace(dataDir);
  if (path !== null && inspectSocketPath(path) === 'own-socket' && !(await somebodyListens(path)))
    removeStaleSocket(path);
}

function socketPlace(dataDir: string): string | null {
  try {
    return prepareSocketPath(dataDir);
  } catch (error) {
    if (error instanceof NoSocketPathError) return null;
    throw error;
  }
}

/**
 * Listens on the data folder's socket, whether or not the gateway serves HTTP: who can connect is this person, or root, by
 * the rights of the folder it lies in. No token goes this way. Rejects, in words, where that can't be.
 */
export async function listenForPipes(dataDir: string, take: TakePipe): Promise<PipeListener> {
  const path = prepareSocketPath(dataDir);
  mustBeFree(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    void receive(socket, take);
  });
  server.maxConnections = MAX_PIPES;
  await listenPrivately(server, path);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function receive(socket: Socket, take: TakePipe): Promise<void> {
  const line = await firstLine(socket);
  const hello = line === null ? null : asHello(line);
  if (hello === null) {
    if (line !== null && isOtherVersion(line)) socket.end(welcomeLine({ ok: false, problem: OTHER_VERSION }));
    else socket.destroy();
    return;
  }
  try {
    const welcome = await take(socket, hello);
    if (welcome.ok) socket.write(welcomeLine(welcome));
    else socket.end(welcomeLine(welcome));
  } catch {
    socket.destroy();
  }
}

/**
 * Throws where a living app listens on the path, or something lies there that is no socket of ours: both are left as
 * they are.
 */
function mustBeFree(path: string): void {
  const found = inspectSocketPath(path);
  if (found === 'something-else')
    throw new NoSocketPathError(`${path} is in the way: it is not Gatehouse’s. Nothing was touched.`);
  if (found === 'own-socket') throw new NoSocketPathError(`Another Gatehouse listens on ${path}.`);
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      keepSocketPrivate(path);
      resolve();
    });
  });
}
