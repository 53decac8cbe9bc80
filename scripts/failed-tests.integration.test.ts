// With the real runners, on tests that fail in every way: only so is it known what their reports hold.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..');
let folder: string;

beforeEach(() => {
  // Within the project, so that the tests find the runners.
  mkdirSync(join(projectDir, 'artifacts'), { recursive: true });
  folder = mkdtempSync(join(projectDir, 'artifacts', 'failing-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('What failed under vitest is named with its file, its title and its reason; what passed is not', () => {
  writeFileSync(
    join(folder, 'some.test.mjs'),
    `import { describe, expect, it } from 'vitest';
    describe('outer', () => {
      it('is wrong', () => expect('left').toBe('right'));
      it('is right', () => {});
    });`,
  );
  writeFileSync(join(folder, 'broken.test.mjs'), `import './nowhere.mjs';`);
  const report = join(folder, 'report.json');
  run('vitest/vitest.mjs', ['run', '--root', folder, '--reporter=json', `--outputFile=${report}`]);

  const paragraphs = said('failedInVitest', report).toSorted();
  expect(paragraphs).toHaveLength(2);
  expect(paragraphs[0]).toMatch(/^✗ artifacts\/failing-\w+\/broken\.test\.mjs\n.*nowhere\.mjs/);
  expect(paragraphs[1]).toMatch(/^✗ artifacts\/failing-\w+\/some\.test\.mjs › outer is wrong\n.*'left'.*'right'/);
});

test('What failed under Playwright is named likewise, and so is what only a second try made pass', () => {
  writeFileSync(
    join(folder, 'some.spec.mjs'),
    `import { expect, test } from '@playwright/test';
    test.describe('outer', () => {
      test('is wrong', () => expect('left').toBe('right'));
      test('is right', () => {});
    });
    test('wavers', ({}, info) => expect(info.retry).toBe(1));`,
  );
  const report = join(folder, 'report.json');
  writeFileSync(
    join(folder, 'playwright.config.mjs'),
    `export default { testDir: '.', outputDir: 'results', retries: 1, workers: 1, reporter: [['json', { outputFile: 'report.json' }]] };`,
  );
  run('@playwright/test/cli.js', ['test', '--config', join(folder, 'playwright.config.mjs')]);

  const paragraphs = said('failedInPlaywright', report).toSorted();
  expect(paragraphs.map((paragraph) => paragraph.split('\n')[0])).toEqual([
    '✗ some.spec.mjs:3 › outer › is wrong',
    '✗ some.spec.mjs:6 › wavers',
  ]);
  expect(paragraphs[0]).toContain('Expected: "right"');
  expect(paragraphs[0]).not.toContain('\u001b');
});

test('A report that is not there says nothing, and breaks nothing', () => {
  writeFileSync(join(folder, 'report.json'), 'null');
  expect(said('failedInVitest', join(folder, 'report.json'))).toEqual([]);
  expect(said('failedInPlaywright', join(folder, 'report.json'))).toEqual([]);
});

function run(runner: string, args: string[]) {
  const { VITEST: _vitest, VITEST_WORKER_ID: _worker, ...env } = process.env;
  const { status } = spawnSync(process.execPath, [join(projectDir, 'node_modules', runner), ...args], {
    cwd: folder,
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', FORCE_COLOR: '1' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
}

/** In a process of its own, as npm test does it: what is plain JavaScript has no types for this file to know. */
function said(reader: string, report: string): string[] {
  const text = `import * as readers from ${JSON.stringify(join(projectDir, 'scripts', 'failed-tests.mjs'))};
    console.log(JSON.stringify(readers.${reader}(${readFileSync(report, 'utf8')})));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    env: { ELECTRON_RUN_AS_NODE: '1' },
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as string[];
}
