import { randomUUID } from 'node:crypto';
import type { BatchRequest } from '../../../domain/ports/gate/gate.js';
import type { Asker } from '../../../domain/call/asker.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import { BatchRun } from './batch-run.js';
import { BatchSituation } from './batch-situation.js';
import type { CallRun } from './call-run.js';
import type { CallStage } from './call-stage.js';

/** Reads what is in force in a folder for an asker. */
export type SituationOf = (folder: string, asker: Asker) => PlanningSituation;

/** How many calls wait, and how many run. */
export interface Activity {
  readonly waiting: number;
  readonly running: number;
}

/** The batches that are under way. */
export class Batches {
  readonly #batches = new Map<string, BatchRun>();

  get(batchId: string): BatchRun | undefined {
    return this.#batches.get(batchId);
  }

  all(): readonly BatchRun[] {
    return [...this.#batches.values()];
  }

  add(batch: BatchRun): void {
    this.#batches.set(batch.batchId, batch);
  }

  /** False where it was gone already. */
  remove(batch: BatchRun): boolean {
    return this.#batches.delete(batch.batchId);
  }

  /**
   * Joins the open batch of an MCP client, since all that it has in flight is one batch; every other request is a batch
   * of its own.
   */
  joinedOrNew(request: BatchRequest, situation: SituationOf, now: number): BatchRun {
    const open = request.joinable ? this.all().find((batch) => isJoinedBy(batch, request)) : undefined;
    return open ?? this.begin(request, situation, now);
  }

  begin(request: BatchRequest, situation: SituationOf, now: number): BatchRun {
    const { asker, folder, joinable, capacityBytes } = request;
    const batch = new BatchRun({
      batchId: randomUUID(),
      asker,
      since: now,
      joinable,
      capacityBytes,
      situation: new BatchSituation(() => situation(folder, asker)),
      recorded: false,
    });
    this.add(batch);
    return batch;
  }

  find(callId: string): { readonly batch: BatchRun; readonly run: CallRun } | null {
    for (const batch of this.#batches.values()) {
      const run = batch.runs.find((each) => each.callId === callId);
      if (run !== undefined) return { batch, run };
    }
    return null;
  }

  /** How many sheets of its agent wait for the person, besides this batch's own. */
  sheetsBesides(batch: BatchRun): number {
    const { agent } = batch.asker;
    return this.all().filter((other) => other.asker.agent === agent && other !== batch && other.waiting > 0).length;
  }

  activity(folder?: string): Activity {
    const stages = this.all()
      .filter(({ situation }) => folder === undefined || situation.workspace === folder)
      .flatMap((batch) => batch.runs.map(({ stage }) => stage));
    const isWaiting = (stage: CallStage): boolean =>
      stage.at === 'waiting' || (stage.at === 'planning' && stage.waitsFor === 'folder');
    const waiting = stages.filter(isWaiting).length;
    return { waiting, running: stages.filter(({ at }) => at !== 'settled').length - waiting };
  }
}

function isJoinedBy(batch: BatchRun, { asker, folder }: BatchRequest): boolean {
  return (
    batch.joinable &&
    batch.asker.session === asker.session &&
    batch.asker.agent === asker.agent &&
    batch.situation.workspace === folder &&
    !batch.isSettled
  );
}
