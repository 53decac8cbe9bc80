import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AGENT_TOKEN, manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { answer, metaOf, startWorker } from './worker-server.test-support.js';
import { until } from '../until.test-support.js';

/** Holds every request until it is let go, and knows how many it held at once. */
async function holding() {
  const held: (() => void)[] = [];
  let most = 0;
  let [now, isOpen] = [0, false];
  const worker = await startWorker(async (asked, response) => {
    now += 1;
    most = Math.max(most, now);
    if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
    now -= 1;
    answer(response, { ok: true, meta: metaOf(asked), output: {} });
  });
  return {
    url: worker.url,
    asked: worker.asked,
    most: () => most,
    open: () => {
      isOpen = true;
      for (const go of held.splice(0)) go();
    },
  };
}

it('fifty callers, two places and room for ten: twelve run, two at a time, and thirty-eight are told to come again', async () => {
  const worker = await holding();
  const { run, gate } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url, { timeout_sec: 600 })]),
      'policies.yaml':
        'concurrency: {global: 8, per_tool: {"example.echo": 2}}\nqueue: {max_waiting: 10, max_wait_sec: 600}\n',
    },
  });
  const answers: { status: number; retryAfter: string | null; body: unknown }[] = [];
  const all = Array.from({ length: 50 }, async () => {
    const { status, headers, body } = await run('example.echo');
    answers.push({ status, retryAfter: headers.get('retry-after'), body });
  });
  await until(() => answers.length === 38 && worker.asked.length === 2);
  for (const { status, retryAfter, body } of answers) {
    expect([status, retryAfter]).toEqual([429, '1']);
    expect(body).toMatchObject({
      error: { code: 'INTERNAL', retryable: true, details: { code: 'LimitsExceeded', e_code: 'E3106' } },
    });
  }
  worker.open();
  await Promise.all(all);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
  expect(worker.asked).toHaveLength(12);
  expect(new Set(worker.asked.map(({ meta }) => meta.tool_run_id)).size).toBe(12);
  expect(worker.most()).toBe(2);
  expect(gate.faults).toEqual([]);
});

it('who fills the queue with its calls keeps nobody else from it', async () => {
  const worker = await holding();
  const { run } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url, { timeout_sec: 600, side_effecting: false })]),
      'policies.yaml': 'concurrency: {per_tool: {default: 2}}\nqueue: {max_waiting: 10, max_wait_sec: 600}\n',
    },
  });
  const refused: string[] = [];
  const served: string[] = [];
  const ask = async (who: string, headers: Record<string, string> = {}): Promise<void> => {
    const { status, body } = await run('example.echo', {}, headers);
    if (status === 200) served.push(who);
    else refused.push(`${status} ${who}: ${body.error?.message}`);
  };
  const asAgent = { authorization: `Bearer ${AGENT_TOKEN}` };
  const many = Array.from({ length: 20 }, async () => ask('many'));
  await until(() => refused.length === 8 && worker.asked.length === 2);
  const few = Array.from({ length: 3 }, async () => ask('few', asAgent));
  await until(() => refused.length === 11);
  worker.open();
  await Promise.all([...many, ...few]);
  expect(served.filter((who) => who === 'few')).toHaveLength(3);
  expect(served.filter((who) => who === 'many')).toHaveLength(9);
  expect(refused.slice(8).every((words) => words.startsWith('429 many: The queue is full, and it gave its room'))).toBe(
    true,
  );
});

it('the whole is bounded for all tools together, and neither by nor for the app’s own queue', async () => {
  const worker = await holding();
  const tools = ['a', 'b', 'c'].map((name) => remoteTool(worker.url, { tool_id: `example.${name}`, timeout_sec: 600 }));
  const { run } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText(tools),
      'policies.yaml': 'concurrency: {global: 3, per_tool: {default: 2}}\nqueue: {max_waiting: 0}\n',
    },
    config: { queue: { places: 1, per_tool: 1, per_agent: 1 } },
  });
  const first = [run('example.a'), run('example.a'), run('example.b')];
  await until(() => worker.asked.length === 3);
  expect((await run('example.c')).status, 'no place in all').toBe(429);
  worker.open();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await run('example.c')).status).toBe(200);
});

it('policies count at once: more places let go who waits, a wait is bounded, and so is a call’s time', async () => {
  const worker = await holding();
  const { run, folder, host, logged } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url, { timeout_sec: undefined })]),
      'policies.yaml': 'concurrency: {per_tool: {default: 1}}\ndefault_timeout_sec: 600\n',
    },
  });
  const policies = async (text: string): Promise<void> => {
    writeFileSync(join(folder, 'policies.yaml'), text);
    expect(await host.look()).toBe(true);
  };
  const running = run('example.echo');
  await until(() => worker.asked.length === 1);
  await policies('concurrency: {per_tool: {default: 1}}\ndefault_timeout_sec: 600\nqueue: {max_wait_sec: 0.05}\n');
  expect(await run('example.echo')).toMatchObject({ status: 429, body: { error: { details: { e_code: 'E3106' } } } });
  await policies('concurrency: {per_tool: {default: 1}}\ndefault_timeout_sec: 600\n');
  const waiting = run('example.echo');
  await new Promise((resolve) => setImmediate(resolve));
  await policies('concurrency: {per_tool: {default: 2}}\ndefault_timeout_sec: 600\nlogging: {level: error}\n');
  await until(() => worker.asked.length === 2);
  worker.open();
  expect((await Promise.all([running, waiting])).map(({ status }) => status)).toEqual([200, 200]);
  const before = logged.length;
  expect((await run('example.echo')).status).toBe(200);
  expect(logged.length, 'nothing below an error is logged any more').toBe(before);
  await policies('logging: {level: debug}\n');
  expect((await run('example.echo')).status).toBe(200);
  expect(logged.slice(before).map(({ level }) => level)).toEqual(['debug', 'info']);
});
