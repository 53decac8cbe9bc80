import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';

it('starts and ends of programs stand in the chain, of no call, and without secrets', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const whose = { run: 'r1', of: 'worker', name: 'crawler', domain: 'mini 1.0' } as const;
  journal.append([
    {
      type: 'program-started',
      ...whose,
      runs: `node main.mjs --token ${token}`,
      digest: 'd1',
      heldBy: 'bubblewrap',
      hosts: ['api.example:443'],
      given: ['API_KEY'],
    },
  ]);
  journal.append([{ type: 'program-ended', ...whose, how: 'It ended with exit code 7.' }]);
  journal.close();
  const db = new Database(join(folder, 'journal.db'), { readonly: true });
  const bodies = db
    .prepare<[], { body: string }>('SELECT body FROM events ORDER BY seq')
    .all()
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  db.close();
  const [began, ended] = bodies.filter(({ type }) => String(type).startsWith('program-'));
  expect(began).toMatchObject({
    type: 'program-started',
    details: { ...whose, digest: 'd1', heldBy: 'bubblewrap', hosts: ['api.example:443'], given: ['API_KEY'] },
  });
  expect(began?.['note']).toContain('About to start the worker “crawler” of mini 1.0: node main.mjs --token');
  expect(JSON.stringify(bodies)).not.toContain(token);
  expect(began?.['redacted']).toBe(2);
  expect(ended).toMatchObject({ note: 'Of the worker “crawler” of mini 1.0: It ended with exit code 7.' });
  expect(began).not.toHaveProperty('executionId');
  const reader = openTestReader(folder);
  expect(await reader.verify()).toMatchObject({ ok: true });
  await reader.close();
});
