import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type LaunchOptions, makeFolder, test as withApps } from './app.js';

/** A real Secret Service (GNOME Keyring, unlocked) on a session bus, with a home, of its own. */
export interface KeyStore {
  /** What an app is started with so that it keeps its keys there. */
  readonly options: Required<Pick<LaunchOptions, 'flags' | 'env'>>;
  /** It answers nothing any more, as one that hangs; then again. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** It is gone from the bus. Nothing starts it anew. */
  readonly end: () => Promise<void>;
  /** Anew, with what it kept; locked unless it is given its password. */
  readonly start: (password?: string | null) => Promise<void>;
}

const PASSWORD = 'the keyring of a test';

/** Nothing is started by being asked for, and nothing of the person's own session is on it. */
const busConfig = (folder: string): string => `<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

export async function openKeyStore(): Promise<KeyStore & AsyncDisposable> {
  const home = makeFolder('keys');
  const [bus, config, runtime] = [join(home, 'bus'), join(home, 'bus.conf'), join(home, 'run')];
  for (const folder of [bus, runtime]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(config, busConfig(bus));
  const daemon = spawn('dbus-daemon', ['--nofork', '--nopidfile', `--config-file=${config}`, '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = await firstLine(daemon);
  const env = { DBUS_SESSION_BUS_ADDRESS: address, XDG_CURRENT_DESKTOP: 'GNOME' };
  let service: ChildProcess | null = null;

  const end = async (): Promise<void> => {
    const ending = service;
    service = null;
    if (ending === null || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
    await expect.poll(() => isThere(address)).toBe(false);
  };
  const start = async (password: string | null = PASSWORD): Promise<void> => {
    await end();
    const surroundings = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: runtime, ...env };
    const how = ['--foreground', '--components=secrets', ...(password === null ? [] : ['--unlock'])];
    service = spawn('gnome-keyring-daemon', how, { env: surroundings, stdio: ['pipe', 'ignore', 'ignore'] });
    service.stdin?.end(password ?? '');
    await expect.poll(() => isThere(address)).toBe(true);
  };
  await start();
  return {
    options: { flags: ['--password-store=gnome-libsecret'], env },
    pause: () => service?.kill('SIGSTOP'),
    resume: () => service?.kill('SIGCONT'),
    end,
    start,
    [Symbol.asyncDispose]: async () => {
      await end();
      const ended = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Asked of the bus itself, which knows who is on it also when that one hangs. */
function isThere(address: string): boolean {
  const { stdout } = spawnSync(
    'dbus-send',
    [
      `--bus=${address}`,
      '--print-reply',
      '--dest=org.freedesktop.DBus',
      '/org/freedesktop/DBus',
      'org.freedesktop.DBus.NameHasOwner',
      'string:org.freedesktop.secrets',
    ],
    { encoding: 'utf8' },
  );
  return stdout.includes('boolean true');
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  while (!text.includes('\n')) {
    if (child.stdout === null) throw new Error('The bus was started without its pipe.');
    text += String((await once(child.stdout, 'data'))[0]);
  }
  return text.trim();
}

/** `keyStore` is a real Secret Service: `launch({ ...keyStore.options })` starts an app that keeps its keys there. */
export const test = withApps.extend<{ keyStore: KeyStore }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures that are needed from this pattern.
  keyStore: async ({}, use) => {
    await using store = await openKeyStore();
    await use(store);
  },
});

export { expect } from '@playwright/test';
