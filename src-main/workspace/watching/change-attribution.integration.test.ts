import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestRunner, type RunOptions, type TestRunner } from '../../process/process.test-support.js';
import { PathJail } from '../sandbox/path-jail.js';
import { createUndoStore } from '../undo/undo-store.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => {
  runner = await openTestRunner();
  writeFileSync(at('notes.txt'), 'one\n');
  writeFileSync(at('mine.txt'), 'mine\n');
  writeFileSync(at('make.sh'), 'echo y > hidden.txt\n');
  writeFileSync(at('CLAUDE.md'), 'mine\n');
  mkdirSync(at('gone'));
  writeFileSync(at('gone/a.txt'), 'a\n');
});
afterEach(() => runner[Symbol.asyncDispose]());

/** Runs it, and does what the person does while it runs: it goes on when that is done. */
async function run(command: string, meanwhile: () => void, options: RunOptions = {}) {
  let isDone = false;
  return runner.run(`${command}; echo ready; until [ -e go ]; do sleep 0.05; done; rm go`, {
    ...options,
    settings: { confinement: 'required' },
    onOutput: async (_, text) => {
      if (isDone || !text.includes('ready')) return;
      isDone = true;
      meanwhile();
      writeFileSync(at('go'), '');
    },
  });
}

async function preview() {
  const undo = createUndoStore(runner.bench.parts);
  const jail = await PathJail.create(runner.workspace, defaultConfig().tools.sandbox);
  const found = await undo.preview(runner.lastCall(), jail);
  const by = (others: boolean) =>
    (found?.files ?? []).filter(({ mayBeOthers }) => mayBeOthers === others).map(({ path }) => path);
  return { own: by(false), others: by(true), leaves: found?.leaves ?? [] };
}

it('undo takes back what the command’s words name, and leaves what somebody else may have done', async () => {
  const result = await run('echo two >> notes.txt; rm -r gone; mkdir made; printf x > made/new.txt; sh make.sh', () => {
    writeFileSync(at('mine.txt'), 'mine, edited\n');
    writeFileSync(at('mine-too.txt'), 'new\n');
  });
  expect(result.ending).toEqual({ kind: 'exited', code: 0 });
  const { own, others } = await preview();
  expect(own).toEqual(['gone/a.txt', 'made/new.txt', 'notes.txt']);
  expect(others).toEqual(['hidden.txt', 'mine-too.txt', 'mine.txt']);
  await runner.bench.undoCall('undo-1', runner.lastCall(), own);
  expect(readFileSync(at('mine.txt'), 'utf8')).toBe('mine, edited\n');
  expect(existsSync(at('mine-too.txt'))).toBe(true);
  expect(readFileSync(at('notes.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(at('gone/a.txt'))).toBe(true);
});

it('a control file that the command couldn’t write to, and the person edited meanwhile, stays', async () => {
  const result = await run('echo x >> notes.txt; (echo theirs >> CLAUDE.md) 2>/dev/null', () => {
    writeFileSync(at('CLAUDE.md'), 'mine, edited\n');
  });
  expect(result).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [], lookComplete: true });
  expect(readFileSync(at('CLAUDE.md'), 'utf8')).toBe('mine, edited\n');
  // Unconfined it could have been the command as well.
  await runner.run('echo theirs >> CLAUDE.md', { settings: { confinement: 'off' } });
  expect(readFileSync(at('CLAUDE.md'), 'utf8')).toBe('mine, edited\n');
});

it('the result says what undo leaves: commits, and folders that nobody looks into', async () => {
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: runner.workspace, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  writeFileSync(at('.gitignore'), 'node_modules/\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  await runner.run('echo two >> notes.txt; mkdir -p node_modules/x sub/.venv; git commit -qam next', {
    settings: { confinement: 'required' },
    mayLeave: { git: true },
  });
  const { leaves } = await preview();
  expect(leaves).toEqual([
    `1 commit (${git('rev-parse', '--short=7', 'HEAD')})`,
    'node_modules (ignored by Git)',
    'sub/.venv (made by tools)',
  ]);
  expect((await runner.run('touch x')).stderr).toBe('');
  expect((await preview()).leaves).toEqual([]);
});
