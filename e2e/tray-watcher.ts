import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from './app.js';

/** A session bus of its own, with a desktop's tray on it as long as one is wanted. */
export interface TrayBus {
  readonly env: Readonly<Record<string, string>>;
  /** Somebody shows tray icons from now on. */
  readonly showIcons: () => Promise<void>;
  /** Nobody does any more. */
  readonly hideIcons: () => Promise<void>;
}

const busConfig = (folder: string): string => `<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

export async function openTrayBus(): Promise<TrayBus & AsyncDisposable> {
  const home = makeFolder('tray');
  const bus = join(home, 'bus');
  mkdirSync(bus, { mode: 0o700 });
  writeFileSync(join(home, 'bus.conf'), busConfig(bus));
  const daemon = spawn(
    'dbus-daemon',
    ['--nofork', '--nopidfile', `--config-file=${home}/bus.conf`, '--print-address'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await once(daemon.stdout, 'data');
  let watcher: Socket | null = null;
  const hideIcons = async (): Promise<void> => {
    if (watcher === null) return;
    const gone = once(watcher, 'close');
    watcher.destroy();
    watcher = null;
    await gone;
  };
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}/socket`, XDG_CURRENT_DESKTOP: 'KDE' },
    showIcons: async () => {
      watcher = await ownName(`${bus}/socket`, 'org.kde.StatusNotifierWatcher');
    },
    hideIcons,
    [Symbol.asyncDispose]: async () => {
      await hideIcons();
      const ended = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Has that name for as long as the socket is open, and answers nobody. Resolves once it is the name's owner. */
async function ownName(path: string, name: string): Promise<Socket> {
  const socket = connect(path);
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  await once(socket, 'data');
  socket.write(
    Buffer.concat([
      Buffer.from('BEGIN\r\n'),
      call('Hello', 1, '', []),
      call('RequestName', 2, 'su', [text(name), number(0)]),
    ]),
  );
  await new Promise<void>((owned) => {
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      // The bus tells each who comes to own a name.
      if (heard.includes('NameAcquired') && heard.includes(name)) owned();
    });
  });
  return socket;
}

function call(member: string, serial: number, types: string, values: readonly Buffer[]): Buffer {
  const fields = [
    [1, 'o', text('/org/freedesktop/DBus')],
    [2, 's', text('org.freedesktop.DBus')],
    [3, 's', text(member)],
    [6, 's', text('org.freedesktop.DBus')],
    ...(types === '' ? [] : [[8, 'g', signature(types)] as const]),
  ] as const;
  let list = Buffer.alloc(0);
  for (const [code, type, value] of fields)
    list = Buffer.concat([padded(list, 8), Buffer.from([code]), signature(type), value]);
  let body = Buffer.alloc(0);
  for (const value of values) body = Buffer.concat([padded(body, 4), value]);
  const head = Buffer.concat([
    Buffer.from('l'),
    Buffer.from([1, 0, 1]),
    number(body.length),
    number(serial),
    number(list.length),
  ]);
  return Buffer.concat([padded(Buffer.concat([head, list]), 8), body]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const text = (value: string): Buffer =>
  Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value), Buffer.alloc(1)]);
const signature = (types: string): Buffer => Buffer.from([types.length, ...Buffer.from(types), 0]);
const padded = (bytes: Buffer, to: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.ceil(bytes.length / to) * to - bytes.length)]);
