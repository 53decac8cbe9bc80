import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { findHarmlessDifferences, findFilesNamedBySettings, parseGitConfig } from './git-config.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads the settings with Git itself; null where it refuses. */
function byGit(text: string): readonly string[] | null {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  try {
    const said = execFileSync('git', ['config', '-f', file, '--no-includes', '--list', '-z'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.split('\0').slice(0, -1);
  } catch {
    return null;
  }
}

const asGitSays = (text: string): readonly string[] | null =>
  parseGitConfig(text)?.map(({ section, sub, name, value }) => {
    const key = sub === null ? `${section}.${name}` : `${section}.${sub}.${name}`;
    return value === null ? key : `${key}\n${value}`;
  }) ?? null;

const differHarmlessly = (...texts: Parameters<typeof findHarmlessDifferences>): boolean =>
  findHarmlessDifferences(...texts) !== null;

describe('settings of Git', () => {
  it.each([
    '[core]\n\tfsmonitor = x # not this\n',
    '[core] fsmonitor=x',
    '[Core]\r\n  FsMonitor = "a ; b" c\\\n  d\r\n',
    '[remote "Ori\\"gin"]\n\turl = a\n[branch.MAIN]\nremote=origin',
    '[core]\n\tbare\n; comment\n[include]\n\tpath = ../x',
    '[a]\nb = "x\\ty\\\\z"   \n',
    '[a]\nb = c "d" e\n',
    '\uFEFF[a]\nb=c\n',
  ])('%j is read as Git reads it', (text) => {
    expect(byGit(text)).not.toBeNull();
    expect(asGitSays(text)).toEqual(byGit(text));
  });

  it('whatever is written, it is read as Git reads it or not at all', () => {
    const piece = fc.constantFrom(
      '[', ']', '[core]', '[remote "o"]', '[a.b]', '"', '\\', '\n', '\r\n', ' ', '\t', '=', '#', ';', 'fsmonitor', 'x', 'url',
      '\\n', '\\"', '../e', '\uFEFF', '[include]\npath = y\n', '[core]\nhooksPath = z\n', '-', '1',
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const read = asGitSays(pieces.join(''));
        if (read !== null) expect(read).toEqual(byGit(pieces.join('')));
      }),
      { numRuns: 150, examples: [[['[core]\nhooksPath = z\n', 'fsmonitor', '#']]] },
    );
  });

  const base = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';

  it.each([
    ['', base],
    [base, `${base}[remote "o"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n`],
    [base, `${base}[branch "main"]\n\tremote = o\n\tmerge = refs/heads/main\n`],
    [`${base}[core]\nfsmonitor = mine\n`, `[core]\nfsmonitor = mine\n${base}`],
    [base, `[submodule "x"]\n\turl = ../x\n\tactive = true\n${base}`],
  ])('%j to %j is harmless', (before, after) => expect(differHarmlessly(before, after)).toBe(true));

  it.each([
    [base, `${base}[core]\n\tfsmonitor = x\n`],
    [base, `${base}[core]\n\thooksPath = x\n`],
    [base, `${base}[include]\n\tpath = ../x\n`],
    [base, `${base}[remote "o"]\n\turl = ext::sh -c x\n`],
    [base, `${base}[remote "o"]\n\tuploadpack = x\n`],
    [base, `${base}[submodule "x"]\n\tupdate = !x\n`],
    [base, `${base}[alias]\n\tst = !x\n`],
    [base, `${base}[core]\n\tworktree = /home\n`],
    [base, `${base}[user]\n\tname = x\n`],
    [`${base}[core]\nfsmonitor = mine\n`, base],
    [base, `${base}[`],
    [`${base}[`, base],
  ])('%j to %j is not', (before, after) => expect(differHarmlessly(before, after)).toBe(false));

  it('a working tree elsewhere is harmless only to a submodule, and not above what it is in', () => {
    const set = (path: string) => `${base}[core]\n\tworktree = ${path}\n`;
    expect(differHarmlessly(base, set('../../../libs/x'), true)).toBe(true);
    expect(differHarmlessly(base, set('../../../libs/x'), false)).toBe(false);
    expect(differHarmlessly(base, set('/home'), true)).toBe(false);
  });

  it('names what Git obeys besides', () => {
    const text =
      '[include]\npath = ../team\n[includeIf "gitdir:x"]\npath = other\n[core]\nhooksPath = .githooks\nfsmonitor = ./tools/watch.sh -v\n' +
      'attributesFile = a\neditor = vi\n[filter "x"]\nclean = sh tools/clean.sh "%f"\n[alias]\nx = !./go\n[remote "o"]\nurl = ../o\n';
    expect(findFilesNamedBySettings(parseGitConfig(text) ?? [])).toEqual({
      includes: ['../team', 'other'],
      obeyed: ['.githooks', './tools/watch.sh', 'a', 'tools/clean.sh', './go'],
    });
  });
});
