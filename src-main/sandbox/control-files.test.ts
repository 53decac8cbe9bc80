import { describe, expect, it } from 'vitest';
import { isControlFile } from './control-files.js';

describe('control files', () => {
  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.git',
    'sub/.git/config',
    '.GIT/hooks/x',
    '.g\u200cit/config',
    '.git./config',
    '.gatehouse/config.toml',
    '.vscode/tasks.json',
    '.mcp.json',
    '.envrc',
    'home/.bashrc',
    '.zshrc',
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.husky/pre-push',
    '.npmrc',
  ])('%s makes other programs run something', (path) => {
    expect(isControlFile(path)).toBe(true);
  });

  it.each([
    '',
    'src/index.ts',
    'git/config',
    '.gitignore',
    'vscode/a',
    'workflows/ci.yml',
    'package.json',
    'README.md',
  ])('%s does not', (path) => {
    expect(isControlFile(path)).toBe(false);
  });

  it('knows the root’s own name', () => {
    expect(isControlFile('tasks.json', '.vscode')).toBe(true);
    expect(isControlFile('ci.yml', 'workflows')).toBe(false);
    expect(isControlFile('workflows/ci.yml', '.github')).toBe(true);
  });
});
