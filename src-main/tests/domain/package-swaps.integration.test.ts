import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { answer, echoes, metaOf, startWorker } from './worker-server.test-support.js';

it('the app takes another package whole, keeps the last good one, and refuses another one of the same version', async () => {
  const worker = await startWorker(echoes);
  const write = (folder: string, tools: readonly object[], version: string) =>
    writeFileSync(join(folder, 'manifest.yaml'), manifestText(tools, { version }));
  const domain = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const { folder, host, get, refused, changes } = domain;
  write(folder, [remoteTool(worker.url, { description: 'Another.' })], '0.1');
  expect(await host.look()).toBe(false);
  expect(refused.at(-1)?.join()).toContain('Raise its version');
  writeFileSync(join(folder, 'manifest.yaml'), 'domain_id: example\nversion: "0.2"\ntools:\n  - kind: magic\n');
  expect(await host.look()).toBe(false);
  expect(refused.at(-1)?.[0]).toMatch(/^manifest\.yaml:4: /u);
  expect((await get('/v1/domain')).body).toEqual({ domain_id: 'example', version: '0.1' });
  write(
    folder,
    [remoteTool(worker.url, { description: 'Another.' }), remoteTool(worker.url, { tool_id: 'example.new' })],
    '0.2',
  );
  expect(await host.look()).toBe(true);
  expect(changes.at(-1)).toEqual({
    from: { domainId: 'example', version: '0.1' },
    to: { domainId: 'example', version: '0.2' },
    added: ['example.new'],
    changed: ['example.echo'],
    gone: [],
  });
  symlinkSync('/etc/hostname', join(folder, 'linked'));
  expect(await host.look()).toBe(false);
  expect(refused.at(-1)?.[0]).toMatch(/^manifest\.yaml:1: linked: it is a link/u);
  rmSync(join(folder, 'linked'));
  // A version that was in force before comes back as it was, and not as another one.
  write(folder, [remoteTool(worker.url, { description: 'A third.' })], '0.1');
  expect(await host.look()).toBe(false);
  expect(refused.at(-1)?.join()).toContain('again version “0.1”');
  write(folder, [remoteTool(worker.url)], '0.1');
  expect(await host.look()).toBe(true);
  write(
    folder,
    [remoteTool(worker.url, { description: 'Another.' }), remoteTool(worker.url, { tool_id: 'example.new' })],
    '0.2',
  );
  expect(await host.look()).toBe(true);
  writeFileSync(join(folder, 'policies.yaml'), 'default_timeout_sec: 3\n');
  expect(await host.look(), 'policies alone').toBe(true);
  expect((await domain.run('example.new')).status).toBe(200);
});

it('rules end before another tool is in force, and no package is taken whose rules can’t end', async () => {
  const worker = await startWorker(echoes);
  const write = (folder: string, version: string, description: string): void =>
    writeFileSync(
      join(folder, 'manifest.yaml'),
      manifestText([remoteTool(worker.url, { description }), remoteTool(worker.url, { tool_id: 'example.same' })], {
        version,
      }),
    );
  const ended: unknown[] = [];
  const why: string[] = [];
  const domain = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url), remoteTool(worker.url, { tool_id: 'example.same' })]),
    },
    endRules: async (changed) => {
      if (changed.length > 0) ended.push([(await domain.get('/v1/domain')).body['version'], changed]);
      return why;
    },
  });
  const { folder, host, get, refused } = domain;
  const changed = [{ id: 'example.echo', name: 'example__echo', version: '1.0.0' }];
  write(folder, '2', 'Another.');
  why.push('the rule for example.echo could not be ended: the disk is full');
  expect(await host.look()).toBe(false);
  expect(refused).toEqual([['manifest.yaml:1: the rule for example.echo could not be ended: the disk is full']]);
  expect((await get('/v1/domain')).body).toEqual({ domain_id: 'example', version: '0.1' });
  why.pop();
  expect(await host.look()).toBe(true);
  expect((await get('/v1/domain')).body).toEqual({ domain_id: 'example', version: '2' });
  expect(host.problems).toEqual([]);
  expect(ended).toEqual([
    ['0.1', changed],
    ['0.1', changed],
  ]);
});

it('a call in flight ends as it began while its package is swapped', async () => {
  const held = Promise.withResolvers<void>();
  const worker = await startWorker(async (asked, response) => {
    if (asked.input['wait'] === true) await held.promise;
    answer(response, { ok: true, meta: metaOf(asked), output: { by: 'old' } });
  });
  const domain = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const slow = domain.run('example.echo', { input: { wait: true } });
  while (worker.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const other = await startWorker((asked, response) =>
    answer(response, { ok: true, meta: metaOf(asked), output: { by: 'new' } }),
  );
  writeFileSync(join(domain.folder, 'manifest.yaml'), manifestText([remoteTool(other.url)], { version: '2' }));
  expect(await domain.host.look()).toBe(true);
  expect((await domain.run('example.echo')).body.output).toEqual({ by: 'new' });
  held.resolve();
  expect((await slow).body.output).toEqual({ by: 'old' });
});
