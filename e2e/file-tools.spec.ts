import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { denyAll, sheet } from './compose-door.js';

const ALLOWED = '[[tools.approval.confirmed]]\ntool = "write_file"\n';

test('File tools that were allowed for good still ask about what Git obeys, by its settings or file by file', async ({
  launch,
}) => {
  const [home, repository] = [makeFolder('home'), makeFolder('repository')];
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: repository,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });
  const workspace = join(repository, 'app');
  writeFiles(repository, { 'app/a.txt': 'a\n' });
  git('init', '-q');
  git('config', 'core.hooksPath', 'app/tools/hooks');
  git('config', 'include.path', '../app/tools/team.gitconfig');
  const app = await launch({ workspace, config: ALLOWED, flags: ['--gateway'] });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const write = (path: string) => callTool(agent, 'write_file', { path, content: 'theirs\n' });

  expect(await write('tools/plain.txt')).toMatchObject({ code: null });
  for (const path of ['tools/team.gitconfig', 'tools/hooks/pre-commit', 'sub/HEAD', 'config', 'hooks/post-checkout']) {
    const asked = write(path);
    await expect(sheet(app.page)).toContainText('make other programs run code');
    await expect(sheet(app.page)).toContainText('High');
    await denyAll(app.page);
    expect(await asked).toMatchObject({ code: 'DeniedByPerson' });
    await expect(sheet(app.page)).toBeHidden();
    expect(existsSync(join(workspace, path)), path).toBe(false);
  }
  git('status');
  git('commit', '-q', '--allow-empty', '-m', 'next');
  expect(readdirSync(home)).toEqual([]);
});
