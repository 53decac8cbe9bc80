import { connect, type Socket } from 'node:net';
import { findSocketPath } from '../../platform/data-folder/socket-path.js';
import { asWelcome, firstLine, type Hello, helloLine } from './hello.js';

/**
 * No pipe could be opened: nobody listens; the running app does not take this pipe, and says why; or somebody is there
 * and says nothing.
 */
export type NoPipe = { readonly ok: false; readonly refused: string | null; readonly silent?: true };
export type AppPipe = { readonly ok: true; readonly stream: Socket; readonly workspace: string } | NoPipe;

const nobody: NoPipe = { ok: false, refused: null };
/** The app is closing, or stopped answering. */
const silent: NoPipe = { ok: false, refused: null, silent: true };

/** Whether the app that runs would take a pipe. */
export async function probePipe(dataDir: string, agent: string | null): Promise<{ readonly ok: true } | NoPipe> {
  const hello = { agent, knocks: true, workspace: null, place: null, settled: null, test: null, pipe: null };
  const pipe = await openAppPipe(dataDir, hello);
  if (!pipe.ok) return pipe;
  pipe.stream.destroy();
  return { ok: true };
}

/** Connects to the app that runs on a data folder, over its own socket and no other way. */
export async function openAppPipe(dataDir: string, hello: Hello): Promise<AppPipe> {
  const path = findSocketPath(dataDir);
  if (path === null) return nobody;
  const stream = await connected(path);
  if (stream === null) return nobody;
  stream.write(helloLine(hello));
  const line = await firstLine(stream);
  const welcome = line === null ? null : asWelcome(line);
  if (welcome?.ok === true) return { ok: true, stream, workspace: welcome.workspace };
  stream.destroy();
  return welcome === null ? silent : { ok: false, refused: welcome.problem };
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const stream = connect(path);
    stream.once('connect', () => {
      stream.off('error', onError);
      stream.on('error', () => undefined);
      resolve(stream);
    });
    const onError = (): void => resolve(null);
    stream.once('error', onError);
  });
}
