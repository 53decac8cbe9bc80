import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { ConfigStore } from '../../settings/config-store.js';
import { ruleBook } from './confirmations.js';
import { runnerTexts } from './runner-texts.js';

const SECRET = 'q8Zk2mPw1xYv';
const COMMAND = `curl -H "Authorization: Bearer ${SECRET}" https://example.org`;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('A rule whose words hold a secret is not written down: it holds for this run, and the person is told', async () => {
  const file = join(folder(), 'config.toml');
  const store = new ConfigStore(file);
  onTestFinished(() => store.close());
  const told: string[] = [];
  const book = ruleBook({
    config: store,
    redactor: openTestRedactor(),
    clock: { now: () => 0, monotonic: () => 0 },
    onProblem: (text) => told.push(text),
    onChange: () => undefined,
  });
  await book.remember({ tool: 'run_command', command: COMMAND }, 'always');
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').not.toContain(SECRET);
  expect(book.session).toMatchObject([{ command: COMMAND }]);
  expect(told).toMatchObject([expect.stringContaining('until Gatehouse quits')]);
  await book.remember({ tool: 'run_command', command: 'npm test' }, 'always');
  expect(readFileSync(file, 'utf8')).toContain('npm test');
  expect(told).toHaveLength(1);
});

test('What a runner ran is kept without its secrets', () => {
  const file = join(folder(), 'runner-texts.json');
  const texts = runnerTexts(file, openTestRedactor(), (problem) => expect.fail(problem));
  const rule = { tool: 'run_command', prefix: 'npm run' };
  texts.keep(rule, '/w', { file: 'package.json', digest: 'd', text: `"deploy": "deploy --token ${SECRET}"` });
  expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  expect(texts.find(rule, '/w')?.text).toContain('[redacted]');
});
