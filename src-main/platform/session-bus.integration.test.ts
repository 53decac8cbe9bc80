import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hasOwner, findBusSocket } from './session-bus.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-bus-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A real bus of its own, that starts nothing. */
async function openBus(): Promise<string> {
  const at = folder();
  const config = join(at, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:dir=${at}</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  const daemon = spawn('dbus-daemon', ['--nofork', '--nopidfile', `--config-file=${config}`, '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    const ended = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await ended;
  });
  return (await firstLine(daemon)).trim();
}

async function firstLine(child: ChildProcess): Promise<string> {
  let said = '';
  while (!said.includes('\n')) {
    if (child.stdout === null) throw new Error('The bus was started without its pipe.');
    said += String((await once(child.stdout, 'data'))[0]);
  }
  return said;
}

it('A real bus says who is on it, and who is not', async () => {
  const address = await openBus();
  expect(await hasOwner('org.freedesktop.DBus', address)).toBe(true);
  expect(await hasOwner('org.kde.StatusNotifierWatcher', address)).toBe(false);
});

it('Where there is no bus, or what answers is none, nobody has the name', async () => {
  expect(await hasOwner('org.freedesktop.DBus', undefined)).toBe(false);
  expect(await hasOwner('org.freedesktop.DBus', `unix:path=${join(folder(), 'nothing')}`)).toBe(false);
  expect(await hasOwner('org.freedesktop.DBus', 'tcp:host=localhost,port=1')).toBe(false);
  const path = join(folder(), 'socket');
  const server = createServer((socket) => socket.end('REJECTED EXTERNAL\r\n')).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await hasOwner('org.freedesktop.DBus', `unix:path=${path}`)).toBe(false);
});

it('The way to the bus is read as it is written', () => {
  expect(findBusSocket('unix:path=/run/user/1000/bus,guid=ab')).toBe('/run/user/1000/bus');
  expect(findBusSocket('tcp:host=x;unix:abstract=/tmp/dbus%2dX,guid=1')).toBe('\0/tmp/dbus-X');
  expect(findBusSocket('launchd:env=X')).toBeNull();
});
