import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { parseDefaults } from '../../settings/defaults.js';
import { layerConfig } from '../../settings/layers.js';
import { SETTINGS } from '../../settings/setting-keys.js';
import { TIGHTENING } from '../../settings/tightening.js';
import { PathJail } from './path-jail.js';
import { staysIn } from './path-jail.test-support.js';

let base: string;
let root: string;
const settings = (allowed_roots: readonly string[]) => ({
  allowed_roots: [...allowed_roots],
  denied_patterns: [],
  allow_absolute: false,
  include_default_denies: true,
});
const jailed = (folders: readonly string[], own: readonly string[] = ['.'], ownData: string | null = null) =>
  PathJail.create(root, settings(folders), { ownRoots: own, ownData });

async function failure(work: Promise<unknown>): Promise<Failure | null> {
  return work.then(
    () => null,
    (error: unknown) => (error instanceof ToolFailure ? error.failure : expect.fail(String(error))),
  );
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-roots-')));
  root = join(base, 'workspace');
  for (const folder of ['workspace/src/deep', 'workspace/sub', 'outside/private']) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  writeFileSync(join(base, 'outside/notes.txt'), 'secret');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('C1: the roots of a folder’s settings', () => {
  it.each([
    ['a link out of the workspace', ['link'], 'link', '../outside'],
    ['a folder behind one', ['link/private'], 'link', '../outside'],
    ['a link deeper down', ['sub/link'], 'sub/link', '../../outside'],
    ['a link beside the workspace itself', ['.', 'link'], 'link', '../outside'],
    ['a link to the whole machine', ['link'], 'link', '/'],
    ['a link that stays inside', ['link'], 'link', 'src'],
  ])('%s is refused', async (_what, folders, link, target) => {
    symlinkSync(target, join(root, link));
    const jail = await jailed(folders);
    expect(jail.roots).toEqual([root]);
    expect(jail.refusedRoots).toMatchObject([{ asked: folders.at(-1), why: expect.stringContaining('link') }]);
    const refusal = await failure(jail.validate(`${link}/notes.txt`));
    expect(refusal?.code ?? null).toBe(target === 'src' ? null : 'PathOutsideSandbox');
  });

  it.each([
    ['.git', '.git'],
    ['.git/hooks', '.git/hooks'],
    ['.git/info', '.git/info'],
    ['.vscode/sub', '.vscode/sub'],
    ['sub/.claude/hooks', 'sub/.claude/hooks'],
    ['a root of the person’s own in such a place', '../outside/.claude/hooks'],
    ['.GIT/hooks', '.GIT/hooks'],
    ['keys', '.ssh'],
  ])('A3: none is, or lies in, what steers other programs or keeps secrets: %s', async (_what, folder) => {
    mkdirSync(join(root, folder), { recursive: true });
    const jail = await jailed([folder], ['.', '../outside']);
    expect(jail.roots).toEqual([root, join(base, 'outside')]);
    expect(jail.refusedRoots).toMatchObject([{ asked: folder, why: expect.stringContaining('can’t have it') }]);
    expect((await jailed([folder, 'src'])).roots).toEqual([join(root, 'src')]);
  });

  it.each([
    ['.git/hooks', 'post-index-change'],
    ['.git', 'config'],
    ['.git/info', 'attributes'],
    ['.vscode/sub', 'tasks.json'],
    ['sub/.claude/hooks', 'deep/x.sh'],
    ['../outside/.claude/hooks', 'x.sh'],
  ])('A3: in a root of the person’s own such a place asks as anywhere: %s', async (folder, file) => {
    mkdirSync(join(root, '.git'), { recursive: true });
    mkdirSync(join(root, folder), { recursive: true });
    const jail = await jailed([folder], [folder]).catch(() => null);
    const own = await PathJail.create(root, settings([folder]));
    expect((jail ?? own).roots).toEqual(own.roots);
    expect((await own.validate(file)).isControlFile).toBe(true);
  });

  it('A3: a workspace below the top of a repository, and a working tree of its own', async () => {
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, '.claude/worktrees/x'), { recursive: true });
    const inside = join(root, '.claude/worktrees/x');
    expect((await (await PathJail.create(inside, settings(['.']))).validate('a')).isControlFile).toBe(true);
    writeFileSync(join(inside, '.git'), 'gitdir: ../../../.git/worktrees/x\n');
    expect((await (await PathJail.create(inside, settings(['.']))).validate('a')).isControlFile).toBe(false);
    expect((await (await PathJail.create(join(root, 'src'), settings(['.']))).validate('a')).isControlFile).toBe(false);
  });

  it('are walked to anew whenever the jail is built: a root that was a folder may be a link by now', async () => {
    expect((await jailed(['src'])).roots).toEqual([join(root, 'src')]);
    rmSync(join(root, 'src'), { recursive: true });
    symlinkSync('../outside', join(root, 'src'));
    expect((await jailed(['src'])).roots).toEqual([root]);
  });

  it('a root that was replaced since a path was checked is not entered', async () => {
    const jail = await jailed(['src/deep']);
    writeFileSync(join(root, 'src/deep/notes.txt'), 'ours');
    const path = await jail.validate('notes.txt');
    rmSync(join(root, 'src'), { recursive: true });
    mkdirSync(join(base, 'outside/deep'));
    writeFileSync(join(base, 'outside/deep/notes.txt'), 'theirs');
    symlinkSync('../outside', join(root, 'src'));
    expect(await failure(jail.openFile(path))).toMatchObject({ code: 'SandboxViolation' });
    expect(await failure(jail.openDirectory(await jail.validate('.').catch(() => path)))).not.toBeNull();
  });

  it('a link of the folder does not move a root of the person’s own', async () => {
    symlinkSync('../outside', join(root, 'link'));
    const jail = await PathJail.create(root, settings(['src', 'link']));
    expect(jail.roots).toEqual([join(root, 'src')]);
    expect(jail.refusedRoots).toMatchObject([{ asked: 'link' }]);
  });

  it('the person may name a folder elsewhere, through a link of theirs too, and the folder narrow it', async () => {
    symlinkSync('outside', join(base, 'mine'));
    const own = ['.', join(base, 'mine')];
    expect((await PathJail.create(root, settings(own))).roots).toEqual([root, join(base, 'outside')]);
    expect((await jailed([join(base, 'mine/private')], own)).roots).toEqual([join(base, 'outside/private')]);
    symlinkSync('/', join(base, 'outside/up'));
    expect((await jailed([join(base, 'mine/up')], own)).roots).toEqual([root, join(base, 'outside')]);
  });

  it('whatever links there are, no root of a folder lies outside the person’s (any tree of links)', async () => {
    const names = ['a', 'b', 'c'];
    const place = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const target = fc.constantFrom('..', '../..', '../../outside', '/', '.', 'a', '../b', 'a/b', '../outside/private');
    const node = fc.tuple(place, fc.option(target));
    await fc.assert(
      fc.asyncProperty(
        fc.array(node, { maxLength: 8 }),
        fc.array(place, { minLength: 1, maxLength: 3 }),
        async (nodes, asked) => {
          rmSync(root, { recursive: true });
          mkdirSync(root);
          for (const [path, to] of nodes) {
            try {
              // Where a link leads out already, nothing is made through it.
              if (!staysIn(base, join(root, path))) continue;
              if (to === null) mkdirSync(join(root, path), { recursive: true });
              else symlinkSync(to, join(root, path));
            } catch {
              // In the way of another, or below a file: then there is one node less.
            }
          }
          const { roots } = await jailed(asked);
          for (const each of roots) {
            expect(realpathSync(each)).toBe(each);
            expect(relative(root, each).startsWith('..')).toBe(false);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('no other setting of a folder is a path that could lead elsewhere: a new one has to be put here, and be walked to', () => {
    const paths = new Set(['tools.sandbox.allowed_roots']);
    // Patterns that deny, names of tools, hosts and variables: nothing of it is opened.
    const names = new Set([
      'tools.approval.allowlist', 'tools.approval.denylist', 'tools.sandbox.denied_patterns', 'tools.environment.denylist',
      'tools.run_command.allowed_hosts', 'tools.run_command.env_allowlist', 'telemetry.otlp_endpoint',
    ]); // prettier-ignore
    // Paths of the person's own, of which a folder may strike out whole ones and add none.
    const struckOut = new Set(['tools.run_command.home_allowlist']);
    for (const key of struckOut) {
      const tighten = TIGHTENING[key as keyof typeof TIGHTENING];
      expect(tighten(['a', 'b'], ['b', 'b/c', 'a/../d'])).toMatchObject({ value: ['b'] });
    }
    const textual = [...SETTINGS].filter(([key, { type, enum: choices }]) => {
      const own = TIGHTENING[key] === TIGHTENING['model.provider'];
      return !own && choices === undefined && type !== 'boolean' && type !== 'integer' && type !== 'number';
    });
    expect(
      textual.map(([key]) => key).filter((key) => !paths.has(key) && !names.has(key) && !struckOut.has(key)),
    ).toEqual([]);
  });

  it('a layer says which roots are the person’s where the folder narrows them, and nothing where it does not', () => {
    const roots = (allowed_roots: readonly string[]) => ({ tools: { sandbox: { allowed_roots: [...allowed_roots] } } });
    expect(layerConfig(parseDefaults(), {}, roots(['link'])).ownRoots).toEqual(['.']);
    expect(layerConfig(parseDefaults(), roots(['src', '/data']), roots(['src/deep'])).ownRoots).toEqual([
      'src',
      '/data',
    ]);
    expect(layerConfig(parseDefaults(), roots(['src']), {}).ownRoots).toBeNull();
  });
});

describe('H1: the app’s own data', () => {
  beforeEach(() => {
    mkdirSync(join(root, '.config/Gatehouse/logs'), { recursive: true });
    for (const file of ['gateway.json', 'config.toml', 'logs/gatehouse.log']) {
      writeFileSync(join(root, '.config/Gatehouse', file), 'secret');
    }
    symlinkSync('.config/Gatehouse', join(root, 'way-in'));
  });
  const data = () => join(root, '.config/Gatehouse');

  it.each([
    '.config/Gatehouse', '.config/Gatehouse/gateway.json', '.config/Gatehouse/logs/gatehouse.log', '.CONFIG/gatehouse/new',
    'way-in', 'way-in/config.toml', '.config/Gatehouse/not/there',
  ])('%s is refused, whatever the roots', async (path) => {
    for (const roots of [['.'], ['.config'], ['.', '.config']]) {
      const jail = await PathJail.create(root, settings(roots), { ownData: data() });
      const asked = jail.workingDirectory === root ? path : path.replace(/^\.config\//iu, '');
      if (asked === path && jail.workingDirectory !== root) continue;
      expect(await failure(jail.validate(asked)), asked).toMatchObject({ code: 'SandboxViolation' });
    }
  }); // prettier-ignore

  it('is in no listing, and can be no root', async () => {
    const jail = await PathJail.create(root, settings(['.', '.config']), { ownData: data() });
    expect(jail.isDenied('.config/Gatehouse', root)).toBe(true);
    expect(jail.isDenied('Gatehouse/logs', join(root, '.config'))).toBe(true);
    expect(jail.isDenied('.config/Gatehouse2', root)).toBe(false);
    const inside = await PathJail.create(root, settings(['src', '.config/Gatehouse/logs']), { ownData: data() });
    expect(inside.roots).toEqual([join(root, 'src')]);
    expect(inside.refusedRoots).toMatchObject([{ why: expect.stringContaining('own data folder') }]);
  });
});
