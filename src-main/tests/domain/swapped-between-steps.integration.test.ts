import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WorkerProblem, type WorkerRunner } from '../../domain/ports/sources/worker.js';
import type { AdvanceApproval } from '../../tools/packages/package-host.js';
import { answerTo } from '../gate/answers.test-support.js';
import { type DomainGate, manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { echoes, startWorker } from './worker-server.test-support.js';

/** Between each two steps of a call its package, or what the name of its image stands for, is put in the place of another. */
const STEPS = {
  'planned → asked': 'call-awaiting',
  'asked → decided': null,
  'decided → started': 'call-authorized',
  'started → attempted': 'call-executing',
} as const;

const FIRST = `sha256:${'1'.repeat(64)}`;
const OTHER = `sha256:${'2'.repeat(64)}`;
const NAME = 'localhost/x:latest';
const IMAGE = { tool_id: 'example.image', kind: 'job_worker', worker: { image: NAME, port: 1 } };

const BUILT = { tool_id: 'example.built', kind: 'job_worker', worker: { build: 'workers/x', port: 1 } };

interface Stage {
  readonly domain: DomainGate;
  readonly other: string;
  readonly image: { id: string };
}

const replaced = ({ domain, other }: Stage): void =>
  writeFileSync(
    join(domain.folder, 'manifest.yaml'),
    manifestText([remoteTool(other, { requires_approval: true }), IMAGE, BUILT], { version: '9' }),
  );
const accepted = async ({ domain: { host } }: Stage): Promise<void> => {
  await host.look();
  await host.accept(host.waiting?.digest ?? '');
};

const SWAPS: Readonly<Record<string, (stage: Stage) => void | Promise<void>>> = {
  'the package in its folder, unheard': replaced,
  'the package in its folder, heard': async (stage) => {
    replaced(stage);
    await stage.domain.host.look();
  },
  'the package, accepted meanwhile': async (stage) => {
    replaced(stage);
    await accepted(stage);
  },
  ...otherIds('the image by its name'),
  ...otherIds('the base of its image'),
};

function otherIds(what: string): Readonly<Record<string, (stage: Stage) => void | Promise<void>>> {
  return {
    [`${what}, unheard`]: ({ image }) => void (image.id = OTHER),
    [`${what}, heard`]: async ({ image, domain }) => {
      image.id = OTHER;
      await domain.host.look();
      expect(domain.host.waiting?.asks?.images).toEqual([NAME]);
    },
    [`${what}, accepted meanwhile`]: async (stage) => {
      stage.image.id = OTHER;
      await accepted(stage);
    },
  };
}

const cells = Object.keys(STEPS).flatMap((step) => Object.keys(SWAPS).map((what) => [step, what] as const));

it.each(cells)('%s: %s: what was judged runs, or nothing does', async (step, what) => {
  const [worker, other] = [await startWorker(echoes), await startWorker(echoes)];
  const image = { id: FIRST };
  const started: unknown[] = [];
  const runner: WorkerRunner = {
    imageId: async () => image.id,
    isolationOf: async () => ({ by: 'podman', lacking: [] }),
    start: async ({ runs }) => {
      started.push(runs.kind === 'image' ? runs.id : runs.kind === 'build' ? runs.bases[NAME] : null);
      throw new WorkerProblem('It is only looked at what would run.');
    },
    close: async () => undefined,
  };
  const yes: AdvanceApproval = { digest: null, follow: false };
  const domain = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url, { requires_approval: true }), IMAGE, BUILT]),
      'workers/x/Containerfile': `FROM ${NAME}\n`,
    },
    runner,
    standing: () => yes,
  });
  const { gate } = domain;
  const tools: Readonly<Record<string, string>> = { image: 'example__image', base: 'example__built' };
  const tool = tools[/^the (image|base) /u.exec(what)?.[1] ?? ''] ?? 'example__echo';
  const swapped: { done: Promise<void> | null } = { done: null };
  const swap = (): void => void (swapped.done ??= Promise.resolve(SWAPS[what]?.({ domain, other: other.url, image })));
  const at = STEPS[step as keyof typeof STEPS];
  gate.journal.onCommit((events) => {
    if (at !== null && events.some(({ type }) => type === at)) swap();
  });
  const batch = gate.submit([{ tool, arguments: {} }]);
  const sheet = await Promise.race([gate.sheet(batch), batch.settled.then(() => null)]);
  if (sheet !== null) {
    if (at === null) swap();
    await swapped.done;
    gate.read();
    const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
    if (!answer.ok) batch.cancel();
  }
  const [settled] = await batch.settled;
  await swapped.done;
  expect(swapped.done).not.toBeNull();
  expect(other.asked, settled?.failure?.message ?? 'it ran').toEqual([]);
  expect(started.filter((id) => id !== FIRST)).toEqual([]);
  // Who said yes to what is in force ran it; else it was told.
  if (tool === 'example__echo') expect(worker.asked).toHaveLength(settled?.failure === null ? 1 : 0);
});
