import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BoundSandbox } from '../../../gate/executor/bound/bound-sandbox.js';
import { JudgingSandbox } from '../../../gate/planner/judging/judging-sandbox.js';
import { PathJail } from '../../sandbox/path-jail.js';
import { ControlTargets } from './control-targets.js';

let root: string;
let jail: PathJail;
const SETTINGS = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-led-')));
  const looks = new ControlTargets({ hidden: [], home: null });
  jail = await PathJail.create(root, SETTINGS, { findControlTargets: (each) => looks.find(each) });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Asks as for a call that changes files, each in a plan of its own. */
const asks = async (path: string): Promise<boolean> =>
  (await new JudgingSandbox(jail, true).validate(path)).isControlFile;

describe('A5: a file tool that changes what a link or a setting leads to', () => {
  it('asks, existing or not, through further links, and where it is no longer so it does not', async () => {
    mkdirSync(join(root, 'agentconf'));
    writeFileSync(join(root, 'agentconf/settings.json'), '{}');
    mkdirSync(join(root, 'real'));
    const links = {
      '.claude': 'agentconf', '.vscode': 'conf', 'AGENTS.md': 'doc/Agents-Target.md', '.cursor': 'way', way: 'real', '.config': 'dot',
    }; // prettier-ignore
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
    for (const path of [
      'agentconf/settings.json',
      'AGENTCONF/x',
      'conf/tasks.json',
      'conf',
      'doc/Agents-Target.md',
      'real/mcp.json',
      'dot/systemd/user/a.service',
    ]) {
      expect(await asks(path), path).toBe(true);
    }
    for (const path of ['doc/other.md', 'agentconf2/x', 'dot/x', 'a.txt']) expect(await asks(path), path).toBe(false);
    rmSync(join(root, '.claude'));
    expect(await asks('agentconf/settings.json')).toBe(false);
  });

  it('asks where the settings of Git name it, in a repository above as well', async () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['config', 'core.hooksPath', 'app/tools'], { cwd: root });
    mkdirSync(join(root, 'app'));
    expect(await asks('app/tools/pre-commit')).toBe(true);
    const looks = new ControlTargets({ hidden: [], home: null });
    jail = await PathJail.create(join(root, 'app'), SETTINGS, { findControlTargets: (each) => looks.find(each) });
    expect(await asks('tools/pre-commit')).toBe(true);
    expect(await asks('src/pre-commit')).toBe(false);
  });

  it('is not done where it became such a place after it was judged', async () => {
    const judging = new JudgingSandbox(jail, true);
    await judging.validate('conf/tasks.json');
    const bound = () => new BoundSandbox(jail, { files: judging.files, terms: { roots: judging.inspectRoots() } });
    expect((await bound().validate('conf/tasks.json')).isControlFile).toBe(false);
    symlinkSync('conf', join(root, '.vscode'));
    await expect(bound().validate('conf/tasks.json')).rejects.toThrow();
  });

  it('asks about everything where not all could be looked at', async () => {
    jail = await PathJail.create(root, SETTINGS, { findControlTargets: async () => null });
    expect(await asks('a.txt')).toBe(true);
  });
});
