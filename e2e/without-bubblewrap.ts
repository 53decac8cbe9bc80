import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';

/** For a machine without bubblewrap: where it stands, the app sees something that can't be run. */
export function withoutBubblewrap(folder: string): string {
  const there = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].filter((path) => existsSync(path));
  const places = [...new Set(there.map((path) => realpathSync(path)))];
  const electron = electronExecutable();
  const launcher = join(folder, 'electron');
  const asRoot = `exec unshare -m sh -c '${places.map((path) => `mount --bind /dev/null ${path}; `).join('')}exec "$0" "$@"' ${electron} "$@"`;
  const masks = places.map((path) => `--ro-bind /dev/null ${path}`).join(' ');
  const asUser = `exec bwrap --dev-bind / / --die-with-parent ${masks} -- ${electron} --no-sandbox "$@"`;
  writeFileSync(launcher, `#!/bin/sh\n${process.getuid?.() === 0 ? asRoot : asUser}\n`, { mode: 0o755 });
  return launcher;
}
