import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { WorkerPlan, WorkerRunner } from '../../domain/ports/sources/worker.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import type { ToolContext } from '../../domain/tool/tool.js';
import { createOutside } from '../../outside/outside-client.js';
import { writeLoadedPackage, readLoadedPackage } from '../../platform/packages/loaded-package.js';
import type { PackageChange } from './package-acceptance.js';
import { type ChangedTool, PackageHost, type AdvanceApproval, type WaitingPackage } from './package-host.js';

interface Started {
  readonly plan: WorkerPlan;
  isStopped: boolean;
}

/** Servers of this process in the place of workers: they are asked as workers are, over their sockets. */
function servers() {
  const started: Started[] = [];
  /** Sockets that were asked; answers wait until they are let go. */
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  const folder = mkdtempSync(join(tmpdir(), 'gh-w-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runner: WorkerRunner = {
    imageId: async () => null,
    isolationOf: async () => ({ by: 'bubblewrap', lacking: [] }),
    start: async (plan) => {
      const socketPath = join(folder, String(started.length));
      const server = createServer((request, response) => {
        let body = '';
        request.on('data', (part: Buffer) => (body += part.toString()));
        request.on('end', () => {
          const reply = (): void => {
            const { meta } = JSON.parse(body === '' ? '{}' : body) as { readonly meta?: object };
            response.end(JSON.stringify({ ok: true, meta, output: { long: 'x'.repeat(100) } }));
          };
          if (request.method !== 'POST') return reply();
          asked.push(socketPath);
          void held.promise.then(reply);
        });
      });
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      const one: Started = { plan, isStopped: false };
      started.push(one);
      const ended = Promise.withResolvers<{ code: number; signal: null; limit: null }>();
      const stop = async (): Promise<void> => {
        one.isStopped = true;
        server.closeAllConnections();
        server.close();
        ended.resolve({ code: 0, signal: null, limit: null });
      };
      onTestFinished(stop);
      return {
        isolation: { by: 'bubblewrap', lacking: [] },
        socketPath,
        pid: null,
        log: () => '',
        mark: () => 0,
        trafficSince: () => ({ reached: [], refused: [] }),
        ended: ended.promise,
        stop,
      };
    },
    close: async () => undefined,
  };
  return { runner, started, asked, answers: held.resolve };
}

const manifest = (version: string, more: object = {}, tool: object = {}): string =>
  JSON.stringify({
    domain_id: 'example',
    version,
    tools: [
      { tool_id: 'example.echo', kind: 'service_worker', worker: { command: ['node', 'main.mjs'] }, ...tool },
      { tool_id: 'example.other', kind: 'service_worker', transport: { type: 'http', base_url: 'http://x.example' } },
    ],
    ...more,
  });

function open() {
  const base = mkdtempSync(join(tmpdir(), 'gh-host-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [folder, copies] = [join(base, 'package'), join(base, 'copies')];
  mkdirSync(folder);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('manifest.yaml', manifest('1'));
  write('main.mjs', '1');
  const outside = createOutside({ secret: () => null, variable: () => null }, undefined, 'one-a-request');
  onTestFinished(() => outside.close());
  const { runner, started, asked, answers } = servers();
  const registered: (readonly RegisteredTool[])[] = [];
  const refused: (readonly string[])[] = [];
  const took: PackageChange[] = [];
  const waits: WaitingPackage[] = [];
  const standing: { yes: AdvanceApproval } = { yes: { digest: null, follow: true } };
  const ended: (readonly ChangedTool[])[] = [];
  const taken = join(base, 'taken.json');
  const host = new PackageHost({
    folder,
    copies,
    sources: () => [],
    taken: { find: () => readLoadedPackage(taken), keep: (each) => writeLoadedPackage(taken, each) },
    registry: { replaceDomain: (tools) => registered.push(tools) },
    runner,
    outside,
    withoutSecrets: async (value) => value,
    now: () => Date.now(),
    secretOf: () => null,
    logLine: () => undefined,
    onChange: () => undefined,
    refused: (problems) => refused.push(problems),
    standing: () => standing.yes,
    waits: (waiting) => waits.push(waiting),
    endRules: async (changed) => {
      ended.push(changed);
      return [];
    },
    took: (change) => void took.push(change),
    policiesChanged: () => undefined,
  });
  onTestFinished(() => host.close());
  return { host, write, copies, started, asked, answers, registered, refused, took, ended, waits, standing };
}

it('runs from a copy, starts nothing before it may, and what is replaced ends', async () => {
  const { host, write, copies, started } = open();
  await host.look();
  const first = host.now?.folder ?? '';
  expect(first.startsWith(`${copies}/`)).toBe(true);
  expect(started).toEqual([]);
  host.begin();
  await expect.poll(() => host.now?.workers[0]?.running).toBe('running');
  const [{ plan }] = started as [Started];
  expect(plan.packageFolder).toBe(first);
  // Whatever a package says.
  expect(plan.limits.memoryMb).toBeLessThanOrEqual(512);
  expect(plan.limits.processes).toBeLessThanOrEqual(64);
  expect(plan.limits.cpus).toBeLessThanOrEqual(1);
  write('main.mjs', '2');
  write('manifest.yaml', manifest('2'));
  await host.look();
  await expect.poll(() => started.map(({ isStopped }) => isStopped)).toEqual([true, false]);
  expect(started[1]?.plan.packageFolder).toBe(host.now?.folder);
  // The copy that nothing runs from goes, and the other stays.
  await expect.poll(() => readdirSync(copies).map((name) => join(copies, name))).toEqual([host.now?.folder]);
  expect(existsSync(join(host.now?.folder ?? '', 'main.mjs'))).toBe(true);
});

it('is told apart by what it is: once, in order, however often and at once it is looked at', async () => {
  const { host, write, registered, refused, took, ended } = open();
  await Promise.all([host.look(), host.look(), host.look()]);
  expect([registered.length, took.length]).toEqual([1, 1]);
  write('manifest.yaml', 'nonsense');
  expect(await host.look()).toBe(false);
  expect(await host.look()).toBe(false);
  expect(refused).toHaveLength(1);
  expect(registered).toHaveLength(1);
  // The same version of another domain is another package.
  write('manifest.yaml', manifest('1', { domain_id: 'elsewhere' }, { description: 'Another.' }));
  expect(await host.look()).toBe(true);
  // Those that are others now, and no more: their rules end.
  expect(took.at(-1)).toMatchObject({
    from: { domainId: 'example' },
    to: { domainId: 'elsewhere' },
    changed: ['example.echo'],
    added: [],
    gone: [],
  });
  expect(ended.at(-1)).toEqual([expect.objectContaining({ id: 'example.echo' })]);
});

it('policies count without another version, and with its end nothing of it is left', async () => {
  const { host, write, started, registered } = open();
  await host.look();
  host.begin();
  await expect.poll(() => host.now?.workers[0]?.running).toBe('running');
  const limitOf = (): number | undefined => registered.at(-1)?.[0]?.tool.declaration.resourceLimits.maxExecutionTimeMs;
  const before = limitOf() ?? 0;
  write('policies.yaml', 'default_timeout_sec: 40\n');
  await host.look();
  expect((limitOf() ?? 0) - before).toBe(10_000);
  expect(started.map(({ isStopped }) => isStopped)).toEqual([false]);
  await host.close();
  expect([registered.at(-1), host.now, started[0]?.isStopped]).toEqual([[], null, true]);
});

/** The context of a call. */
const context = (outputLimit: number): ToolContext =>
  ({
    callId: 'c',
    signal: new AbortController().signal,
    outputLimit,
    limits: {},
    pocket: null,
  }) as unknown as ToolContext;

it('a tool is what its package says, and is done with its worker when its call is over', async () => {
  const { host, write, started, answers, registered } = open();
  const spoken = { description: 'Says.\u202e', display_name: 'Echo\u200b', secrets: ['KEY'] };
  write('manifest.yaml', manifest('1', {}, spoken));
  await host.look();
  host.begin();
  const toolNow = (): RegisteredTool => registered.at(-1)?.[0] ?? expect.fail();
  const { tool } = toolNow();
  expect(tool.declaration).toMatchObject({
    title: 'Echo',
    description: 'Says.',
    requiresApproval: true,
    sideEffecting: true,
    destructive: true,
    idempotent: false,
  });
  answers();
  const whole = await tool.execute({}, context(1000), null);
  expect([whole.structured, whole.warnings]).toEqual([{ long: 'x'.repeat(100) }, undefined]);
  const cut = await tool.execute({}, context(50), null);
  expect([cut.structured, cut.warnings]).toEqual([null, [expect.stringContaining('was cut')]]);
  write('manifest.yaml', manifest('2', {}, { ...spoken, idempotent: true, side_effecting: false }));
  await host.look();
  expect(toolNow().tool.declaration).toMatchObject({ sideEffecting: false, destructive: false, idempotent: true });
  expect(toolNow().tool.declaration.accepted).not.toBe(tool.declaration.accepted);
  await expect.poll(() => started[0]?.isStopped).toBe(true);
});

it('a call in flight ends with the worker that it began with, and what comes after has the next', async () => {
  const { host, write, started, asked, answers, registered } = open();
  await host.look();
  host.begin();
  const toolNow = () => registered.at(-1)?.[0]?.tool ?? expect.fail();
  const first = toolNow().execute({}, context(1000), null);
  await expect.poll(() => asked).toHaveLength(1);
  write('manifest.yaml', manifest('2'));
  await host.look();
  const second = toolNow().execute({}, context(1000), null);
  await expect.poll(() => asked).toHaveLength(2);
  expect(new Set(asked).size).toBe(2);
  expect(started.map(({ isStopped }) => isStopped)).toEqual([false, false]);
  answers();
  expect((await first).structured).toEqual((await second).structured);
  await expect.poll(() => started.map(({ isStopped }) => isStopped)).toEqual([true, false]);
});

it('each package that is refused is said, though the words are those of the one before; the same one is said once', async () => {
  const { host, write, refused } = open();
  await host.look();
  for (const text of ['2', '2', '3']) {
    write('main.mjs', text);
    expect(await host.look()).toBe(false);
  }
  expect(refused).toHaveLength(2);
  expect(refused[0]).toEqual(refused[1]);
});
