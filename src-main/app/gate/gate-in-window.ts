import { randomUUID } from 'node:crypto';
import type { Json } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/window/result.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { CallHooks } from '../../domain/ports/gate/hooks.js';
import type { DeskAnswer } from '../../domain/ports/gate/approval-desk.js';
import { systemClock } from '../../platform/clock.js';
import { done, nothing, parseJsonText, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { gitIgnored } from '../../platform/git/git-ignored.js';
import { changedSince } from '../../workspace/watching/compare-lists.js';
import { readFileContent } from '../../workspace/watching/file-content.js';
import type { AgentsWing } from '../doors/agents.js';
import type { Commands } from '../commands.js';
import type { DomainWing } from '../domain/domain.js';
import { callForPerson, type Front } from '../front.js';
import { composeGate, type ComposedGate } from './gate.js';
import { request } from './own-acts.js';
import type { Record } from '../record.js';
import type { Shell } from '../shell.js';
import type { RuleBook } from '../state/confirmations.js';
import { runnerTexts } from '../state/runner-texts.js';
import { otherRoots, refusedRoots } from '../state/folders/workspace-notices.js';
import type { ToolsWing } from '../tools.js';

interface GateWings {
  readonly record: Record;
  readonly commands: Commands;
  readonly tools: ToolsWing;
  readonly agents: AgentsWing;
  readonly rules: RuleBook;
  readonly domain: Pick<DomainWing, 'queue'>;
  readonly hooks: CallHooks;
}

/** The gate with the parts that the app has, for a person who sees its window. */
export function openGate(
  shell: Shell,
  front: Front,
  { record, commands, tools, agents, rules, domain, hooks }: GateWings,
): ComposedGate {
  const { config, logger, paths } = shell;
  const { notices, status } = front;
  const { watch, confinementTried } = commands;
  const warn = (message: string): void => logger.warn(message);
  const titleOf = (conversation: string): string | null => record.conversations.get(conversation)?.title ?? null;
  callForPerson(shell, front.stream, titleOf);
  const gate = composeGate({
    journal: record.journal,
    transactions: record.transactions,
    redactor: shell.redactor,
    commands: commands.runner,
    analyzer: tools.analyzer,
    confirmations: rules,
    registry: tools.registry,
    clock: systemClock,
    random: Math.random,
    domainQueue: domain.queue,
    config: (folder) => (folder === undefined ? config.own : config.forFolder(folder).config),
    bounds: (folder) => ({
      ownRoots: config.forFolder(folder).ownRoots,
      ownData: paths.root,
      findControlTargets: (root) => watch.findObeyedPaths(root),
    }),
    onRoots: (roots) => {
      commands.workIn(roots);
      notices.showOnly('roots-', refusedRoots(roots));
      status.update({ roots: otherRoots(roots) });
    },
    acting: () => config.noteCallBegins(),
    confinement: () => commands.runner.confinementNow(),
    confinementTried,
    texts: record.journal.given,
    git: gitIgnored,
    contents: readFileContent,
    hooks,
    runnerTexts: runnerTexts(paths.runnerTexts, shell.redactor, warn),
    changedSince,
    partialOutput: record.partialOutput,
    onCrashTrouble: (what, error) => {
      logger.error('What a crash left could not be put right', { what, error });
      front.problem(
        'Something of the last run could not be put right',
        `${what}: ${String(error)} It is tried again at the next start.`,
      );
    },
    publish: front.publish,
    unattended: shell.headless,
    statusOf: (agent) => agents.register.getStatus(agent),
    askingOf: (conversation) => record.conversations.get(conversation)?.asking ?? null,
    titleOf,
    isPaused: (by) => agents.paused.has(by),
    onFault: (error) => logger.error('A fault in the gate', { error }),
  });
  // What stands on a sheet is what is in force.
  commands.onConfinement(() => void gate.desk.refresh());
  config.watch(
    ({ byFolder }) => byFolder.map(([folder, { config: now, ownRoots }]) => ({ folder, now, ownRoots })),
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

/** The window's channels to the gate: the composer’s calls and the person’s decisions. */
export function gateChannels(gate: ComposedGate) {
  const { desk, orchestrator, planner, recovery } = gate;
  const composer = makeAsker('compose', `compose-${randomUUID()}`);
  return {
    'compose.run': async ({ workspace, calls }) => {
      const parsed: { requestId: null; tool: string; arguments: Json }[] = [];
      for (const [position, call] of calls.entries()) {
        const args = parseJsonText(call.arguments);
        if (!args.ok)
          return refuse('bad-request', `The arguments of call ${position + 1} (${call.tool}) are not JSON.`);
        parsed.push({ requestId: null, tool: call.tool, arguments: args.value });
      }
      const batch = gate.gate.submit(request(composer, workspace, parsed));
      return done({ batchId: batch.batchId, callIds: batch.calls.map(({ callId }) => callId) });
    },
    'compose.plan': async ({ workspace, tool, arguments: text }) => {
      const args = parseJsonText(text);
      return args.ok ? done(await planner.preview(tool, args.value, composer, gate.situation(workspace))) : args.error;
    },
    'calls.askAgain': async ({ callId }) =>
      orchestrator.askAgain(callId) ? nothing : refuse('not-found', 'You will be asked about it anyway.'),
    'calls.stop': async ({ callId }) => (orchestrator.stopCall(callId) ? nothing : over),
    'batches.stop': async ({ batchId }) => (orchestrator.stopBatch(batchId) ? nothing : over),
    'approvals.decide': async ({
      batchId,
      digest,
      decision,
      highRisk,
      folded,
      reason,
      reasons,
      network,
      writesGit,
      reveals,
      reads,
      rule,
    }) =>
      fromDesk(
        await desk.decide({
          batchId,
          digest,
          decision,
          highRisk: new Set(highRisk ?? []),
          folded: new Set(folded ?? []),
          reason: reason ?? null,
          reasons: new Map((reasons ?? []).map((each) => [each.callId, each.reason])),
          network: new Map((network ?? []).map((each) => [each.callId, each.allowed])),
          writesGit: new Set(writesGit ?? []),
          reveals: new Set(reveals ?? []),
          reads: new Map((reads ?? []).map(({ callId, paths }) => [callId, paths])),
          ...(rule === undefined ? {} : { rule }),
        }),
      ),
    'approvals.denyOne': async ({ batchId, callId, digest, reason }) =>
      fromDesk(desk.denyOne(batchId, callId, digest, reason ?? null)),
    'approvals.edit': async ({ batchId, callId, digest, arguments: text }) => {
      const args = parseJsonText(text);
      return args.ok ? fromDesk(await desk.edit(batchId, callId, digest, args.value)) : args.error;
    },
    'approvals.editFile': async ({ batchId, callId, digest, path, content }) =>
      fromDesk(await desk.editFile(batchId, callId, digest, path, content)),
    'approvals.checkEdit': async ({ callId, arguments: text }) => {
      const args = parseJsonText(text);
      if (!args.ok) return args.error;
      const preview = await desk.checkEdit(callId, args.value);
      return preview === null ? refuse('not-found', 'This no longer waits for an answer.') : done(preview);
    },
    'approvals.show': async ({ batchId }) => fromDesk(await desk.show(batchId)),
    'results.submit': async ({ callId, result, isError }) =>
      orchestrator.submitResult(callId, result, isError ?? false)
        ? nothing
        : refuse('not-found', 'This call does not wait for a result. It may have been answered or cancelled.'),
    'recovery.decide': async ({ choice }) => {
      recovery.decide(choice);
      return nothing;
    },
  } satisfies Partial<Handlers>;
}
