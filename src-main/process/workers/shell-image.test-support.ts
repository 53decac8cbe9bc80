import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHELL_SERVER } from './workers.test-support.js';

const APPLETS = 'sh cat ls touch grep mount kill test cp chmod mkdir dd head ln id sleep env echo';

/** Makes an image of the system's own programs: none is fetched for it. False where they are not as Debian has them. */
export function makeShellImage(folder: string, server = SHELL_SERVER): boolean {
  const perlBase = '/usr/lib/x86_64-linux-gnu/perl-base';
  if (![perlBase, '/usr/bin/perl', '/bin/busybox'].every((path) => existsSync(path))) return false;
  const root = join(folder, 'root');
  const take = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
  };
  for (const program of ['/usr/bin/perl', '/bin/busybox']) {
    take(program);
    // It fails where a program brings all of its code itself, as Debian's other busybox does.
    const linked = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout;
    for (const [, path] of linked.matchAll(/(\/\S+) \(0x/gu)) if (path !== undefined) take(path);
  }
  cpSync(perlBase, join(root, perlBase), { recursive: true });
  for (const name of APPLETS.split(' ')) symlinkSync('busybox', join(root, 'bin', name));
  writeFileSync(join(root, 'shell-server.pl'), server);
  writeFileSync(
    join(folder, 'Containerfile'),
    'FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin:/bin\nCMD ["/usr/bin/perl", "/shell-server.pl"]\n',
  );
  return true;
}
