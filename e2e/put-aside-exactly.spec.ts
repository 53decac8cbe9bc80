import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { approveAll } from './compose-door.js';

const rule = (prefix: string): string =>
  `[[tools.approval.confirmed]]\ntool = "run_command"\nprefix = ${JSON.stringify(prefix)}\n`;
const CONFIG = `[tools.approval]\ndenylist = []\n${rule('sh run.sh')}${rule('git commit')}`;

test('By content, by bytes, by what Git was asked for: nobody is asked, and nothing stays', async ({ launch }) => {
  const workspace = makeFolder('exactly');
  const outside = join(makeFolder('store'), 'theirs.js');
  writeFileSync(outside, 'theirs\n');
  writeFiles(workspace, {
    'run.sh': '. "./steps/$1"\n',
    'steps/names':
      'mkdir -p .cursor/rules; printf e > ".cursor/rules/$(printf "x\\377").mdc"; echo more >> node_modules/p/linked.js\n',
    'steps/slow': 'touch begun; until [ -e .envrc ]; do sleep 0.1; done; echo evil > .envrc\n',
    'check.sh':
      "unset GIT_DIR GIT_INDEX_FILE; git config remote.origin.url https://evil.example/x.git; mkdir -p .git/rebase-merge; echo 'exec touch pwned' > .git/rebase-merge/git-rebase-todo; touch ran\n",
    'node_modules/p/index.js': 'x',
  });
  linkSync(outside, join(workspace, 'node_modules/p/linked.js'));
  const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: workspace, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  git('remote', 'add', 'origin', 'https://good.example/x.git');
  writeFileSync(join(workspace, '.git/hooks/pre-commit'), '#!/bin/sh\nsh ./check.sh\n');
  chmodSync(join(workspace, '.git/hooks/pre-commit'), 0o755);
  const app = await launch({ workspace, config: CONFIG, flags: ['--gateway'] });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);

  const named = await callTool(agent, 'run_command', { command: 'sh run.sh names' });
  expect(named.text).toContain('Put aside');
  expect(existsSync(join(workspace, '.cursor'))).toBe(false);
  expect(readFileSync(outside, 'utf8')).toBe('theirs\n');

  const committed = await callTool(agent, 'run_command', { command: "git commit --allow-empty -m 'x'" });
  expect(committed.text).toContain('.git/config');
  expect(readdirSync(workspace)).toContain('ran');
  expect(git('remote', 'get-url', 'origin').trim()).toBe('https://good.example/x.git');
  expect(existsSync(join(workspace, '.git/rebase-merge/git-rebase-todo'))).toBe(false);

  const slow = callTool(agent, 'run_command', { command: 'sh run.sh slow' });
  await expect.poll(() => existsSync(join(workspace, 'begun'))).toBe(true);
  const other = await connectAgent(gateway, 'other');
  const written = callTool(other, 'write_file', { path: '.envrc', content: 'harmless\n' });
  await approveAll(app.page);
  await written;
  expect((await slow).text).toContain('.envrc');
  expect(readFileSync(join(workspace, '.envrc'), 'utf8')).toBe('harmless\n');
});
