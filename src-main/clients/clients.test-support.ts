import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ClientPlace, WantedClientSettings } from '#contract/window/clients.js';
import { createSealer } from '../keys/sealing.js';
import { Clients } from './clients.js';
import { ClientUndoStore } from './files/client-undo-store.js';
import type { Launch } from './table/spec.js';

const key = randomBytes(32);
export const launch = (agent: string, folder: string | null): Launch => ({
  command: '/opt/gate house/gatehouse',
  args: [
    '--mcp-stdio',
    '--data-dir',
    '/home/me/"data"',
    ...(folder === null ? [] : ['--workspace', folder]),
    '--agent',
    agent,
  ],
  environment: {},
});

export function inHome(files: Readonly<Record<string, string>> = {}, given: { sealed?: boolean } = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-home-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const make = (): Clients =>
    new Clients({
      around: { platform: 'linux', home, environment: { PATH: join(home, 'bin') } },
      launch,
      isSharedByGit: (folder, path) => Promise.resolve(path.startsWith(folder) && !path.includes('.local.')),
      undo: new ClientUndoStore(join(home, 'data'), createSealer(given.sealed === false ? null : key)),
    });
  return { home, clients: make(), make, read: (name: string) => readFileSync(join(home, name), 'utf8') };
}

export const all: WantedClientSettings = {
  gatehouse: true,
  ownToolsOff: true,
  confirmationOff: true,
  folder: '/home/me/shop',
};
export const none: WantedClientSettings = { gatehouse: false, ownToolsOff: false, confirmationOff: false };

export function write(clients: Clients, at: ClientPlace, wish: WantedClientSettings): void {
  const found = clients.preview(at, wish);
  if (!found.ok) throw new Error(found.problem);
  expect(clients.write(at, wish, found.preview.digest)).toEqual({ ok: true });
}
