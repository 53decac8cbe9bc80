import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestRunner } from '../../process/process.test-support.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** The real gate, reader, runner, bubblewrap and Git, with `commands = "sandbox"`. */
async function repository() {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const { approval, run_command } = defaultConfig().tools;
  const gate = await openTestGate({
    tools: [runCommandTool(createCommandReader(), undefined, runner.watch)],
    workspace: runner.workspace,
    config: defaultConfig({
      approval: { ...approval, denylist: [], commands: 'sandbox', edits: 'collect' },
      run_command: { ...run_command, confinement: 'required' },
    }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: runner.workspace, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });
  mkdirSync(join(runner.workspace, 'src'));
  for (const name of ['a', 'b']) writeFileSync(join(runner.workspace, `src/${name}.js`), `${name}\n`);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  return {
    git,
    run: async (command: string) => {
      const [settled] = await gate.submit([{ tool: 'run_command', arguments: { command } }], {
        door: 'mcp',
        client: 'codex 1',
      }).settled;
      if (settled === undefined) throw new Error('nothing settled');
      return settled;
    },
  };
}

test('Agents commit as they do: globs, here-documents, a message by cat', async () => {
  const { git, run } = await repository();
  for (const command of [
    'git add src/a*.js',
    "git commit -m \"$(cat <<'EOF'\nfeat: it's “a” && b\n\nCo-Authored-By: An agent <a@x>\nEOF\n)\"",
    'git add src/*.js && git status --short | head -5',
    "git commit -F - <<'EOF'\nfix: b; $(not run)\nEOF",
    "cat > src/c.js <<'EOF'\nc\nEOF\ngit add src/c.js && git commit -q -m c && git log --oneline | head -3",
  ]) {
    const { failure, result } = await run(command);
    expect(failure, `${command}\n${result.content}`).toBeNull();
    expect(result.confinement).toBe('confined');
  }
  expect(git('log', '--format=%s', '--reverse')).toBe("feat: it's “a” && b\nfix: b; $(not run)\nc\n");
});

test('What is not git has .git read-only, also beside it, and the result says so first', async () => {
  const { git, run } = await repository();
  const { failure } = await run('touch src/d.js && git add src/d.js');
  expect(failure?.message).toMatch(/^exit code 128\. \.git is read-only .* Send the git command alone\./u);
  expect(git('ls-files')).toBe('');
});
