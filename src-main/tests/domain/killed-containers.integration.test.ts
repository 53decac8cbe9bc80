import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { containerLabel } from '../../process/workers/container-removal.js';
import { type ContainerEngine, findEngine, runEngine } from '../../process/workers/engines.js';
import { makeShellImage } from '../../process/workers/shell-image.test-support.js';
import { openTestWorkers } from '../../process/workers/workers.test-support.js';
import { detailsOf } from '../gate/call-details.test-support.js';
import { manifestText, openDomainGate, type RunAnswer } from './domain-gate.test-support.js';
import { LEDGER_WORKER, type Ledger, openLedger } from './ledger-worker.test-support.js';
import { processesWith } from './served-app.test-support.js';
import { until } from '../until.test-support.js';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-ledger-engine-'));
const engine = await findEngine({
  environment: process.env,
  file: async (name, text) => {
    writeFileSync(join(place, name), text);
    return join(place, name);
  },
});
const image = `localhost/gatehouse/tests-ledger:${randomUUID()}`;

/** Of the system’s own programs, with where the ledger is. False where those are not as Debian has them. */
async function buildImage(found: ContainerEngine, { port }: Ledger): Promise<boolean> {
  if (!makeShellImage(join(place, 'image'), LEDGER_WORKER.replace('shift @ARGV', String(port)))) return false;
  onTestFinished(async () => void (await runEngine(found, ['rmi', '-f', image])));
  const built = await runEngine(found, ['build', '--network', 'none', '-t', image, join(place, 'image')]);
  if (built.code !== 0) throw new Error(built.stderr);
  return true;
}

/** Empty of one that is gone. */
function factOf(pid: number, name: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Whom those who watch containers have started: the workers themselves. */
const workersUnder = (watchers: readonly number[]): readonly number[] =>
  processesWith('/shell-server.pl').filter((pid) =>
    watchers.includes(Number(/^PPid:\s*(\d+)$/mu.exec(factOf(pid, 'status'))?.[1])),
  );

it.skipIf(engine.by === null)(
  'containers of workers are killed under load, and what watches them: each call has one outcome, none begins twice, nothing is left',
  async (context) => {
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const found = engine as ContainerEngine;
    const ledger = await openLedger();
    if (!(await buildImage(found, ledger))) return context.skip('perl-base and busybox are not as Debian has them.');
    const workers = await openTestWorkers();
    onTestFinished(() => workers[Symbol.asyncDispose]());
    const word = `w${randomUUID().slice(0, 8)}`;
    const tool = (name: string, kind: string) => ({
      tool_id: `ledger.${name}`,
      kind,
      timeout_sec: 600,
      requires_approval: false,
      egress_allowlist: [`127.0.0.1:${ledger.port}`],
      worker: { image, port: 8080 },
    });
    const { run, host, gate } = await openDomainGate({
      files: {
        'manifest.yaml': manifestText([tool('service', 'service_worker'), tool('job', 'job_worker')], {
          domain_id: word,
        }),
        'policies.yaml': 'concurrency: {global: 20, per_tool: {default: 3}}\nqueue: {max_wait_sec: 600}\n',
      },
      runner: workers.runner,
      times: {
        healthEveryMs: 500,
        healthWithinMs: 60_000,
        backOffMs: 20,
        longestBackOffMs: 200,
        graceMs: 500,
        callWaitsMs: 60_000,
      },
    });
    const answered: RunAnswer[] = [];
    const enough = new AbortController();
    const load = Array.from({ length: 8 }, async (_each, at) => {
      while (!enough.signal.aborted) answered.push(await run(at % 2 === 0 ? 'ledger.service' : 'ledger.job'));
    });
    const watchers = (): readonly number[] =>
      processesWith(word).filter((pid) => factOf(pid, 'cmdline').includes('conmon'));
    const victims = {
      worker: () => workersUnder(watchers()),
      engine: () => processesWith(word).filter((pid) => !watchers().includes(pid)),
      watcher: watchers,
    };
    const killed = { worker: 0, engine: 0, watcher: 0 };
    for (const kind of ['worker', 'engine', 'watcher'] as const) {
      await until(() => ledger.held() >= 4);
      for (const pid of victims[kind]()) {
        try {
          process.kill(pid, 'SIGKILL');
          killed[kind] += 1;
        } catch {
          // It ended by itself.
        }
      }
      const told = answered.length;
      ledger.let();
      await until(() => answered.length > told);
    }
    await until(() => ledger.held() >= 2);
    enough.abort();
    ledger.letAll();
    await Promise.all(load);
    expect(Math.min(killed.worker, killed.engine), JSON.stringify(killed)).toBeGreaterThan(0);
    expect(new Set(ledger.began).size, 'nothing began twice').toBe(ledger.began.length);
    const details = await detailsOf(
      gate.dataDir,
      answered.map(({ body }) => body.meta.tool_run_id ?? ''),
    );
    for (const [at, { status, body }] of answered.entries()) {
      const { state, code } = details[at] ?? {};
      if (status === 200) {
        expect([state, code]).toEqual(['COMPLETED', null]);
        expect(ledger.began).toContain(body.meta.tool_run_id);
      } else {
        expect([status, body.error?.code, body.error?.retryable]).toEqual([502, 'UPSTREAM_ERROR', true]);
        expect([state, code]).toEqual(['ABORTED', 'SourceUnavailable']);
      }
    }
    expect((await run('ledger.service')).status).toBe(200);
    const service = host.now?.workers.find(({ kind }) => kind === 'service_worker');
    expect(service).toMatchObject({ running: 'running', isolation: { by: found.by } });
    expect(service?.restarts).toBeGreaterThan(0);
    expect(answered.some(({ status }) => status === 502)).toBe(true);
    await host.close();
    await workers.runner.close();
    await until(() => processesWith(word).length === 0);
    const label = containerLabel(join(workers.base, 'containers'));
    expect((await runEngine(found, ['ps', '-aq', '--filter', `label=${label}`])).stdout.trim()).toBe('');
    expect(existsSync(workers.runningFolder) ? readdirSync(workers.runningFolder) : []).toEqual([]);
    expect(gate.faults).toEqual([]);
  },
);
