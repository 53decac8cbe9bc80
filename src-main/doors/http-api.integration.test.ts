import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openPrograms } from './programs.test-support.js';

const TEXT = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');

/** The commands of the page, with the answer that it gives for each. */
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

it('what can’t be parsed is refused by each route in its own words', async () => {
  const programs = await openPrograms();
  const unreadable = [Buffer.from('{"tool_id":"\xff"}', 'latin1'), Buffer.from('['.repeat(20_000)), Buffer.from('{')];
  for (const body of unreadable) {
    const sent = async (path: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${programs.token()}` };
      const response = await fetch(`${programs.url}${path}`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      return await response.json();
    };
    for (const path of ['/v1/tool/invoke', '/v1/tool/list', '/v1/tool/status', '/v1/tool/cancel'])
      expect(await sent(path)).toMatchObject({
        invocation_id: null,
        status: 'error',
        error: { code: 'invalid_parameters', details: { code: 'BadArgs', e_code: null, call_id: null } },
      });
    expect(await sent('/v1/execute')).toMatchObject({
      header: { messageType: 'response', requestId: null },
      payload: { execution: { status: 'failure', error: { code: 'ValidationError' } } },
    });
  }
});
