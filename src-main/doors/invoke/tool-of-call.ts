import { isJsonObject } from '#contract/vocabulary/json.js';
import type { OfTool } from './answers.js';
import type { CallSeen } from './call-seen.js';
import type { InvokeParts } from './parts.js';

/** The facts about a call's tool on which its answer depends. `asked`: the request, where it is still known. */
export function toolOfCall(
  seen: CallSeen,
  { catalog }: Pick<InvokeParts, 'catalog'>,
  asked: { readonly parameters?: unknown } | null,
): OfTool {
  const { toolId, tool, workspace } = seen.summary;
  const named = toolId ?? tool;
  const { parameters = {} } = asked ?? {};
  const isMisfit = seen.failure?.code === 'BadArgs' && isJsonObject(parameters ?? {});
  return {
    idempotent: catalog.findTool(workspace, named)?.tool.declaration?.idempotent === true,
    misfits: isMisfit ? catalog.findMisfits(workspace, named, (parameters ?? {}) as never) : [],
  };
}
