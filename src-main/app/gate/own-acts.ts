import { randomUUID } from 'node:crypto';
import type { Door } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/window/result.js';
import { type Asker, makeAsker } from '../../domain/call/asker.js';
import type { BatchRequest } from '../../domain/ports/gate/gate.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { ComposedGate } from './gate.js';
import type { Record } from '../record.js';

/** The window's channels for what the person undoes or restores themselves, in the folder where it was. */
export function ownActChannels(gate: ComposedGate, { undo, aside, reader }: Record) {
  const person = makeAsker('window', `window-${randomUUID()}`);
  /** Works in the folder of an earlier call, be it the one that the window shows, another, or a closed one. */
  const whereItWas = async <T>(
    callId: string,
    work: (situation: PlanningSituation) => Promise<BridgeResult<T>>,
  ): Promise<BridgeResult<T>> => {
    const call = await reader.detail(callId);
    if (call === null) return refuse('not-found', 'There is no such call. It may be older than what is kept.');
    try {
      return await gate.during(call.workspace, work);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return refuse('refused', `This call ran in ${call.workspace}, which can’t be used now: ${why}`);
    }
  };
  /** Something that the person does themselves about a call: one call, and what came of it. */
  const ownAct = (tool: string, args: JsonObject & { readonly callId: string }) =>
    whereItWas(args.callId, async ({ workspace }): Promise<BridgeResult<{ readonly callId: string }>> => {
      const call = { requestId: null, tool, arguments: args };
      const [settled] = await gate.orchestrator.submit(request(person, workspace, [call])).settled;
      if (settled === undefined) return refuse('internal', 'It gave no result.');
      return settled.failure === null
        ? done({ callId: settled.summary.callId })
        : refuse('refused', settled.failure.message);
    });
  return {
    'undo.preview': ({ callId }) =>
      whereItWas(callId, async ({ sandbox }) => {
        const preview = await undo.preview(callId, sandbox);
        return preview === null
          ? refuse('not-found', 'There is no copy from before this call, so it can’t be undone.')
          : done(preview);
      }),
    'undo.apply': async ({ earlier, ...latest }) =>
      ownAct('undo_changes', {
        ...filesOf(latest),
        ...(earlier === undefined ? {} : { earlier: earlier.map(filesOf) }),
      }),
    'aside.view': ({ callId }) =>
      whereItWas(callId, async ({ sandbox }) => {
        const view = await aside.view(callId, sandbox);
        return view === null ? refuse('not-found', 'Nothing of it is kept any more.') : done(view);
      }),
    'aside.putBack': async (files) => ownAct('put_back', filesOf(files)),
  } satisfies Partial<Handlers>;
}

/** The files to undo; all of them, where none is named. */
const filesOf = ({ callId, paths }: { readonly callId: string; readonly paths?: readonly string[] }) => ({
  callId,
  ...(paths === undefined ? {} : { paths }),
});

/** Builds the request of the person at the window, in this run of the app. */
export const request = <At extends Door>(
  asker: Asker<At>,
  folder: string,
  calls: BatchRequest['calls'],
): BatchRequest<At> => ({
  asker,
  folder,
  calls,
  capacityBytes: null,
  joinable: false,
});
