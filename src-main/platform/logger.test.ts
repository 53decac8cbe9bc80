import { openTestRedactor } from './redaction/redactor.test-support.js';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileLogger } from './logger.js';

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-log-')), 'logs');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const lines = (name = 'gatehouse.log'): Record<string, unknown>[] =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('Writes one JSON object a line, at once, with errors whole', () => {
  const logger = new FileLogger({ directory: folder, now: () => 0, redactor: openTestRedactor() });
  logger.info('Started', { pid: 7 });
  logger.error('Broke', { error: new Error('outer', { cause: new Error('inner') }), big: 5n });
  expect(lines()).toMatchObject([
    { at: '1970-01-01T00:00:00.000Z', level: 'info', message: 'Started', pid: 7 },
    { level: 'error', message: 'Broke', error: { message: 'outer', cause: { message: 'inner' } }, big: '5' },
  ]);
});

test('Secrets do not reach the disk, whether named, in text, in errors or in tables', () => {
  const logger = new FileLogger({ directory: folder, now: () => 0, redactor: openTestRedactor() });
  const secret = ['sk', 'ant', 'api03', 'A1b2C3d4'.repeat(6)].join('-');
  logger.warn(`The key ${secret} was refused`, {
    api_key: 'plainly-secret-value',
    nested: { authorization: `Bearer ${secret}` },
    error: new Error(`GET https://user:hunter2hunter2@host/?token=abcdefabcdef failed with ${secret}`),
  });
  const text = readFileSync(join(folder, 'gatehouse.log'), 'utf8');
  for (const hidden of [secret, 'plainly-secret-value', 'hunter2hunter2', 'abcdefabcdef'])
    expect(text).not.toContain(hidden);
  expect(lines()).toHaveLength(1);
});

test('Rotates by size and keeps no more files than it should', () => {
  const logger = new FileLogger({
    directory: folder,
    now: () => 0,
    redactor: openTestRedactor(),
    maxBytes: 500,
    keptFiles: 3,
  });
  for (let at = 0; at < 40; at += 1) logger.info(`line ${at}`, { filling: 'x'.repeat(100) });
  expect(readdirSync(folder).toSorted()).toEqual(['gatehouse.1.log', 'gatehouse.2.log', 'gatehouse.log']);
  expect(lines().at(-1)).toMatchObject({ message: 'line 39' });
  logger.close();
  new FileLogger({ directory: folder, now: () => 0, redactor: openTestRedactor() }).info('after');
  expect(lines().at(-1)).toMatchObject({ message: 'after' });
});

test('A line past all measure is cut, and stays JSON', () => {
  const logger = new FileLogger({ directory: folder, now: () => 0, redactor: openTestRedactor() });
  logger.info('long', { text: 'word '.repeat(100_000) });
  expect(lines()[0]).toMatchObject({ message: 'long' });
  expect(readFileSync(join(folder, 'gatehouse.log')).length).toBeLessThan(128 * 1024);
});

test('A log that can’t be written stops nothing', () => {
  const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const logger = new FileLogger({ directory: '/dev/null/logs', now: () => 0, redactor: openTestRedactor() });
  logger.info('one');
  logger.info('two');
  expect(complaints).toHaveBeenCalledOnce();
});
