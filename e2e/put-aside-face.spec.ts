import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { approveAll, COMMANDS_ALLOWED, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

interface Detail {
  readonly result: string;
  readonly putAside: readonly { readonly path: string; readonly change: string }[];
  readonly changedFiles: readonly { readonly path: string; readonly danger?: string }[];
}

const LEAVES = [
  'mkdir -p .vscode node_modules/p/.vscode',
  'echo made > .vscode/tasks.json',
  'rm .envrc',
  'echo more >> AGENTS.md',
  'echo x >> .github/workflows/ci.yml',
  'echo "*.bin binary" > .gitattributes',
  'echo theirs > node_modules/p/.vscode/tasks.json',
].join('\n');

test('What was put aside has its face: what, which program would run it and when, shown and put back by keyboard', async ({
  launch,
}) => {
  const app = await launch({
    // Confined, it could not even change what is there.
    config: `${COMMANDS_ALLOWED}[tools.run_command]\nconfinement = "off"\n`,
    flags: ['--gateway'],
    files: {
      '.envrc': 'export A=1\n',
      'AGENTS.md': 'mine\n',
      '.github/workflows/ci.yml': 'on: push\n',
      'run.sh': LEAVES,
    },
  });
  const { page, workspace } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const pending = callTool(agent, 'run_command', { command: 'sh run.sh' });
  await expect(sheet(page)).toContainText('Files that can make other programs run code are put aside.');
  await approveAll(page);
  const { callId, text } = await pending;
  expect(text).toContain('created .vscode/tasks.json');
  expect(text).toContain('deleted .envrc');
  const detail = await ask<Detail>(gateway, `/v1/calls/${callId}`);
  expect(detail.putAside).toEqual([
    { path: '.envrc', change: 'deleted' },
    { path: '.vscode/tasks.json', change: 'created' },
    { path: 'AGENTS.md', change: 'modified' },
  ]);
  // It is as it was before.
  expect(readFileSync(join(workspace, '.envrc'), 'utf8')).toBe('export A=1\n');
  expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('mine\n');
  expect(existsSync(join(workspace, '.vscode'))).toBe(false);
  // What only somebody else's run obeys later is marked, and what tools made is nobody's to read through.
  const marked = detail.changedFiles.filter(({ danger }) => danger !== undefined).map(({ path }) => path);
  expect(marked).toEqual(expect.arrayContaining(['.gitattributes', '.github/workflows/ci.yml']));
  expect(readFileSync(join(workspace, 'node_modules/p/.vscode/tasks.json'), 'utf8')).toBe('theirs\n');

  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${callId}"]`).click();
  const aside = page.getByRole('list', { name: 'Put aside' });
  await expect(aside.getByRole('listitem')).toHaveCount(3);
  const [envrc, tasks, agents] = ['.envrc', '.vscode/tasks.json', 'AGENTS.md'].map((path) =>
    aside.getByRole('listitem').filter({ hasText: path }),
  );
  if (envrc === undefined || tasks === undefined || agents === undefined) throw new Error('three files');
  await expect(envrc).toContainText('deleted');
  await expect(envrc).toContainText('a shell runs it when somebody enters this folder');
  await expect(agents).toContainText('changed');
  await agents.getByRole('button', { name: 'Show' }).press('Enter');
  await expect(agents).toContainText('more');
  await tasks.getByRole('button', { name: 'Show' }).press('Enter');
  await expect(tasks).toContainText('made');
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expectAccessible(page);
    await keepScreenshot(page, `put-aside-face-${theme}`);
  }
  // Put back is what the command made of it: a file comes, and one goes.
  await agents.getByRole('button', { name: 'Put back' }).press('Enter');
  await expect(agents).toContainText('It is there already');
  await envrc.getByRole('button', { name: 'Put back' }).press('Enter');
  await expect(envrc).toContainText('It is there already');
  expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('mine\nmore\n');
  expect(existsSync(join(workspace, '.envrc'))).toBe(false);
  expect(existsSync(join(workspace, '.vscode'))).toBe(false);
  // Where something else stands by now it is not overwritten.
  mkdirSync(join(workspace, '.vscode'));
  writeFileSync(join(workspace, '.vscode/tasks.json'), 'mine\n');
  await page.reload();
  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${callId}"]`).click();
  await expect(tasks).toContainText('Something else stands there by now.');
  await expect(tasks.getByRole('button', { name: 'Put back' })).toBeDisabled();
  expect(readFileSync(join(workspace, '.vscode/tasks.json'), 'utf8')).toBe('mine\n');
});
