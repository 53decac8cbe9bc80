import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunningWorker, WorkerPlan } from '../../domain/ports/sources/worker.js';
import { createOutside } from '../../outside/outside-client.js';
import { temporaryFolder } from '../../platform/files/small-file.js';
import { keepPackage, readPackage } from '../../platform/packages/package-files.js';
import { AppRedactor } from '../../platform/redaction/redactor.js';
import { findConfinement } from '../../process/confinement/availability.js';
import { createWorkerRunner } from '../../process/workers/worker-runner.js';
import { listImages, pinImages } from '../../tools/packages/package-acceptance.js';
import { proveWorker } from '../../tools/packages/contract-kit.js';
import {
  type DomainPackage,
  resolveEgress,
  type PackagedTool,
  resolveTimeoutSec,
} from '../../tools/packages/domain-package.js';
import { buildWorkerPlan } from '../../tools/packages/package-generation.js';
import { readDomainPackage } from '../../tools/packages/read-package.js';
import { LOCAL_WORKER_URL } from '../../tools/packages/workers/service-worker.js';

/** `npm run -s domain -- check <folder>`: reads a package as the gateway does, runs its workers as that does, and proves them. */
async function checkPackage(folder: string, say: (line: string) => void): Promise<boolean> {
  const files = readPackage(folder);
  if (!files.ok) return failed([files.problem], say);
  const read = readDomainPackage(files.read, []);
  if (!read.ok) return failed(read.problems, say);
  const { domainId, version, digest, tools } = read.package;
  say(`✓ ${domainId} ${version}: the package is read, with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`);
  say(`  Accepted in advance by: [domain] digest = "sha256:${digest}"`);
  const place = temporaryFolder('gatehouse-check-');
  const outside = createOutside({ secret: () => null, variable: () => null }, undefined, 'one-a-request');
  const confinement = findConfinement(process.platform);
  const runner = createWorkerRunner({
    writable: () => [],
    confinement: () => confinement,
    runningFolder: join(place.path, 'running'),
    containersNote: join(place.path, 'containers'),
    builtImages: join(place.path, 'built-images.json'),
    redactor: new AppRedactor({
      entry: pathToFileURL(join(import.meta.dirname, 'redaction.js')),
      onFault: () => undefined,
    }),
    // Nobody's record: it proves a package, and serves nobody.
    record: { recordStart: () => undefined, recordEnd: () => undefined },
    log: say,
  });
  const copy = keepPackage(files.read, join(place.path, 'copy'));
  const ids = listImages(read.package).map(async (name) => [name, await runner.imageId(name)] as const);
  const taken = pinImages(read.package, Object.fromEntries(await Promise.all(ids)));
  let isGood = true;
  try {
    for (const tool of taken.tools) {
      const running = tool.worker === null ? null : await started(runner, planFor(taken, tool, copy), say);
      if (running === 'failed') isGood = false;
      else isGood = (await proveTool(outside, taken, tool, running, say)) && isGood;
      if (running !== null && running !== 'failed') await running.stop(0);
    }
  } finally {
    await runner.close();
    outside.close();
    place.remove();
  }
  return isGood;
}

const planFor = (taken: DomainPackage, tool: PackagedTool, copy: string): WorkerPlan =>
  buildWorkerPlan(taken, tool, {
    packageFolder: copy,
    egress: resolveEgress(tool, taken.policies),
    // As for a gateway that was started with the package: its own variables.
    secretOf: (name) => process.env[name] ?? null,
  });

async function started(
  runner: ReturnType<typeof createWorkerRunner>,
  plan: WorkerPlan,
  say: (line: string) => void,
): Promise<RunningWorker | 'failed'> {
  try {
    return await runner.start(plan, new AbortController().signal);
  } catch (error) {
    say(`✗ ${plan.worker}: it could not be started. ${error instanceof Error ? error.message : String(error)}`);
    return 'failed';
  }
}

async function proveTool(
  outside: ReturnType<typeof createOutside>,
  taken: DomainPackage,
  tool: PackagedTool,
  running: RunningWorker | null,
  say: (line: string) => void,
): Promise<boolean> {
  const findings = await proveWorker(outside, {
    toolId: tool.id,
    domainId: taken.domainId,
    at: {
      baseUrl: running === null ? (tool.baseUrl ?? '') : LOCAL_WORKER_URL,
      endpoint: tool.endpoint,
      ...(running === null ? {} : { socketPath: running.socketPath }),
    },
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    timeoutMs: resolveTimeoutSec(tool, taken.policies) * 1000,
  });
  for (const { tried, wrong } of findings)
    say(wrong === null ? `✓ ${tool.id}: ${tried}` : `✗ ${tool.id}: ${tried}: ${wrong}`);
  if (findings.some(({ wrong }) => wrong !== null) && running !== null && running.log() !== '')
    say(`  Its worker said: ${running.log().trim().slice(-2000)}`);
  return findings.every(({ wrong }) => wrong === null);
}

function failed(problems: readonly string[], say: (line: string) => void): false {
  for (const problem of problems) say(`✗ ${problem}`);
  return false;
}

const folder = process.argv.at(-1) ?? '';
process.exitCode = (await checkPackage(folder, (line) => void process.stdout.write(`${line}\n`))) ? 0 : 1;
// A thread that looks for secrets would keep it.
process.exit();
