import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..');
const asNode = { ELECTRON_RUN_AS_NODE: '1' };
const setup = (name: string) => JSON.stringify(join(projectDir, 'scripts', 'setup', name));

function script(text: string, env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    env: { ...asNode, ...env },
    encoding: 'utf8',
  });
}

test('Without a display and without the right to get one: one clear line, and exit code 2', () => {
  // As root there is a right to it: so this is not root any more.
  const text = `if (process.getuid() === 0) process.setuid(65534);
    const { provideDisplay } = await import(${setup('display.mjs')});
    const { runScript } = await import(${setup('project.mjs')});
    await runScript(async () => { await provideDisplay(); return 0; });`;
  const { status, stderr, stdout } = script(text, { PATH: '/nonexistent' });
  expect(stderr).toMatch(
    /^gatehouse: There is no display[^\n]+(?:sudo apt-get install -y xvfb xauth|Install the equivalents)[^\n]*\n$/,
  );
  expect([status, stdout]).toEqual([2, '']);
});

test('When all is there, nothing is installed, downloaded or built: the set-up looks and is done', () => {
  const text = `import { ensureReady } from ${setup('ensure.mjs')};
    import { runtimeReady } from ${setup('electron-runtime.mjs')};
    await ensureReady();
    console.log(runtimeReady());`;
  const { status, stdout, stderr } = script(text, { PATH: process.env['PATH'] });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'true\n', stderr: '' });
});

test('Two set-ups at once in one tree come one after the other, and one that was killed holds nobody up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lock-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const name = `test-${process.pid}`;
  const holder = `import { withLock } from ${setup('lock.mjs')};
    import { appendFileSync } from 'node:fs';
    await withLock('${name}', async () => {
      appendFileSync(${JSON.stringify(log)}, 'in ');
      await new Promise((done) => setTimeout(done, 150));
      appendFileSync(${JSON.stringify(log)}, 'out ');
    });`;
  const lockFile = join(projectDir, '.runtime', `${name}.lock`);
  // Of a process that is no more.
  writeFileSync(lockFile, '4194303');
  const once = () =>
    new Promise<void>((done, reject) => {
      execFile(process.execPath, ['--input-type=module', '-e', holder], { env: asNode }, (error) =>
        error === null ? done() : reject(error),
      );
    });
  try {
    await Promise.all([once(), once(), once()]);
    expect(readFileSync(log, 'utf8')).toBe('in out in out in out ');
  } finally {
    rmSync(lockFile, { force: true });
    rmSync(folder, { recursive: true });
  }
});
