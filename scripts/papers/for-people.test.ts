import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src-main/settings/parse.js';

const projectDir = resolve(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(projectDir, path), 'utf8');

const papers = ['.', 'docs', 'docs/adr'].flatMap((folder) =>
  readdirSync(join(projectDir, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

describe('the papers', () => {
  it('lead to what is there', () => {
    const links = papers.flatMap((paper) =>
      [...textOf(paper).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/gu)]
        .map(([, target = '']) => ({ paper, target }))
        .filter(({ target }) => !/^[a-z]+:/u.test(target)),
    );
    expect(links.length).toBeGreaterThan(200);
    const gone = links.filter(({ paper, target }) => !existsSync(resolve(projectDir, dirname(paper), target)));
    expect(gone).toEqual([]);
  });

  it('show only settings that the app understands', () => {
    const examples = papers.flatMap((paper) =>
      [...textOf(paper).matchAll(/^( {4,})\[.*\n(?:(?:\1.*)?\n)*/gmu)].map(([text]) => ({
        paper,
        text: text.replaceAll(/^ +/gmu, ''),
      })),
    );
    expect(examples.length).toBeGreaterThanOrEqual(4);
    for (const { paper, text } of examples)
      expect(parseConfig(paper, text)).toMatchObject({
        ok: true,
        layer: { unknown: [], refusedSources: [], refusedHooks: [] },
      });
  });

  it('README names every flag of the app, and no other', () => {
    const known = /Known: ([^`]+)`/u.exec(textOf('src-main/platform/flags.ts'))?.[1] ?? '';
    const flags = (text: string) => [...new Set([...text.matchAll(/--[a-z][a-z-]+/gu)].map(([flag]) => flag))].sort();
    const table = /## Flags\n(.*?)\n## /su.exec(textOf('README.md'))?.[1] ?? '';
    expect(flags(table)).toEqual(flags(known));
  });

  it('README stays short: what is longer has a page in docs/', () => {
    expect(textOf('README.md').split(/\s+/u).length).toBeLessThanOrEqual(900);
  });
});
