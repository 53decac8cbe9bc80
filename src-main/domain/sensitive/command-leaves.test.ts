import { describe, expect, it } from 'vitest';
import { certainWords, mayLeaveByWords } from './command-leaves.js';

const leaves = (command: string) => mayLeaveByWords(certainWords(command));

describe('what a command may leave by its own words', () => {
  it.each([
    'git status',
    'git add . && git commit -m "a message"',
    'git -C sub remote add origin https://example.com/x.git',
    'cd sub && git pull',
    'git clone ../other.git copy',
    'git config user.name me',
  ])('%s is Git', (command) => expect(leaves(command).git).toBe(true));

  it.each([
    'npm install',
    'sh setup.sh',
    'git status && npm test',
    'git -c core.pager=x log',
    'git -c alias.x=!sh x',
    'git --exec-path=. status',
    'git submodule foreach sh',
    'git rebase -x sh main',
    'git rebase --exec=sh main',
    'git clone -c core.fsmonitor=x url',
    'git clone -u x url',
    'git x',
    'git filter-branch --tree-filter x',
    'GIT_DIR=x git status',
    'git status; $(sh)',
    'git status `sh`',
    'git "$x"',
    './git status',
    'git status & sh',
    "git log $'x'",
    'git\tstatus\\\n; sh',
    '',
  ])('%s is not, or is not certain', (command) => expect(leaves(command).git).toBe(false));

  it.each([
    ['cp x .envrc', ['.envrc']],
    ['echo a > .vscode/tasks.json', ['.vscode/tasks.json']],
    ['mkdir -p ./.claude/', ['.claude']],
    ['git config core.hooksPath x', ['.git/config', '.git/config.worktree']],
    ['rm pkg/.mcp.json && true', ['pkg/.mcp.json']],
    ['npm test', []],
    ['cat .envrc', []],
    ['cat x > .envrc', ['.envrc']],
    ['cp x "$y/.envrc"', []],
    ['cp x ../.envrc', []],
  ])('%s names %j', (command, named) => expect(leaves(command).named).toEqual(named));
});
