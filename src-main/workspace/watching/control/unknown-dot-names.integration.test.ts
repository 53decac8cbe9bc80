import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { JudgingSandbox } from '../../../gate/planner/judging/judging-sandbox.js';
import { openTestRunner, type TestRunner } from '../../../process/process.test-support.js';
import { PathJail } from '../../sandbox/path-jail.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => {
  runner = await openTestRunner();
  mkdirSync(at('.known-to-nobody'));
  writeFileSync(at('.known-to-nobody/old'), 'old\n');
  writeFileSync(at('.gitignore'), '.ignored-tool/\n*.made\n');
});
afterEach(() => runner[Symbol.asyncDispose]());

function repository(): void {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: runner.workspace });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'first');
}

async function run(command: string, named: readonly string[] = []) {
  const ran = await runner.run(command, { settings: { confinement: 'off' }, mayLeave: { named } });
  expect(ran.lookComplete).toBe(true);
  return ran.putAside.map(({ path, change }) => `${change} ${path}`);
}

it('a dot name that is new and that no list knows is quarantined, at any level', async () => {
  repository();
  const aside = await run(
    'mkdir -p .some-tool/deep pkg/.other; echo x > .some-tool/deep/a; echo y > pkg/.other/b; echo z > .toolrc',
  );
  expect(aside).toEqual(['created .some-tool/deep/a', 'created .toolrc', 'created pkg/.other/b']);
  expect(existsSync(at('.toolrc'))).toBe(false);
});

it('what was there, is harmless, an output, named, or ignored by the last commit stays', async () => {
  repository();
  const stays = [
    '.known-to-nobody/new',
    '.editorconfig',
    'src/.gitkeep',
    '.prettierrc.json',
    '.next/x/.y',
    '.pytest_cache/a',
    '.coverage',
    '.turbo/log',
    'node_modules/.bin-tool/x',
    'dist/.odd',
    '.ignored-tool/state',
    '.thing.made',
    '.named-tool/a',
  ];
  const aside = await run(
    stays.map((path) => `mkdir -p "$(dirname ${path})"; echo x > ${path}`).join('; ') +
      '; echo more >> .known-to-nobody/old',
    ['.named-tool'],
  );
  expect(aside).toEqual([]);
  for (const path of stays) expect(readFileSync(at(path), 'utf8'), path).toBe('x\n');
  expect(await run('echo more >> .named-tool/a; rm -r .ignored-tool')).toEqual([]);
});

it('a list that the command writes itself counts for nothing', async () => {
  repository();
  expect(await run('echo .sly >> .gitignore; echo x > .sly')).toEqual(['created .sly']);
});

it('a list that a command committed counts for nothing, until a commit of the person’s own stands on it', async () => {
  repository();
  const who = '-c user.name=n -c user.email=e@x';
  const committed = await runner.run(`echo .sly >> .gitignore; git ${who} commit -qam x`, { mayLeave: { git: true } });
  expect(committed.ending, committed.stderr).toMatchObject({ code: 0 });
  expect(await run('echo x > .sly')).toEqual(['created .sly']);
  execFileSync('git', [...who.split(' '), 'commit', '-qm', 'own', '--allow-empty'], { cwd: runner.workspace });
  expect(await run('echo x > .sly')).toEqual([]);
});

/** Which of these paths a file tool asks about, each in a plan of its own. */
async function asked(paths: readonly string[]): Promise<readonly string[]> {
  const settings = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };
  const jail = await PathJail.create(runner.workspace, settings, {
    findControlTargets: (root) => runner.watch.findObeyedPaths(root),
  });
  const judged = paths.map(async (path) => (await new JudgingSandbox(jail, true).validate(path)).isControlFile);
  const isAsked = await Promise.all(judged);
  return paths.filter((_, index) => isAsked[index]);
}

it('a file tool asks about the same names, and about a new one in such a folder; none is asked for what is there', async () => {
  repository();
  const asks = ['.some-tool/deep/a', 'pkg/.other/b', '.toolrc', '.known-to-nobody/new', '.Known-To-Nobody/deep/x'];
  const runs = [
    '.known-to-nobody/old',
    '.editorconfig',
    'src/.gitkeep',
    '.next/x/.y',
    'node_modules/.bin-tool/x',
    'a.md',
  ];
  expect(await asked([...asks, ...runs, '.ignored-tool/state', 'src/.thing.made'])).toEqual(asks);
  // What a file tool may write without being asked is no word of the person’s.
  writeFileSync(at('.gitignore'), '.sly\n');
  expect(await asked(['.sly', '.ignored-tool/state'])).toEqual(['.sly']);
  await runner.run('git -c user.name=n -c user.email=e@x commit -qam x', { mayLeave: { git: true } });
  expect(await asked(['.sly'])).toEqual(['.sly']);
});
