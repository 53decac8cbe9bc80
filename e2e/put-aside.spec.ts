import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, gatewayOf } from './agent.js';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { approveAll, calls, command, COMMANDS_ALLOWED, expectStates, runBatch, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

interface Detail {
  readonly state: string;
  readonly result: string;
  readonly putAside: readonly { readonly path: string; readonly change: string }[];
  readonly changedFiles: readonly { readonly path: string; readonly danger?: string }[];
}

/** The person's own Git, outside of Gatehouse, with a home where whatever it runs would leave something. */
function personsGit(workspace: string, home: string, ...words: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
    cwd: workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
  });
}

function repository(workspace: string, home: string): void {
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  personsGit(workspace, home, 'init', '-q', '-b', 'main');
  personsGit(workspace, home, 'add', '.');
  personsGit(workspace, home, 'commit', '-qm', 'first');
}

async function idsOf(page: Page): Promise<readonly string[]> {
  return calls(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-call-id') ?? ''));
}

test('What a command leaves that other programs obey is put aside, told, shown and put back by hand', async ({
  launch,
}) => {
  const home = makeFolder('home');
  const pwned = join(home, 'pwned');
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, flags: ['--gateway'] });
  const { page, workspace } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  repository(workspace, home);
  mkdirSync(join(workspace, '.githooks'));
  writeFileSync(join(workspace, '.githooks/readme'), 'mine\n');
  writeFileSync(join(workspace, 'team.gitconfig'), '[alias]\n\tst = status\n');
  mkdirSync(join(workspace, 'sub'));
  personsGit(join(workspace, 'sub'), home, 'init', '-q');
  personsGit(workspace, home, 'config', 'include.path', '../team.gitconfig');
  personsGit(workspace, home, 'config', 'core.hooksPath', '.githooks');
  const evil = `[core]\\n\\tfsmonitor = touch ${pwned}; false\\n`;
  const hook = `printf '#!/bin/sh\\ntouch ${pwned}\\n'`;
  // In scripts: what a sheet names, and is approved with it, stays.
  const scripts = {
    'included.sh': `printf '${evil}' >> team.gitconfig`,
    'hooks.sh': `${hook} > .githooks/pre-commit && chmod +x .githooks/pre-commit`,
    'deeper.sh': `${hook} > sub/.git/hooks/post-index-change; printf '${evil}' >> sub/.git/config`,
    'new.sh':
      'mkdir .vscode .gatehouse .claude; for f in .vscode/tasks.json .envrc .gatehouse/config.toml .mcp.json .claude/settings.json; do echo made > $f; done',
  };
  writeFiles(workspace, scripts);
  await runBatch(page, [
    command(`mkdir evil; printf '${evil}' > evil/config; echo ../evil > .git/commondir`),
    ...Object.keys(scripts).map((name) => command(`sh ${name}`)),
  ]);
  await approveAll(page);
  await expectStates(page, ['failed', 'failed', 'failed', 'failed', 'completed']);
  // The person's next ordinary acts run nothing of it.
  for (const folder of [workspace, join(workspace, 'sub')]) {
    personsGit(folder, home, 'status');
    personsGit(folder, home, 'commit', '--allow-empty', '-qm', 'next');
  }
  expect(readdirSync(home)).toEqual([]);
  for (const gone of [
    '.vscode',
    '.envrc',
    '.gatehouse',
    '.mcp.json',
    '.claude',
    '.git/commondir',
    '.githooks/pre-commit',
  ]) {
    expect(existsSync(join(workspace, gone)), gone).toBe(false);
  }
  const ids = await idsOf(page);
  const detail = async (index: number) => ask<Detail>(gateway, `/v1/calls/${ids[index] ?? ''}`);
  const left = await detail(4);
  expect(left.putAside).toEqual([
    { path: '.claude/settings.json', change: 'created' },
    { path: '.envrc', change: 'created' },
    { path: '.gatehouse/config.toml', change: 'created' },
    { path: '.mcp.json', change: 'created' },
    { path: '.vscode/tasks.json', change: 'created' },
  ]);
  expect(left.result).toContain('created .envrc');
  expect((await detail(0)).result).toContain('may write .git');

  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${ids[4] ?? ''}"]`).click();
  const aside = page.getByRole('list', { name: 'Put aside' });
  const envrc = aside.getByRole('listitem').filter({ hasText: '.envrc' });
  await expect(envrc).toContainText('a shell runs it when somebody enters this folder');
  await envrc.getByRole('button', { name: 'Show' }).click();
  await expect(envrc).toContainText('made');
  await expectAccessible(page);
  await keepScreenshot(page, 'put-aside');
  await envrc.getByRole('button', { name: 'Put back' }).click();
  await expect(envrc).toContainText('It is there already');
  await expect(envrc.getByRole('button', { name: 'Put back' })).toBeDisabled();
  expect(readFileSync(join(workspace, '.envrc'), 'utf8')).toBe('made\n');
  expect(existsSync(join(workspace, '.mcp.json'))).toBe(false);
});

