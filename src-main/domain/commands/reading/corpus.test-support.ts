import { readFileSync } from 'node:fs';
import type { Folder } from './folder.js';

export interface CorpusLine {
  readonly line: number;
  readonly risk: 'low' | 'medium' | 'high';
  /** The kinds that have to be found, whatever else is found. */
  readonly kinds: readonly string[];
  readonly command: string;
}

const RISKS = { L: 'low', M: 'medium', H: 'high' } as const;

/** `domain/commands/programs/command-corpus.tsv`: verdict, what is found, command; `⏎` is a line end. */
export function corpus(): readonly CorpusLine[] {
  const text = readFileSync(new URL('../programs/command-corpus.tsv', import.meta.url), 'utf8');
  return text
    .split('\n')
    .map((line, index) => ({ line: index + 1, parts: line.split('\t') }))
    .filter(({ parts }) => parts.length >= 3)
    .map(({ line, parts: [risk = '', kinds = '', ...command] }) => {
      if (risk !== 'L' && risk !== 'M' && risk !== 'H') throw new Error(`line ${line} has no verdict`);
      return {
        line,
        risk: RISKS[risk],
        kinds: kinds.split(',').filter((kind) => kind !== ''),
        command: command.join('\t').replaceAll('⏎', '\n'),
      };
    });
}

const FILES =
  '.git/ node_modules/ .venv/ .env .env.example .env.local .env.production .gitignore .npmrc .prettierrc Makefile README.md package.json package-lock.json tsconfig.json Cargo.toml go.mod pyproject.toml requirements.txt ' +
  'config/secrets.yml config.yml credentials.json dist/app.bin dist/app.js data/a.hex data/a.txt data/b.txt data/in.csv data/in.json deploy/server.key deploy/server.pem docs/guide.md fix.patch ' +
  'logs/app.log packages/api/package.json packages/web/package.json script.py scripts/build.mjs scripts/build.sh scripts/test.sh src/a.ts src/app.ts src/b.ts src/components/button.ts ' +
  'src/deep/x.pyc src/index.ts src/main.c src/old/z.ts tests/app.test.ts tests/test_app.py';

const TEXTS: Readonly<Record<string, string>> = {
  '.git/config': '[remote "origin"]\n\turl = git@git.example:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  'node_modules/.bin/husky': 'x',
  ...Object.fromEntries(
    'tsc vitest jest eslint prettier playwright dotenv husky'
      .split(' ')
      .map((name) => [`node_modules/.bin/${name}`, 'x']),
  ),
};

/** Secrets are not among what Git knows. */
const TRACKED = ['README.md', 'package.json', 'src/a.ts', 'src/b.ts', 'src/index.ts'];

/** A project as many are, with secrets in it. */
export const SAMPLE_FOLDER: Folder = {
  roots: ['/home/me/project'],
  files: () => FILES.split(' '),
  text: (path) => TEXTS[path] ?? null,
  tracked: () => ({ top: '', files: TRACKED }),
};

/** Folders that tools made: nothing in them has a copy. */
export const hasNoCopy = (path: string): boolean =>
  /^(?:.*\/)?(?:node_modules|\.venv|dist|build|target)(?:\/|$)/u.test(path);
