import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandAnalyzer } from '../domain/ports/gate/command-analyzer.js';
import type { CommandLeftovers } from '../domain/ports/command-runner.js';
import { applyPatchTool } from '../tools/builtin/apply-patch/handler.js';
import { listDirectoryTool } from '../tools/builtin/list-directory/handler.js';
import { createPutBackTool } from '../tools/builtin/put-back/handler.js';
import { readFileTool } from '../tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../tools/registry/registry.js';
import { createThreadedReader } from '../tools/builtin/run-command/analysis/threaded-reader.js';
import { runCommandTool } from '../tools/builtin/run-command/run-command.js';
import { createUndoChangesTool } from '../tools/builtin/undo-changes/handler.js';
import { writeFileTool } from '../tools/builtin/write-file/handler.js';
import { answerProblem, done } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Commands } from './commands.js';
import type { Front } from './front.js';
import type { Record } from './record.js';
import { whyNot } from './settings.js';
import type { Shell } from './shell.js';
import { openToolSearch, searchChannels, type SearchWing } from './search/tool-search.js';
import { entryNotices } from './state/entry-notices.js';
import { definitionNotices } from './state/definition-notices.js';
import { policyChanges } from './state/tool-policy.js';
import { toolViews } from './tool-views.js';

/** The tools that come with the app. */
export interface ToolsWing {
  readonly registry: ToolRegistry;
  readonly analyzer: CommandAnalyzer;
  readonly search: SearchWing;
  /** Starts to report which settings are for no tool. */
  readonly watchEntries: (unknownGroups: () => readonly string[]) => void;
}

export function openTools(shell: Shell, front: Front, { undo, aside }: Record, { runner, watch }: Commands): ToolsWing {
  const analyzer = createThreadedReader({ entry: pathToFileURL(join(shell.built, 'command-reader.js')) });
  const leftovers: CommandLeftovers = {
    isInDoubt: (workingDirectory) => watch.isInDoubt(workingDirectory),
    finds: (program, place) => runner.finds(program, place),
    mayBeShared: (workingDirectory) => runner.mayBeShared(workingDirectory),
  };
  const registry = new ToolRegistry();
  registry.register(applyPatchTool);
  registry.register(listDirectoryTool);
  registry.register(readFileTool);
  registry.register(runCommandTool(analyzer, leftovers, watch));
  registry.register(writeFileTool);
  registry.register(createUndoChangesTool(undo), { advertise: false });
  registry.register(createPutBackTool(aside), { advertise: false });

  const search = openToolSearch(shell, registry);
  const { config } = shell;
  const showDefinitions = (): void =>
    front.notices.showOnly(
      'definitions-',
      definitionNotices(config.own.tools, (given) => registry.readDefined(given)),
    );
  showDefinitions();
  config.watch(({ own: { tools } }) => [tools.mode, tools.definitions], showDefinitions);
  const watchEntries: ToolsWing['watchEntries'] = (unknownGroups) => {
    const show = (): void => {
      const tools = registry
        .listDefinitions()
        .flatMap(({ name, id }) =>
          registry.versionsOf(id).map(({ tool: { declaration } }) => ({ name, id, version: declaration.version })),
        );
      front.notices.showOnly('entries-', entryNotices(config.own, { tools, unknownGroups: unknownGroups() }));
    };
    show();
    registry.onChange(show);
    config.watch(({ own: { tools, hooks, sources } }) => [tools.approval, hooks, sources] as const, show);
  };
  return { registry, analyzer, search, watchEntries };
}

export const toolChannels = ({ config }: Shell, { registry, search }: ToolsWing) =>
  ({
    ...searchChannels(search),
    'tools.list': async () => done(toolViews(registry, config.current)),
    'tools.setPolicy': async ({ tool, policy }) => {
      for (const [key, value] of policyChanges(registry, config.current.tools.approval, tool, policy)) {
        const refused = whyNot(await config.set(key, value));
        if (refused !== null) return answerProblem(refused);
      }
      return answerProblem(null);
    },
  }) satisfies Partial<Handlers>;
