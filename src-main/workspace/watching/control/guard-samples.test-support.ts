import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createQuarantineStore } from '../../quarantine/quarantine-store.js';
import type { Bench, FileTree } from '../../transaction/transaction.test-support.js';
import { CommandGuard } from './command-guard.js';

export const BEFORE: FileTree = {
  'CLAUDE.md': { content: 'mine\n', mode: 0o600 },
  '.vscode/tasks.json': { content: '{"mine":1}', mode: 0o644 },
  '.mcp.json': { content: '{}', mode: 0o644 },
  'src/a.txt': { content: 'a', mode: 0o644 },
};

export const openGuard = (bench: Bench): CommandGuard =>
  new CommandGuard({
    store: createQuarantineStore(bench.parts),
    folder: join(bench.dataDir, 'owed-looks'),
    hidden: [bench.dataDir],
    home: null,
    log: (message) => bench.problems.push(message),
  });

/** The content left at each of these paths, by what the path is afterwards. */
export const LEFT: Readonly<Record<string, string | null>> = {
  'CLAUDE.md': 'theirs\n',
  '.vscode/tasks.json': null,
  '.envrc': 'theirs too\n',
  'pkg/.claude/commands/x.md': 'a command\n',
  'pkg/.cursorrules': 'nowhere',
};

/** Changes files as a command would: made, changed, deleted, a link, and one that its sheet named. */
export function leaveSamples(workspace: string): void {
  const at = (path: string): string => join(workspace, path);
  writeFileSync(at('CLAUDE.md'), 'theirs\n');
  rmSync(at('.vscode/tasks.json'));
  writeFileSync(at('.envrc'), 'theirs too\n');
  mkdirSync(at('pkg/.claude/commands'), { recursive: true });
  writeFileSync(at('pkg/.claude/commands/x.md'), 'a command\n');
  symlinkSync('nowhere', at('pkg/.cursorrules'));
  writeFileSync(at('named.code-workspace'), 'named\n');
}
