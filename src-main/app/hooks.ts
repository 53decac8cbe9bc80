import { HOOK_DEFAULTS, type HookSettings } from '#contract/vocabulary/hooks.js';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import type { UnpinnedHook, HooksView, HookView } from '#contract/window/hooks.js';
import { PersonsHooks } from '../authority/hooks/persons-hooks.js';
import type { CallHooks } from '../domain/ports/gate/hooks.js';
import type { UnpinnedReason } from '../domain/ports/sources/code-inspector.js';
import type { HookUse } from '../journal/reading/queries/hooks.js';
import { systemClock } from '../platform/clock.js';
import { resolveFolder, HookFiles } from '../platform/data-folder/hook-files.js';
import { done, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Commands } from './commands.js';
import type { Record } from './record.js';
import type { Shell } from './shell.js';

/** So many of its last runs are shown. */
const RUNS_SHOWN = 20;

export interface HooksWing {
  readonly hooks: CallHooks;
  /** The digests of the accepted copies of their code. */
  readonly codeDigests: () => readonly string[];
  readonly channels: Pick<Handlers, 'hooks.list' | 'hooks.try' | 'hooks.acceptFile' | 'hooks.acceptNotPinned'>;
}

/** The person's programs around calls. */
export function openHooks({ config, paths, redactor }: Shell, record: Record, commands: Commands): HooksWing {
  const files = new HookFiles(paths.acceptedHookFiles);
  const hooks = new PersonsHooks({
    start: commands.programs.start,
    code: commands.code,
    redactor,
    clock: systemClock,
    inForce: () => ({ hooks: config.own.hooks, refused: config.refusedHooks }),
    files,
    folder: () => resolveFolder(paths.hooks),
    mayBeWritten: commands.mayBeWritten,
  });
  hooks.acceptFiles();
  config.watch(
    ({ own }) => own.hooks,
    () => hooks.acceptFiles(),
  );
  commands.onFolders(() => hooks.acceptFiles());

  const viewOf = (hook: HookSettings, use: HookUse | undefined): HookView => {
    const { ran, failed, runs } = use ?? { ran: 0, failed: 0, runs: [] };
    const { files: seen, notPinned, asks } = hooks.inspectCommand(hook);
    return {
      name: hook.name,
      when: hook.when,
      tools: hook.tools ?? HOOK_DEFAULTS.tools,
      command: hook.command,
      timeoutSeconds: hook.timeout_seconds ?? HOOK_DEFAULTS.timeout_seconds,
      onFailure: hook.when === 'after' ? null : (hook.on_failure ?? HOOK_DEFAULTS.on_failure),
      files: seen,
      notPinned: notPinnedOf(notPinned, asks),
      ran,
      failed,
      runs,
    };
  };
  const view = async (): Promise<HooksView> => {
    const uses = config.own.hooks.length === 0 ? {} : await record.reader.hookUses(RUNS_SHOWN);
    return {
      folder: paths.hooks,
      hooks: config.own.hooks.map((hook) => viewOf(hook, uses[hook.name])),
      refused: config.refusedHooks,
    };
  };

  return {
    hooks,
    codeDigests: () => files.digests,
    channels: {
      'hooks.list': async () => done(await view()),
      'hooks.try': async ({ name, callId }) => {
        const detail = await record.detail(callId);
        if (detail === null) return refuse('not-found', 'There is no such call. It may be older than what is kept.');
        const folder = commands.folders().includes(detail.workspace) ? detail.workspace : '';
        const place = { folder, config: folder === '' ? config.own : config.forFolder(folder).config };
        const tried = await hooks.try(name, toldOf(detail), resultOf(detail), place);
        return tried === null ? gone(name) : done(tried);
      },
      'hooks.acceptFile': async ({ name, path, digest }) => {
        const hook = config.own.hooks.find((each) => each.name === name);
        if (hook === undefined) return gone(name);
        const isIts = hooks.inspectCommand(hook).files.some((file) => file.path === path && file.digest === digest);
        if (!isIts) return refuse('stale', 'The file changed again meanwhile. Look at it once more.');
        files.accept(name, hook.command, path, digest);
        return done(await view());
      },
      'hooks.acceptNotPinned': async ({ name, digest }) => {
        const hook = config.own.hooks.find((each) => each.name === name);
        if (hook === undefined) return gone(name);
        if (hooks.inspectCommand(hook).asks !== digest)
          return refuse('stale', 'Why it can’t be pinned changed meanwhile. Look at it once more.');
        files.acceptUnpinned(name, hook.command, digest);
        return done(await view());
      },
    },
  };
}

const notPinnedOf = (reasons: readonly UnpinnedReason[], asks: string | null): UnpinnedHook | null =>
  reasons.length === 0 ? null : { reasons: reasons.map(({ words }) => words), asks };

const gone = (name: string) => refuse('not-found', `There is no hook “${name}” in your settings any more.`);

const toldOf = (call: CallDetail) => ({
  callId: call.callId,
  tool: { name: call.tool, id: call.toolId, version: call.version },
  arguments: call.arguments,
  risk: call.risk,
  summary: call.summary,
  door: call.door,
  client: call.client,
  agent: call.agent,
});

const resultOf = ({ outcome, code, durationMs }: CallDetail) => ({
  outcome: outcome ?? ('success' as const),
  code,
  durationMs,
});
