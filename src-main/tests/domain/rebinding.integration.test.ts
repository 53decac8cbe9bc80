import type { lookup, LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { answer, echoes, startWorker } from './worker-server.test-support.js';

const METADATA = ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '100.100.100.200', '0.0.0.0'];

it('a name that leads elsewhere with each answer is looked up once a call, and what was looked at is what is connected to', async () => {
  const worker = await startWorker(echoes);
  const { port } = new URL(worker.url);
  const answers: (readonly string[])[] = [];
  const asked: string[] = [];
  const resolveName = ((name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) => {
    asked.push(name);
    const found = answers.shift() ?? ['169.254.169.254'];
    const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(done, null, all);
  }) as unknown as typeof lookup;
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(`http://worker.example:${port}`)]) },
    resolveName,
  });
  const calls = async (...found: readonly string[]) => {
    answers.push(found);
    return run('example.echo');
  };
  expect((await calls('127.0.0.1')).status).toBe(200);
  for (const address of METADATA) {
    const refused = await calls(address);
    expect(refused, address).toMatchObject({
      status: 502,
      body: { error: { code: 'UPSTREAM_ERROR', retryable: true, details: { code: 'SourceUnavailable' } } },
    });
    expect(refused.body.error?.message).toContain('worker.example leads next to this computer');
    expect(refused.body.error?.message, 'nothing was sent').not.toContain('may have had an effect');
  }
  expect((await calls('169.254.169.254', '127.0.0.1')).status, 'what passed alone').toBe(200);
  expect(asked).toEqual(Array.from({ length: METADATA.length + 2 }, () => 'worker.example'));
  expect(worker.asked).toHaveLength(2);
});

it('a redirect is not followed, wherever it leads', async () => {
  const other = await startWorker(echoes);
  const worker = await startWorker((_asked, response) =>
    answer(Object.assign(response, response.setHeader('location', `${other.url}/run`)), '{}', 307),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  expect(await run('example.echo')).toMatchObject({ status: 502, body: { error: { code: 'UPSTREAM_ERROR' } } });
  expect(other.asked).toEqual([]);
});
