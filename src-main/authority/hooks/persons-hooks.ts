import { HOOK_DEFAULTS, type HookRun, type HookSettings, type HookTime } from '#contract/vocabulary/hooks.js';
import type { Config } from '#contract/vocabulary/config.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type { HookTestResult, RefusedHook } from '#contract/window/hooks.js';
import { type JudgedRun, strictestHookVerdict } from '../../domain/policy/hook-verdict.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { CallHooks, HookedCall, HookJudgement, HookContext, HookResult } from '../../domain/ports/gate/hooks.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { HeldProgram, HeldProgramRequest, StartHeldProgram } from '../../domain/ports/sources/held-program.js';
import type { InspectedCode, CodeInspector } from '../../domain/ports/sources/code-inspector.js';
import { appliesToTool, type ToolIdentity } from '../../domain/tool/tool-identity.js';
import type { HookFiles } from '../../platform/data-folder/hook-files.js';
import { digestJson } from '../../platform/digest.js';
import { parseHookAnswer } from './hook-answer.js';
import { type HookCommandDeps, type HookCommand, inspectHookCommand, acceptHookFiles } from './hook-command.js';
import { writeHookInput } from './hook-input.js';
import { ConcurrencyLimiter } from '../../platform/concurrency-limiter.js';
import { describeStartFailure, runHook } from './run-hook.js';

export interface HooksInForce {
  readonly hooks: readonly HookSettings[];
  readonly refused: readonly RefusedHook[];
}

export interface PersonsHooksDeps {
  readonly start: StartHeldProgram;
  readonly code: CodeInspector;
  readonly redactor: Pick<Redactor, 'jsonLater' | 'text'>;
  readonly clock: Clock;
  /** The hooks of the person’s own file: the same value as long as none of it changed. */
  readonly inForce: () => HooksInForce;
  readonly files: HookFiles;
  /** The folder where relative paths begin; null where there is no such folder. */
  readonly folder: () => string | null;
  readonly mayBeWritten: (path: string) => boolean;
}

/** Hooks that run side by side; more wait. */
export const MAX_AT_ONCE = 16;

/** The hooks of the person’s settings: confined, bounded, and with nothing to say but to ask or to deny. */
export class PersonsHooks implements CallHooks {
  readonly #parts: PersonsHooksDeps;
  readonly #lanes = new ConcurrencyLimiter(MAX_AT_ONCE);

  constructor(parts: PersonsHooksDeps) {
    this.#parts = parts;
  }

  identifyJudges(tool: ToolIdentity): string | null {
    const { hooks, refused } = this.#for(tool, 'before');
    if (hooks.length + refused.length === 0) return null;
    // The accepted files are a part of the hook's identity.
    const now = hooks.map((hook) => {
      const { files, asks } = this.inspectCommand(hook);
      return { files: files.map(({ path, digest }) => [path, digest]), asks };
    });
    return digestJson({ hooks, refused: refused.map(({ name }) => name), now });
  }

