import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Asker } from '../../domain/call/asker.js';
import type { OpenBatch } from '../../domain/ports/journal.js';
import type { SituationOf } from '../executor/batch/batches.js';
import type { Orchestrator } from '../executor/orchestrator.js';

interface EndedCall {
  readonly asker: Asker;
  readonly workspace: string;
  readonly summary: CallSummary;
  readonly arguments: JsonObject;
}

/**
 * The calls that a crash ended, kept until the person’s hooks are told of them: that happens where the folder is open,
 * since hooks run there.
 */
export class EndedCalls {
  #untold: readonly EndedCall[] = [];

  /** `summaries`: the settled summaries of calls of these batches. */
  add(batches: readonly OpenBatch[], summaries: readonly CallSummary[]): void {
    const ended = new Map(summaries.map((summary) => [summary.callId, summary]));
    const these = batches.flatMap(({ asker, workspace, calls }) =>
      calls.flatMap((each): readonly EndedCall[] => {
        if (each.settled) return [];
        const summary = ended.get(each.call.summary.callId);
        return summary === undefined ? [] : [{ asker, workspace, summary, arguments: each.call.arguments }];
      }),
    );
    this.#untold = [...this.#untold, ...these];
  }

  tell(open: ReadonlyMap<string, SituationOf>, orchestrator: Pick<Orchestrator, 'tellEnded'>): void {
    const untold = this.#untold;
    this.#untold = untold.filter(({ workspace }) => !open.has(workspace));
    for (const { asker, workspace, summary, arguments: args } of untold) {
      const situation = open.get(workspace);
      if (situation !== undefined) orchestrator.tellEnded(summary, args, situation(workspace, asker));
    }
  }
}
