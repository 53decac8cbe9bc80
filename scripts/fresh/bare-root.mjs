// A bare Debian: what its smallest installation has, Git, and the Node and npm of this machine with their settings.
import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupProblem } from '../setup/project.mjs';
import { run } from '../setup/run.mjs';

/** How this machine reaches its package registries: a bare one has to reach them too. */
const SETTINGS_OF_CLIENTS = [
  '/etc/apt/sources.list',
  '/etc/apt/sources.list.d',
  '/etc/apt/apt.conf.d',
  '/etc/apt/auth.conf.d',
  '/etc/apt/keyrings',
  '/etc/ssl/certs',
  '/usr/local/share/ca-certificates',
  '/etc/resolv.conf',
];

export async function makeBareRoot(root) {
  const { suite, from } = await debianHere();
  const words = ['--variant=minbase', '--include=ca-certificates,git', suite, root, from];
  const made = await run('debootstrap', words, { quiet: true });
  if (made.code === 127) throw new SetupProblem('debootstrap is missing. Run: apt-get install debootstrap');
  if (made.code !== 0) throw new SetupProblem(`debootstrap failed: ${made.output.trim().slice(-2000)}`);
  for (const path of SETTINGS_OF_CLIENTS) await copyInto(root, path);
  for (const which of ['userconfig', 'globalconfig']) {
    const { output } = await run('npm', ['config', 'get', which, '--loglevel=silent'], { quiet: true });
    await copyInto(root, output.trim().split('\n').at(-1));
  }
  await giveNode(root);
}

async function debianHere() {
  const words = ['indextargets', '--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages'];
  const { output } = await run('apt-get', words, { quiet: true });
  const [suite, from] = output.split('\n')[0]?.split(' ') ?? [];
  if (suite === undefined || from === undefined)
    throw new SetupProblem('apt knows no packages here. Run: apt-get update');
  return { suite, from };
}

/** The Node that runs this, as its own package installs it: program, headers (node-pty is compiled against them), npm. */
async function giveNode(root) {
  const node = realpathSync(process.execPath);
  const prefix = dirname(dirname(node));
  for (const path of [node, join(prefix, 'include/node'), join(prefix, 'lib/node_modules/npm')])
    await copyInto(root, path);
  for (const name of ['npm', 'npx'])
    if (!existsSync(join(root, prefix, 'bin', name)))
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, prefix, 'bin', name));
}

async function copyInto(root, path) {
  if (path === undefined || !existsSync(path)) return;
  const to = join(root, path);
  mkdirSync(dirname(to), { recursive: true });
  const { code, output } = await run('cp', ['-aT', '--remove-destination', path, to], { quiet: true });
  if (code !== 0) throw new SetupProblem(output.trim());
}
