import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolPolicy } from '#contract/vocabulary/tools.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandAnalyzer } from '../domain/ports/command-analyzer.js';
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
import { answered, done } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Commands } from './commands.js';
import type { Record } from './record.js';
import { whyNot } from './settings.js';
import type { Shell } from './shell.js';
import { toolViews } from './tool-views.js';

/** The tools that come with the app. */
export interface ToolsWing {
  readonly registry: ToolRegistry;
  readonly analyzer: CommandAnalyzer;
}

export function openTools(shell: Shell, { undo, aside }: Record, { runner, watch }: Commands): ToolsWing {
  const analyzer = createThreadedReader({ entry: pathToFileURL(join(shell.built, 'command-reader.js')) });
  const leftovers: CommandLeftovers = {
    isInDoubt: (workingDirectory) => watch.isInDoubt(workingDirectory),
    mayBeShared: (workingDirectory) => runner.mayBeShared(workingDirectory),
  };
  const registry = new ToolRegistry();
  registry.register(applyPatchTool);
  registry.register(listDirectoryTool);
  registry.register(readFileTool);
  registry.register(runCommandTool(analyzer, leftovers));
  registry.register(writeFileTool);
  registry.register(createUndoChangesTool(undo), { advertise: false });
  registry.register(createPutBackTool(aside), { advertise: false });
  return { registry, analyzer };
}

export const toolChannels = ({ config }: Shell, { registry }: ToolsWing) =>
  ({
    'tools.list': async () => done(toolViews(registry, config.current)),
    'tools.setPolicy': async ({ tool, policy }) => {
      for (const [key, value] of policyChanges(config.current.tools.approval, tool, policy)) {
        const refused = whyNot(await config.set(key, value));
        if (refused !== null) return answered(refused);
      }
      return answered(null);
    },
  }) satisfies Partial<Handlers>;

/** A tool's policy as changes of the two lists it is made of. */
function policyChanges(
  approval: Config['tools']['approval'],
  tool: string,
  policy: ToolPolicy,
): ReadonlyArray<readonly [key: string, value: Json]> {
  const without = (list: readonly string[]) => list.filter((name) => name !== tool);
  const allowlist = policy === 'allow' ? [...without(approval.allowlist), tool] : without(approval.allowlist);
  const denylist = policy === 'deny' ? [...without(approval.denylist), tool] : without(approval.denylist);
  const changed = (before: readonly string[], after: readonly string[]) =>
    before.length !== after.length || before.some((name) => !after.includes(name));
  return [
    ...(changed(approval.allowlist, allowlist) ? [['tools.approval.allowlist', allowlist] as const] : []),
    ...(changed(approval.denylist, denylist) ? [['tools.approval.denylist', denylist] as const] : []),
  ];
}
