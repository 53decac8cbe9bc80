import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../process.test-support.js';

const settings = { confinement: 'required' } as const;

/** A file of somebody else's that has a name in the workspace as well. */
function linked(runner: TestRunner, name: string, text = 'theirs\n'): string {
  const outside = join(runner.outside, `store-${name.replaceAll('/', '-')}`);
  writeFileSync(outside, text);
  mkdirSync(dirname(join(runner.workspace, name)), { recursive: true });
  linkSync(outside, join(runner.workspace, name));
  return outside;
}

const attack = (name: string): string =>
  `(echo mine >>${name}) 2>/dev/null; (: >${name}) 2>/dev/null; chmod 777 ${name} 2>/dev/null; truncate -s 0 ${name} 2>/dev/null; `;

it('a file that has another name outside is not written through, and one whose names are all in here is', async () => {
  await using runner = await openTestRunner();
  const outside = linked(runner, 'src/linked.txt');
  writeFileSync(join(runner.workspace, 'one'), 'one\n');
  linkSync(join(runner.workspace, 'one'), join(runner.workspace, 'src/two'));
  const result = await runner.run(`${attack('src/linked.txt')} echo more >>one; cat src/two; cat src/linked.txt`, {
    settings,
  });
  expect(result).toMatchObject({ stdout: 'one\nmore\ntheirs\n', readOnlyAsShared: ['src/linked.txt'] });
  expect(readFileSync(outside, 'utf8')).toBe('theirs\n');
  const open = await runner.run(attack('src/linked.txt'), { settings: { confinement: 'off' } });
  expect(open.readOnlyAsShared).toEqual([]);
  expect(readFileSync(outside, 'utf8'), 'unconfined it is').toBe('');
});

it('many of them make their folders read-only', async () => {
  await using runner = await openTestRunner();
  const all = Array.from({ length: 90 }, (_, at) => linked(runner, `vendor/p${at % 3}/f${at}`));
  const top = linked(runner, 'top');
  const command = `${attack('top')} for f in vendor/p*/f*; do (echo mine >>$f) 2>/dev/null; done; touch free && echo works`;
  const result = await runner.run(command, { settings });
  expect(result.stdout).toBe('works\n');
  expect(result.readOnlyAsShared?.toSorted()).toEqual(['top', 'vendor/p0', 'vendor/p1', 'vendor/p2']);
  for (const path of [...all, top]) expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});

it('what pnpm shares among projects is read-only as a whole, but for the caches that tools keep in there', async () => {
  await using runner = await openTestRunner();
  const modules = join(runner.workspace, 'node_modules');
  const store = ['package.json', 'index.js'].map((file) =>
    linked(runner, `node_modules/.pnpm/dep@1.0.0/node_modules/dep/${file}`),
  );
  symlinkSync('.pnpm/dep@1.0.0/node_modules/dep', join(modules, 'dep'));
  mkdirSync(join(modules, '.cache'));
  const command = `for f in node_modules/dep/*; do (echo mine >>$f) 2>/dev/null; done; echo x >node_modules/.cache/x && echo cached; echo y >file; rm -rf node_modules/dep 2>&1 | grep -o Read-only`;
  const result = await runner.run(command, { settings });
  expect(result).toMatchObject({ stdout: 'cached\nRead-only\n', readOnlyAsShared: ['node_modules'] });
  for (const path of store) expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  expect(existsSync(join(modules, '.cache/x'))).toBe(true);
});

it('a virtual environment that uv made is read-only as a whole, and so are packages of a repository of many', async () => {
  await using runner = await openTestRunner();
  const python = linked(runner, '.venv/lib/python3.12/site-packages/dep/__init__.py');
  const inner = linked(runner, 'packages/app/node_modules/@scope/dep/package.json');
  const result = await runner.run(
    `${attack('.venv/lib/python3.12/site-packages/dep/__init__.py')} ${attack('packages/app/node_modules/@scope/dep/package.json')} true`,
    { settings },
  );
  expect(result.readOnlyAsShared?.toSorted()).toEqual(['.venv', 'packages/app/node_modules']);
  for (const path of [python, inner]) expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});

it('what npm installed has no other names: it can be written to, until something is installed that has', async () => {
  await using runner = await openTestRunner();
  mkdirSync(join(runner.workspace, 'node_modules/dep'), { recursive: true });
  writeFileSync(join(runner.workspace, 'node_modules/dep/package.json'), '{}');
  const write = 'echo x >>node_modules/dep/package.json && echo written';
  expect(await runner.run(write, { settings })).toMatchObject({ stdout: 'written\n', readOnlyAsShared: [] });
  const outside = linked(runner, 'node_modules/other/package.json');
  const after = await runner.run(`(echo x >>node_modules/other/package.json) 2>/dev/null; ${write}`, { settings });
  expect(after).toMatchObject({ stdout: '', readOnlyAsShared: ['node_modules'] });
  expect(readFileSync(outside, 'utf8')).toBe('theirs\n');
});

it('what npm leaves among the packages is none of them', async () => {
  await using runner = await openTestRunner();
  mkdirSync(join(runner.workspace, 'node_modules/dep'), { recursive: true });
  writeFileSync(join(runner.workspace, 'node_modules/dep/package.json'), '{}');
  writeFileSync(join(runner.workspace, 'node_modules/.package-lock.json'), '{}');
  expect(await runner.run('echo runs', { settings })).toMatchObject({ stdout: 'runs\n', readOnlyAsShared: [] });
});

it('a single file that was linked into a package makes the folder read-only', async () => {
  await using runner = await openTestRunner();
  mkdirSync(join(runner.workspace, 'node_modules/p/deep'), { recursive: true });
  writeFileSync(join(runner.workspace, 'node_modules/p/package.json'), '{}');
  const outside = [linked(runner, 'node_modules/q/linked.js'), linked(runner, 'node_modules/p/deep/linked.js')];
  const result = await runner.run(
    `${attack('node_modules/q/linked.js')} ${attack('node_modules/p/deep/linked.js')} true`,
    {
      settings,
    },
  );
  expect(result).toMatchObject({ readOnlyAsShared: ['node_modules'], mayBeShared: [] });
  for (const path of outside) expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});

it('what an installer linked among its own packages is nobody else’s', async () => {
  await using runner = await openTestRunner();
  for (const name of ['one', 'two']) mkdirSync(join(runner.workspace, 'node_modules', name), { recursive: true });
  writeFileSync(join(runner.workspace, 'node_modules/one/program'), 'x');
  linkSync(join(runner.workspace, 'node_modules/one/program'), join(runner.workspace, 'node_modules/two/program'));
  const result = await runner.run('echo x > node_modules/one/new && echo written', { settings });
  expect(result).toMatchObject({ stdout: 'written\n', readOnlyAsShared: [], mayBeShared: [] });
});

it('a folder that is too large to be looked at whole is told of', async () => {
  await using runner = await openTestRunner();
  for (let at = 0; at < 25; at += 1) {
    const folder = join(runner.workspace, `node_modules/p${at}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < 100; file += 1) writeFileSync(join(folder, `f${file}`), '');
  }
  expect(runner.runner.mayBeShared(runner.workspace)).toEqual(['node_modules']);
  expect(await runner.run('true', { settings })).toMatchObject({ readOnlyAsShared: [], mayBeShared: ['node_modules'] });
  const open = await runner.run('true', { settings: { confinement: 'off' } });
  expect(open.mayBeShared).toEqual([]);
});
