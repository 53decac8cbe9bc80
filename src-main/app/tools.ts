import type { ToolPolicy } from '#contract/vocabulary/tools.js';
import type { ToolView } from '#contract/window/tools.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandAnalyzer } from '../domain/ports/command-analyzer.js';
import { policyInForce } from '../domain/policy/decide.js';
import type { CommandLeftovers } from '../domain/ports/command-runner.js';
import type { UndoStore } from '../domain/ports/undo-store.js';
import type { AsideStore } from '../domain/ports/put-aside.js';
import { applyPatchTool } from '../tools/builtin/apply-patch/handler.js';
import { listDirectoryTool } from '../tools/builtin/list-directory/handler.js';
import { createPutBackTool } from '../tools/builtin/put-back/handler.js';
import { readFileTool } from '../tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../tools/registry/registry.js';
import { createThreadedReader } from '../tools/builtin/run-command/analysis/threaded-reader.js';
import { runCommandTool } from '../tools/builtin/run-command/run-command.js';
import { createUndoChangesTool } from '../tools/builtin/undo-changes/handler.js';
import { writeFileTool } from '../tools/builtin/write-file/handler.js';

/** The tools that come with the app. */
export function builtInTools({
  undo,
  aside,
  commandReaderEntry,
  leftovers,
}: {
  readonly undo: UndoStore;
  readonly aside: AsideStore;
  readonly commandReaderEntry: URL;
  readonly leftovers: CommandLeftovers;
}): { readonly registry: ToolRegistry; readonly analyzer: CommandAnalyzer } {
  const analyzer = createThreadedReader({ entry: commandReaderEntry });
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

/** As the Tools page shows them. */
export function toolViews(registry: ToolRegistry, config: Config): readonly ToolView[] {
  return registry.definitions().flatMap(({ declaration }) => {
    if (declaration === null) return [];
    const { policy, reason } = policyInForce(config.tools.approval, declaration);
    const tool = registry.lookup(declaration.name)?.tool;
    const timeoutMs = tool?.timeoutMs(config) ?? config.tools.timeouts.default_seconds * 1000;
    const {
      name,
      id,
      version,
      title,
      description,
      inputSchema,
      outputSchema,
      requiredCapabilities,
      resourceLimits,
      deterministic,
      idempotent,
      sideEffecting,
      requiresApproval,
      risk,
    } = declaration;
    return [
      {
        name,
        id,
        version,
        title,
        description,
        inputSchema,
        outputSchema,
        requiredCapabilities,
        resourceLimits,
        deterministic,
        idempotent,
        sideEffecting,
        requiresApproval,
        risk,
        timeoutMs,
        policy,
        policyReason: reason,
      },
    ];
  });
}

/** A tool's policy as changes of the two lists it is made of. */
export function policyChanges(
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