test('Clones, pulls, remotes, installs and scaffolders work; what the approved sheet named stays', async ({
  launch,
}) => {
  const home = makeFolder('home');
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, flags: ['--gateway'] });
  const { page, workspace } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  repository(workspace, home);
  personsGit(workspace, home, 'clone', '-q', '--bare', '.', 'origin.git');
  mkdirSync(join(workspace, 'dependency'));
  writeFileSync(join(workspace, 'dependency/package.json'), '{"name":"dependency","version":"1.0.0"}');
  writeFileSync(
    join(workspace, 'package.json'),
    '{"name":"app","version":"1.0.0","dependencies":{"dependency":"file:dependency"}}',
  );
  writeFileSync(
    join(workspace, 'create.sh'),
    'mkdir app && cd app && git init -q && echo node_modules > .gitignore && mkdir .vscode && echo {} > .vscode/settings.json && git add . && git -c user.name=n -c user.email=e@x commit -qm first\n',
  );
  await runBatch(page, [
    command('git remote add origin ./origin.git'),
    command('git pull -q origin main'),
    command('git clone -q origin.git copy'),
    command('npm install --offline --no-audit --no-fund'),
    command('sh create.sh'),
    command('echo named > .envrc'),
  ]);
  await approveAll(page);
  await expectStates(page, ['completed', 'completed', 'completed', 'completed', 'completed', 'completed']);
  const ids = await idsOf(page);
  const aside = await Promise.all(
    ids.map(async (id) => (await ask<Detail>(gateway, `/v1/calls/${id}`)).putAside.map(({ path }) => path)),
  );
  expect(aside).toEqual([[], [], [], [], ['app/.vscode/settings.json'], []]);
  expect(personsGit(workspace, home, 'remote').trim()).toBe('origin');
  expect(personsGit(join(workspace, 'copy'), home, 'log', '--oneline')).toContain('first');
  expect(personsGit(join(workspace, 'app'), home, 'log', '--oneline')).toContain('first');
  expect(existsSync(join(workspace, 'node_modules/dependency/package.json'))).toBe(true);
  expect(readFileSync(join(workspace, '.envrc'), 'utf8')).toBe('named\n');
  const scaffolded = await ask<Detail>(gateway, `/v1/calls/${ids[4] ?? ''}`);
  expect(scaffolded.changedFiles[0]?.danger).toContain('repository');
});

test('A script that runs Git is told why it failed, and the person lets one call write to .git', async ({ launch }) => {
  const home = makeFolder('home');
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, flags: ['--gateway'] });
  const { page, workspace } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  repository(workspace, home);
  writeFileSync(
    join(workspace, 'commit.sh'),
    'git add commit.sh && git -c user.name=n -c user.email=e@x commit -qm "by script" && echo hook > .git/hooks/pre-push\n',
  );
  await runBatch(page, [
    command('sh commit.sh'),
    command('sh commit.sh'),
    command('git status'),
    command('cat commit.sh'),
  ]);
  const may = sheet(page).getByRole('switch', { name: 'may write .git' });
  // Git itself needs no leave, and what only reads wants none.
  await expect(may).toHaveCount(2);
  await may.nth(1).click();
  await expect(may.nth(1)).toBeChecked();
  await expect(may.nth(0)).not.toBeChecked();
  await expectAccessible(page);
  await keepScreenshot(page, 'may-write-git');
  await approveAll(page);
  await expectStates(page, ['failed', 'completed', 'completed', 'completed']);
  const ids = await idsOf(page);
  const [without, granted] = await Promise.all(
    ids.map((id) => ask<Detail & { readonly capabilities: readonly string[] }>(gateway, `/v1/calls/${id}`)),
  );
  expect(without?.result).toContain('.git is read-only to a command that is not git itself');
  expect(without?.capabilities).not.toContain('git.write');
  expect(granted?.capabilities).toContain('git.write');
  expect(granted?.putAside).toEqual([{ path: '.git/hooks/pre-push', change: 'created' }]);
  expect(personsGit(workspace, home, 'log', '--oneline')).toContain('by script');
});

test('Killed in the middle of a command, the next start puts aside what it left, and tells it', async ({ launch }) => {
  const before = await launch({
    files: {
      'CLAUDE.md': 'mine\n',
      'run.sh': 'echo x > .envrc; echo x >> CLAUDE.md; echo made > done; sleep 60\n',
    },
    config: `${COMMANDS_ALLOWED}[tools.run_command]\nconfinement = "off"\n`,
  });
  const { dataDir, workspace } = before;
  await runBatch(before.page, [command('sh run.sh')]);
  await approveAll(before.page);
  await expect.poll(() => existsSync(join(workspace, 'done'))).toBe(true);
  await before.kill();
  expect(existsSync(join(workspace, '.envrc'))).toBe(true);
  const { page } = await launch({ dataDir, workspace });
  await page
    .getByRole('dialog', { name: 'Unfinished work' })
    .getByRole('button', { name: 'Resume with partial results' })
    .click();
  expect(existsSync(join(workspace, '.envrc'))).toBe(false);
  expect(readFileSync(join(workspace, 'CLAUDE.md'), 'utf8')).toBe('mine\n');
  await goTo(page, 'History');
  await page.locator('tr[data-tool="run_command"]').first().click();
  const aside = page.getByRole('list', { name: 'Put aside' });
  await expect(aside.getByRole('listitem')).toHaveCount(2);
  await aside.getByRole('button', { name: 'Put back .envrc' }).click();
  await expect.poll(() => existsSync(join(workspace, '.envrc'))).toBe(true);
});
