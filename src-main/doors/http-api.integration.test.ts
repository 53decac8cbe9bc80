import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openPrograms } from './programs.test-support.js';

const TEXT = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');

/** Each command of the page, with what it is said to answer. */
const examples = [...TEXT.matchAll(/```sh\n(.*?)```\n\n```json\n(.*?)```/gsu)].map(([, command = '', answer = '']) => ({
  command,
  answer: JSON.parse(answer) as object,
}));

it('every example of the page about HTTP does what it says', async () => {
  expect(examples.length).toBe([...TEXT.matchAll(/```sh/gu)].length);
  expect(examples.length).toBeGreaterThanOrEqual(7);
  const programs = await openPrograms();
  writeFileSync(join(programs.gate.workspace, 'notes.txt'), 'hello\n');
  const env = { ...process.env, GATEHOUSE_URL: programs.url, GATEHOUSE_TOKEN: programs.token() };
  for (const { command, answer } of examples) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(JSON.parse(stdout)).toMatchObject(answer);
  }
});
