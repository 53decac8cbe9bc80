import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../gate/gate.test-support.js';
import { manifestText, writePackage } from './domain-gate.test-support.js';
import { LEDGER_WORKER, openLedger } from './ledger-worker.test-support.js';
import { processesWith, type ServedApp, serveApp } from './served-app.test-support.js';
import { until } from '../until.test-support.js';

const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
};

/** Of the app as it runs: where the sockets of its workers are. */
const privateFolders = (pid: number): readonly string[] => {
  const places = [tmpdir(), process.env['XDG_RUNTIME_DIR'] ?? tmpdir()];
  return [...new Set(places)].flatMap((place) =>
    readdirSync(place).filter((name) => name.startsWith('gatehouse-run-') && name.includes(`-${pid}-`)),
  );
};

interface Outcome {
  readonly callId: string | null;
  readonly status: number;
  readonly error: { readonly code: string; readonly retryable: boolean } | null;
}

/** So many calls at once, one after another until it is enough; what of them was answered. */
async function load(app: ServedApp, isEnough: () => boolean, answered: Outcome[]): Promise<void> {
  let asked = 0;
  const one = async (): Promise<void> => {
    while (!isEnough()) {
      const tool = (asked += 1) % 2 === 0 ? 'ledger.service' : 'ledger.job';
      const answer = await app.run(tool, {}).catch(() => null);
      // The gateway is gone.
      if (answer === null) return;
      const { meta, error } = answer.body as unknown as {
        readonly meta: { readonly tool_run_id: string };
        readonly error?: Outcome['error'];
      };
      answered.push({ callId: meta.tool_run_id, status: answer.status, error: error ?? null });
    }
  };
  await Promise.all(Array.from({ length: 24 }, one));
}

/** Each call once: what the caller was told, what the worker began with, and what is on record. */
async function expectOneOutcomeEach(app: ServedApp, answered: readonly Outcome[], began: readonly string[]) {
  await until(async () => (await app.get('/v1/status'))['recovering'] === false);
  await until(async () => (await app.get('/v1/status'))['pending'] === 0);
  const { calls } = (await app.get('/v1/calls?limit=500')) as {
    readonly calls: readonly { readonly callId: string; readonly state: string; readonly code: string | null }[];
  };
  expect(new Set(began).size, 'nothing began twice').toBe(began.length);
  const byId = new Map(calls.map((call) => [call.callId, call]));
  expect(byId.size, 'a call is on record once').toBe(calls.length);
  for (const id of began) expect(byId.has(id), 'what began is on record').toBe(true);
  for (const { state, code } of calls)
    expect([
      ['COMPLETED', null],
      ['ABORTED', 'SourceUnavailable'],
      ['ABORTED', 'Interrupted'],
    ]).toContainEqual([state, code]);
  for (const { callId, status, error } of answered) {
    const call = byId.get(callId ?? '');
    if (status === 200) {
      expect(call).toMatchObject({ state: 'COMPLETED' });
      expect(began).toContain(callId);
    } else {
      expect([status, error]).toMatchObject([502, { code: 'UPSTREAM_ERROR', retryable: true }]);
      expect(call).toMatchObject({ state: 'ABORTED', code: 'SourceUnavailable' });
    }
  }
  expect(await app.get('/v1/audit/verify')).toMatchObject({ ok: true });
}

it('workers are killed under load again and again, and then the gateway: each call has one outcome, none begins twice, nothing is left', async () => {
  const ledger = await openLedger();
  const word = `w-${randomUUID()}`;
  const tool = (name: string, kind: string) => ({
    tool_id: `ledger.${name}`,
    kind,
    timeout_sec: 600,
    requires_approval: false,
    egress_allowlist: [`127.0.0.1:${ledger.port}`],
    worker: { command: ['perl', 'worker.pl', String(ledger.port), word], port_env: 'PORT' },
  });
  const folder = writePackage(testFolder('ledger-package'), {
    'manifest.yaml': manifestText([tool('service', 'service_worker'), tool('job', 'job_worker')]),
    'policies.yaml': 'concurrency: {global: 20, per_tool: {default: 6}}\nqueue: {max_wait_sec: 600}\n',
    'worker.pl': LEDGER_WORKER,
  });
  const dataDir = testFolder('ledger-data');
  const answered: Outcome[] = [];
  const killed = { perl: 0, bwrap: 0, bash: 0 };
  const kill = (kind: keyof typeof killed): void => {
    for (const pid of processesWith(word).filter((each) => nameOf(each) === kind)) {
      try {
        process.kill(pid, 'SIGKILL');
        killed[kind] += 1;
      } catch {
        // It ended by itself, or with one that was killed before it.
      }
    }
  };
  const lives: ServedApp[] = [];
  for (const end of ['kill', 'end'] as const) {
    const app = await serveApp(dataDir, ['--domain', folder]);
    lives.push(app);
    onTestFinished(() => app.kill());
    if (end === 'end') await expectOneOutcomeEach(app, answered, ledger.began);
    const before = answered.length;
    let isEnough = false;
    const loaded = load(app, () => isEnough, answered);
    for (const kind of ['perl', 'bwrap', 'bash', 'perl'] as const) {
      await until(() => ledger.held() >= 8);
      kill(kind);
      const told = answered.length;
      ledger.let();
      // Those that were held are over, one way or the other.
      await until(() => answered.length > told);
    }
    await until(() => ledger.held() >= 8);
    isEnough = true;
    if (end === 'kill') await app.kill();
    else ledger.letAll();
    await loaded;
    expect(answered.length).toBeGreaterThan(before);
    if (end === 'kill') {
      // By itself, before there is a next start.
      await until(() => processesWith(word).length + processesWith(dataDir).length === 0);
      continue;
    }
    await expectOneOutcomeEach(app, answered, ledger.began);
    // It is back.
    expect(await app.run('ledger.service', {})).toMatchObject({ status: 200 });
    expect(await app.run('ledger.job', {})).toMatchObject({ status: 200 });
    expect(await app.end()).toBe(0);
  }
  expect(killed.perl * killed.bwrap * killed.bash, 'each kind was killed').toBeGreaterThan(0);
  expect(answered.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(answered.filter(({ status }) => status === 502).length).toBeGreaterThan(0);
  await until(() => processesWith(word).length + processesWith(dataDir).length === 0);
  expect(readdirSync(join(dataDir, 'running-programs'))).toEqual([]);
  expect(lives.map(({ pid }) => privateFolders(pid))).toEqual([[], []]);
});
