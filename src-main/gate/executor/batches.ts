import { randomUUID } from 'node:crypto';
import type { BatchRequest } from '../../domain/ports/gate/gate.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { BatchRun } from './batch-run.js';
import type { CallRun } from './call-run.js';

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

  /** What one MCP client has in flight is one batch; every other request is a batch of its own. */
  joinedOrNew(request: BatchRequest, situation: PlanningSituation, now: number): BatchRun {
    const open = request.joinable ? this.all().find((batch) => isJoinedBy(batch, request, situation)) : undefined;
    return open ?? this.begin(request, situation, now);
  }

  begin(request: BatchRequest, situation: PlanningSituation, now: number): BatchRun {
    const { asker, joinable, capacityBytes } = request;
    const batch = new BatchRun({
      batchId: randomUUID(),
      asker,
      since: now,
      joinable,
      capacityBytes,
      situation,
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

  /** How many sheets of an agent wait for the person, besides this batch's own. */
  sheetsOf(agent: string, besides: BatchRun): number {
    return this.all().filter((batch) => batch.asker.agent === agent && batch !== besides && batch.waiting > 0).length;
  }

  get activity(): { readonly waiting: number; readonly running: number } {
    const stages = this.all().flatMap((batch) => batch.runs.map(({ stage }) => stage.at));
    return {
      waiting: stages.filter((at) => at === 'awaiting-decision' || at === 'awaiting-result').length,
      running: stages.filter((at) => at === 'executing' || at === 'ready' || at === 'planning').length,
    };
  }
}

function isJoinedBy(batch: BatchRun, { asker }: BatchRequest, { workspace }: PlanningSituation): boolean {
  return (
    batch.joinable &&
    batch.asker.session === asker.session &&
    batch.asker.agent === asker.agent &&
    batch.situation.workspace === workspace &&
    !batch.isSettled
  );
}
