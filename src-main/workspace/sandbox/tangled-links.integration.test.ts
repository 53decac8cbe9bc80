import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PathJail } from './path-jail.js';
import { contentIn, failureOf, settings, staysIn } from './path-jail.test-support.js';

let base: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'jail-')));
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside/secret'), 'secret');
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

async function hasLink(folder: string, path: string): Promise<boolean> {
  for (let at = path; at.startsWith(`${folder}/`); at = dirname(at)) {
    const facts = await lstat(at).catch(() => null);
    if (facts?.isSymbolicLink() === true) return true;
  }
  return false;
}

describe.runIf(process.platform === 'linux')('any tangle of links', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const target = fc.oneof(
    fc
      .array(fc.constantFrom('..', '.', 'a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/')),
    fc.constantFrom('/OUT', '/OUT/secret', '/IN', '/IN/a', '../../outside', '../../../outside/secret', '/'),
  );
  const node = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    target: fc.option(target, { freq: 2 }),
  });

  it('leads where the system says it leads, and is refused exactly when that is outside', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 10 }), async (nodes) => {
        const inside = await mkdtemp(join(base, 'tangle-'));
        for (const { path, target: to } of nodes) {
          const full = join(inside, path);
          // Where a link leads out already, nothing is made through it.
          if (!staysIn(base, full)) continue;
          // What can't be made, because something else is there, stays as it is.
          await mkdir(join(full, '..'), { recursive: true }).catch(() => undefined);
          const leads = to?.replace('/OUT', join(base, 'outside')).replace('/IN', inside) ?? null;
          const made = leads === null ? writeFile(full, 'inside', { flag: 'wx' }) : symlink(leads, full);
          await made.catch(() => undefined);
        }
        const tangled = await PathJail.create(inside, settings({ include_default_denies: false }));
        for (const { path } of nodes) {
          for (const asked of [path, `${path}/secret`]) {
            const failure = await failureOf(tangled.validate(asked));
            const problem = await realpath(join(inside, asked)).then(
              () => null,
              (error: NodeJS.ErrnoException) => error.code,
            );
            if (problem === 'ELOOP') {
              expect(failure?.code).toBe('SandboxViolation');
              continue;
            }
            // Through a file as if it were a folder: to the system that leads nowhere. By names alone it may lead inside.
            if (problem === 'ENOTDIR') {
              const content = await tangled.validate(asked).then(
                (valid) => contentIn(tangled, valid).catch(() => 'refused'),
                () => 'refused',
              );
              expect(['inside', 'refused']).toContain(content);
              continue;
            }
            // That program may itself go round for ever where a circle hides behind something missing.
            const oracle = spawnSync('realpath', ['-m', '--', join(inside, asked)], { encoding: 'utf8', timeout: 500 });
            if (oracle.status !== 0) continue;
            const leads = oracle.stdout.slice(0, -1);
            // No real path has a link in it: there it gave up on a circle behind something missing.
            if (await hasLink(inside, leads)) {
              expect(failure?.code).toBe('SandboxViolation');
              continue;
            }
            if (leads === inside || leads.startsWith(`${inside}/`)) {
              expect(failure).toBeNull();
              const valid = await tangled.validate(asked);
              expect(valid.absolute).toBe(leads);
              const content = await contentIn(tangled, valid).catch(() => 'refused');
              expect(['inside', 'refused']).toContain(content);
            } else expect(failure?.code).toBe('PathOutsideSandbox');
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
