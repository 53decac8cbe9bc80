import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { composeGate } from '../../../app/gate/gate.js';
import { makeAsker } from '../../../domain/call/asker.js';
import { filesAlone } from '../../../gate/recovery/recovery.test-support.js';
import { openJournal } from '../../../journal/opening/open-journal.js';
import { systemClock } from '../../../platform/clock.js';
import { answerTo, followSheets } from '../answers.test-support.js';
import { readingClock } from '../reading-clock.test-support.js';
import { createSealer } from '../../../keys/sealing.js';
import { openTestRedactor } from '../../../platform/redaction/redactor.test-support.js';
import { gitIgnored } from '../../../platform/git/git-ignored.js';
import { openTestRunner } from '../../../process/process.test-support.js';
import { writeAskingSettings } from '../../../settings/asking.js';
import { applyPatchTool } from '../../../tools/builtin/apply-patch/handler.js';
import { listDirectoryTool } from '../../../tools/builtin/list-directory/handler.js';
import { readFileTool } from '../../../tools/builtin/read-file/handler.js';
import { createCommandReader } from '../../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../../tools/builtin/run-command/run-command.js';
import { writeFileTool } from '../../../tools/builtin/write-file/handler.js';
import { ToolRegistry } from '../../../tools/registry/registry.js';
import { createWorkspaceTransactions } from '../../../workspace/transaction/workspace-transactions.js';
import { defaultConfig } from '../default-config.test-support.js';
import { PROJECT, type Step, type Task } from './tasks.test-support.js';
import { plainParts } from '../gate-parts.test-support.js';

/** `asks`: as Strict, with commands that ask instead of being off. */
export type Way = AskingPreset | 'asks';

export interface Counted {
  readonly calls: number;
  readonly asked: readonly Asked[];
  /** What should have been asked about, and ran. */
  readonly missed: readonly string[];
}

export interface Asked {
  readonly what: string;
  readonly why: string;
  readonly step: Step;
}

export function configOf(way: Way): Config {
  const said = parse(writeAskingSettings(way === 'asks' ? 'strict' : way, ['run_command'])) as unknown as Pick<
    Config,
    'tools'
  >;
  const { approval, sandbox } = defaultConfig().tools;
  return defaultConfig({
    approval: { ...approval, ...said.tools.approval, ...(way === 'asks' ? { denylist: [] } : {}) },
    sandbox: { ...sandbox, ...said.tools.sandbox },
    run_command: { ...defaultConfig().tools.run_command, confinement: 'required' },
  });
}

/**
 * Does the tasks as an agent would, one call after another, through the real gate with real tools, commands and bubblewrap. A
 * person approves what they are asked about, but for what matters: that is denied, so that nothing of it ever happens.
 */
export async function countQuestions(way: Way, tasks: readonly Task[]): Promise<Counted> {
  const runner = await openTestRunner();
  const { bench, workspace, outputs } = runner;
  makeProject(workspace);
  const journal = openJournal({
    dataDir: join(outputs, 'journal'),
    sealer: createSealer(null),
    clock: systemClock,
    signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
    onSideError: fault,
  });
  const registry = new ToolRegistry();
  const leftovers = { isInDoubt: () => false, mayBeShared: () => [], finds: runner.runner.finds.bind(runner.runner) };
  registry.register(readFileTool);
  registry.register(listDirectoryTool);
  registry.register(writeFileTool);
  registry.register(applyPatchTool);
  registry.register(runCommandTool(createCommandReader(), leftovers, runner.watch));
  const transactions = createWorkspaceTransactions(bench.parts);
  const config = configOf(way);
  const clock = readingClock();
  const { hear, sheets } = followSheets();
  const gate = composeGate({
    ...plainParts(),
    journal,
    transactions,
    redactor: openTestRedactor(),
    commands: runner.runner,
    analyzer: createCommandReader(),
    confirmations: { session: [], remember: async () => undefined },
    registry,
    clock,
    random: () => 0,
    config: () => config,
    confinement: () => runner.runner.confinementNow(),
    confinementTried: async () => void (await runner.runner.confinement()),
    runnerTexts: { find: () => null, keep: () => undefined },
    texts: journal.given,
    git: gitIgnored,
    changedSince: async () => ({ changed: [], createdFolders: [], complete: true }),
    partialOutput: async () => null,
    onCrashTrouble: (_what, error) => fault(error),
    publish: hear,
    onFault: fault,
  });
  await gate.recovery.begin(filesAlone(transactions));
  await gate.openFolder(workspace);
  const asked: Asked[] = [];
  const missed: string[] = [];
  let calls = 0;
  for (const step of tasks.flatMap(({ steps }) => steps)) {
    calls += 1;
    const batch = gate.gate.submit({
      asker: makeAsker('mcp', 'session', { client: 'agent 1' }),
      folder: workspace,
      calls: [{ requestId: null, tool: step.tool, arguments: step.arguments }],
      capacityBytes: null,
      joinable: false,
    });
    const waits = Promise.withResolvers<true>();
    batch.calls[0]?.onProgress(({ type }) => {
      if (type === 'waiting-for-decision') waits.resolve(true);
    });
    const isAsked = await Promise.race([waits.promise, batch.settled.then(() => false)]);
    if (isAsked) {
      const sheet = await sheetOf(sheets, batch.batchId);
      asked.push({ what: wordsOf(step), why: sheet.calls[0]?.why ?? '', step });
      clock.read();
      const kind = step.matters === null ? 'approve-all' : 'deny-all';
      await gate.desk.decide(answerTo(sheet, kind, { reason: step.matters }));
    }
    const [settled] = await batch.settled;
    // What never began did no harm either.
    if (step.matters !== null && !isAsked && settled?.summary.executingSince !== null) missed.push(wordsOf(step));
  }
  await gate.close();
  journal.close();
  await runner[Symbol.asyncDispose]();
  return { calls, asked, missed };
}

async function sheetOf(sheets: () => readonly ApprovalRequest[], batchId: string) {
  for (;;) {
    const sheet = sheets().find((request) => request.batchId === batchId);
    if (sheet !== undefined) return sheet;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const wordsOf = ({ tool, arguments: args }: Step): string =>
  typeof args['command'] === 'string' ? args['command'] : `${tool} ${JSON.stringify(args).slice(0, 60)}`;

function makeProject(workspace: string): void {
  for (const [path, content] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], {
      cwd: workspace,
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'main');
  for (const message of ['first', 'second']) {
    if (message === 'second') rmSync(join(workspace, 'docs/gone.md'), { force: true });
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
  }
}

function fault(error: unknown): never {
  throw error;
}
