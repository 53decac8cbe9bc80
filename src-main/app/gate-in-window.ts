import { randomUUID } from 'node:crypto';
import type { Door } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/vocabulary/result.js';
import { type Asker, askerAt } from '../domain/call/asker.js';
import type { DeskAnswer } from '../domain/ports/gate/approval-desk.js';
import type { BatchRequest } from '../domain/ports/gate/gate.js';
import { systemClock } from '../platform/clock.js';
import { done, nothing, jsonIn, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import { changedSince } from '../workspace/watching/changes.js';
import type { AgentsWing } from './agents.js';
import type { Commands } from './commands.js';
import type { Front } from './front.js';
import { composeGate, type ComposedGate } from './gate.js';
import type { Record } from './record.js';
import type { Shell } from './shell.js';
import { confirmationBook } from './state/confirmations.js';
import { runnerTexts } from './state/runner-texts.js';
import { otherRoots, refusedRoots } from './state/workspace-notices.js';
import type { ToolsWing } from './tools.js';

interface Wings {
  readonly record: Record;
  readonly commands: Commands;
  readonly tools: ToolsWing;
  readonly agents: AgentsWing;
}

/** The gate with the parts that the app has, for a person who sees its window. */
export function openGate(shell: Shell, front: Front, { record, commands, tools, agents }: Wings): ComposedGate {
  const { config, logger, paths } = shell;
  const { notices, status } = front;
  const { watch, confinementTried } = commands;
  const warn = (message: string): void => logger.warn(message);
  const gate = composeGate({
    journal: record.journal,
    transactions: record.transactions,
    redactor: shell.redactor,
    commands: commands.runner,
    analyzer: tools.analyzer,
    confirmations: confirmationBook(config, (text) => front.problem('A confirmation could not be kept', text)),
    registry: tools.registry,
    clock: systemClock,
    random: Math.random,
    config: () => config.current,
    bounds: () => ({ ownRoots: config.layered.ownRoots, ownData: paths.root, ledTo: (root) => watch.ledTo(root) }),
    onRoots: (jail, workspace) => {
      commands.workIn(workspace);
      notices.showOnly('roots-', refusedRoots(jail));
      status.update({ roots: otherRoots(jail.roots, workspace) });
    },
    acting: () => config.callBegins(),
    confinement: () => commands.runner.confinementNow(),
    confinementTried,
    runnerTexts: runnerTexts(paths.runnerTexts, warn),
    changedSince: async (workspace, since) => (await changedSince(workspace, since)).changed,
    partialOutput: record.partialOutput,
    onCrashTrouble: (what, error) => {
      logger.error('What a crash left could not be put right', { what, error });
      front.problem(
        'Something of the last run could not be put right',
        `${what}: ${String(error)} It is tried again at the next start.`,
      );
    },
    publish: front.publish,
    isRevoked: (agent) => agents.register.statusOf(agent) === 'revoked',
    onFault: (error) => logger.error('A fault in the gate', { error }),
  });
  // What stands on a sheet is what is in force.
  commands.onConfinement(() => void gate.desk.refresh());
  config.watch(
    ({ config: now, ownRoots }) => ({ now, ownRoots }),
    () => {
      gate.configChanged().catch((error: unknown) => {
        front.problem('The allowed folders can’t be used', error instanceof Error ? error.message : String(error));
      });
    },
  );
  return gate;
}

const over = refuse('not-found', 'This call is over already.');

function fromDesk<T>(answer: DeskAnswer<T>): BridgeResult<T> {
  if (answer.ok) return done(answer.value);
  return refuse(answer.problem, answer.message);
}

/** What the window asks of the gate: the composer’s calls, the person’s decisions, and what they take back themselves. */
export function gateChannels(gate: ComposedGate, { undo, aside }: Record) {
  const { desk, orchestrator, planner, recovery } = gate;
  const composer = askerAt('compose', `compose-${randomUUID()}`);
  const person = askerAt('window', composer.session);
  /** Something that the person does themselves: one call, and what came of it. */
  const ownAct = async (tool: string, args: JsonObject): Promise<BridgeResult<{ readonly callId: string }>> => {
    const call = { requestId: null, tool, arguments: args };
    const [settled] = await orchestrator.submit(request(person, [call])).settled;
    if (settled === undefined) return refuse('internal', 'It gave no result.');
    return settled.failure === null
      ? done({ callId: settled.summary.callId })
      : refuse('refused', settled.failure.message);
  };
  return {
    'compose.run': async ({ calls }) => {
      const parsed: { requestId: null; tool: string; arguments: Json }[] = [];
      for (const [position, call] of calls.entries()) {
        const args = jsonIn(call.arguments);
        if (!args.ok)
          return refuse('bad-request', `The arguments of call ${position + 1} (${call.tool}) are not JSON.`);
        parsed.push({ requestId: null, tool: call.tool, arguments: args.value });
      }
      const batch = gate.gate.submit(request(composer, parsed));
      return done({ batchId: batch.batchId, callIds: batch.calls.map(({ callId }) => callId) });
    },
    'compose.plan': async ({ tool, arguments: text }) => {
      const args = jsonIn(text);
      return args.ok ? done(await planner.preview(tool, args.value, composer, gate.situation())) : args.error;
    },
    'calls.stop': async ({ callId }) => (orchestrator.stopCall(callId) ? nothing : over),
    'batches.stop': async ({ batchId }) => (orchestrator.stopBatch(batchId) ? nothing : over),
    'approvals.decide': async ({ batchId, digest, decision, reason, reasons, network, writesGit, remember }) =>
      fromDesk(
        await desk.decide({
          batchId,
          digest,
          decision,
          reason: reason ?? null,
          reasons: new Map((reasons ?? []).map((each) => [each.callId, each.reason])),
          network: new Set(network ?? []),
          writesGit: new Set(writesGit ?? []),
          remember:
            remember === undefined
              ? null
              : { callIds: remember.callIds, scope: remember.scope, prefix: remember.prefix ?? null },
        }),
      ),
    'approvals.denyOne': async ({ batchId, callId, digest, reason }) =>
      fromDesk(desk.denyOne(batchId, callId, digest, reason ?? null)),
    'approvals.edit': async ({ batchId, callId, digest, arguments: text }) => {
      const args = jsonIn(text);
      return args.ok ? fromDesk(await desk.edit(batchId, callId, digest, args.value)) : args.error;
    },
    'approvals.checkEdit': async ({ callId, arguments: text }) => {
      const args = jsonIn(text);
      if (!args.ok) return args.error;
      const preview = await desk.checkEdit(callId, args.value);
      return preview === null ? refuse('not-found', 'Nothing waits for this decision any more.') : done(preview);
    },
    'approvals.close': async ({ batchId }) => fromDesk(desk.close(batchId)),
    'results.submit': async ({ callId, result, isError }) =>
      orchestrator.submitResult(callId, result, isError ?? false)
        ? nothing
        : refuse('not-found', 'This call does not wait for a result. It may have been answered or cancelled.'),
    'undo.preview': async ({ callId }) => {
      const preview = await undo.preview(callId, gate.situation().sandbox);
      return preview === null
        ? refuse('not-found', 'Nothing is kept of what this call changed, so it can’t be undone here.')
        : done(preview);
    },
    'undo.apply': async ({ callId, paths }) =>
      ownAct('undo_changes', { callId, ...(paths === undefined ? {} : { paths }) }),
    'aside.view': async ({ callId }) => {
      const view = await aside.view(callId, gate.situation().sandbox);
      return view === null ? refuse('not-found', 'Nothing of it is kept any more.') : done(view);
    },
    'aside.putBack': async ({ callId, paths }) =>
      ownAct('put_back', { callId, ...(paths === undefined ? {} : { paths }) }),
    'recovery.decide': async ({ choice }) => {
      recovery.decide(choice);
      return nothing;
    },
  } satisfies Partial<Handlers>;
}

/** Of the person at the window, in this run of the app. */
const request = <At extends Door>(asker: Asker<At>, calls: BatchRequest['calls']): BatchRequest<At> => ({
  asker,
  calls,
  capacityBytes: null,
  joinable: false,
});
