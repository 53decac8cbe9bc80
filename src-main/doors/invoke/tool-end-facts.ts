import { isJsonObject } from '#contract/vocabulary/json.js';
import type { ToolEndFacts } from './answers.js';
import type { CallSeen } from './call-seen.js';
import type { InvokeDeps } from './invoke-deps.js';

/** The facts about a call's tool on which its answer depends. `asked`: the request, where it is still known. */
export function readToolEndFacts(
  seen: CallSeen,
  { catalog }: Pick<InvokeDeps, 'catalog'>,
  asked: { readonly parameters?: unknown } | null,
): ToolEndFacts {
  const { toolId, tool, workspace } = seen.summary;
  const named = toolId ?? tool;
  const { parameters = {} } = asked ?? {};
  const isMisfit = seen.failure?.code === 'BadArgs' && isJsonObject(parameters ?? {});
  return {
    idempotent: catalog.findTool(workspace, named)?.tool.declaration?.idempotent === true,
    misfits: isMisfit ? catalog.findMisfits(workspace, named, (parameters ?? {}) as never) : [],
  };
}