  async judge(call: HookedCall, place: HookContext, signal: AbortSignal): Promise<HookJudgement> {
    const { hooks, refused } = this.#for(call.tool, 'before');
    const line = await writeHookInput('before', call, null, this.#parts.redactor);
    const runs: readonly JudgedRun[] = [
      ...refused.map(buildRefusedRun),
      ...(await Promise.all(hooks.map(async (hook) => this.#judged(hook, line, place, signal)))),
    ];
    return { runs: runs.map(({ run }) => run), verdict: strictestHookVerdict(runs) };
  }

  isTold(tool: ToolIdentity): boolean {
    return this.#for(tool, 'after').hooks.length > 0;
  }

  async tell(
    call: HookedCall,
    result: HookResult,
    place: HookContext,
    signal: AbortSignal,
  ): Promise<readonly HookRun[]> {
    const { hooks } = this.#for(call.tool, 'after');
    const line = await writeHookInput('after', call, result, this.#parts.redactor);
    return Promise.all(hooks.map(async (hook) => (await this.#judged(hook, line, place, signal)).run));
  }

  /** Tries a hook with a call that is over; nothing comes of it. Null where there is no such hook. */
  async try(name: string, call: HookedCall, result: HookResult, place: HookContext): Promise<HookTestResult | null> {
    const hook = this.#parts.inForce().hooks.find((each) => each.name === name);
    if (hook === undefined) return null;
    const line = await writeHookInput(hook.when, call, hook.when === 'after' ? result : null, this.#parts.redactor);
    let said = '';
    const { run } = await this.#judged(hook, line, place, NEVER_ABORTED, (text) => (said = text));
    // The window is no hook: what it shows has no secrets.
    const { redactor } = this.#parts;
    return { run, given: redactor.text(line).value, said: redactor.text(said).value };
  }

  /** The hook's command as it is now. */
  inspectCommand(hook: Pick<HookSettings, 'name' | 'command'>): HookCommand {
    return inspectHookCommand(hook, this.#hookCode);
  }

  /**
   * Accepts the hooks' files as they are now, when the settings were read, or a folder is being opened, before any call
   * could have changed them. Files that were accepted otherwise stay so.
   */
  acceptFiles(): void {
    for (const hook of this.#parts.inForce().hooks) acceptHookFiles(hook, this.#hookCode);
  }

  get #hookCode(): HookCommandDeps {
    const { code, files, folder, mayBeWritten } = this.#parts;
    return { look: (words) => code.inspect(words), kept: files, folder: folder(), mayBeWritten };
  }

  #for(tool: ToolIdentity, when: HookTime): HooksInForce {
    const { hooks, refused } = this.#parts.inForce();
    const isFor = (tools: readonly string[]): boolean =>
      tools.some((entry) => entry === '*' || appliesToTool(entry, tool));
    return {
      hooks: hooks.filter((hook) => hook.when === when && isFor(hook.tools ?? HOOK_DEFAULTS.tools)),
      refused: refused.filter((hook) => (hook.when ?? 'before') === when && isFor(hook.tools)),
    };
  }

  async #judged(
    hook: HookSettings,
    line: string,
    place: HookContext,
    signal: AbortSignal,
    onSaid: (said: string) => void = () => undefined,
  ): Promise<JudgedRun> {
    const { name, when, on_failure: onFailure = HOOK_DEFAULTS.on_failure } = hook;
    let command: HookCommand;
    try {
      command = this.inspectCommand(hook);
    } catch (error) {
      return { run: { name, when, ms: 0, failed: describeStartFailure(error) }, onFailure };
    }
    const changed = command.files.find(({ state }) => state !== 'accepted');
    if (changed !== undefined) {
      const failed = `its file ${changed.path} is not the one that you accepted`;
      return { run: { name, when, ms: 0, failed }, onFailure, changed: describeChangedFile(name, changed.path) };
    }
    if (command.asks !== null) {
      const reason = command.notPinned.find(({ byTools }) => byTools)?.words ?? '';
      const failed = `tools may change what it runs: ${reason}`;
      return { run: { name, when, ms: 0, failed }, onFailure, changed: describeUnpinnedCode(name, reason) };
    }
    return this.#lanes.run(async () => {
      const began = this.#parts.clock.monotonic();
      const timeoutMs = (hook.timeout_seconds ?? HOOK_DEFAULTS.timeout_seconds) * 1000;
      const start = async (): Promise<HeldProgram> => this.#parts.start(await this.#request(command.code, place));
      const end = await runHook(start, line, { timeoutMs, signal });
      onSaid(end.said);
      const ms = Math.round(this.#parts.clock.monotonic() - began);
      const answer = end.failed === null && when === 'before' ? parseHookAnswer(end.stdout) : EMPTY_ANSWER;
      const failed = end.failed ?? ('wrong' in answer ? answer.wrong : null);
      const run: HookRun =
        failed !== null || 'wrong' in answer
          ? { name, when, ms, failed: failed ?? '' }
          : { name, when, ms, decision: answer.decision, reason: answer.reason };
      return { run, onFailure };
    });
  }

  async #request(now: InspectedCode, { folder, config }: HookContext): Promise<HeldProgramRequest> {
    const seen = folder === '' ? null : folder;
    const { command, args, cwd, reads, copies } = await this.#parts.code.prepareStart(now, {
      isConfined: true,
      folder: seen,
    });
    return {
      startedFor: null,
      command,
      args,
      workingDirectory: cwd,
      environment: seen === null ? {} : { GATEHOUSE_WORKSPACE: seen },
      // Whatever commands are held by: a hook that can't be confined has failed.
      process: { asked: 'required', held: 'confined', lacks: null, why: null },
      network: NO_NETWORK,
      folder: seen === null ? null : { path: seen, access: 'read' },
      reads,
      copies,
      memoryBytes: null,
      cpuSeconds: null,
      side: false,
      config: requireConfinement(config),
    };
  }
}

const EMPTY_ANSWER = { decision: 'allow', reason: null } as const;
/** A signal that nobody aborts: the time-out alone stops a hook that is only tried. */
const NEVER_ABORTED = new AbortController().signal;

function requireConfinement({ tools, ...config }: Config): Config {
  return { ...config, tools: { ...tools, run_command: { ...tools.run_command, confinement: 'required' } } };
}

const buildRefusedRun = (hook: RefusedHook): JudgedRun => ({
  run: {
    name: hook.name,
    when: 'before',
    ms: 0,
    failed: `its settings can’t be used (${hook.reason})`,
  },
  onFailure: hook.onFailure,
});

const describeChangedFile = (name: string, path: string): string =>
  `The hook “${name}” was not used: its file ${path} changed. Accept it under Settings, or change it back.`;

const describeUnpinnedCode = (name: string, reason: string): string =>
  `The hook “${name}” was not used: tools may change what it runs. ${reason} Look at it under Settings.`;
