import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { type DeclaredCall, getEarlierParse, type ValidationFacts } from '../../../domain/call/call-stages.js';
import { findHostileJson } from '../../../domain/call/hostile-json.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { RegisteredTool } from '../../../domain/ports/gate/tool-lookup.js';
import { getTimeLimitMs } from '../../../domain/tool/declared-limits.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { findExceededLimit } from '../../../domain/tool/requested-limits.js';
import { tooLargeArguments } from '../limits.js';

/** Parses the arguments and derives what follows from them alone. Throws ToolFailure where they are not sound. */
export function validateArguments(
  call: DeclaredCall,
  { tool, checkInput }: RegisteredTool,
  { config }: PlanningSituation,
): Omit<ValidationFacts, 'judgement' | 'summary' | 'understood'> {
  const args = checkArguments(call, tool.argumentsBoundedElsewhere, config.tools.max_tool_args_bytes);
  const misfit = checkInput(args);
  // Who found it was not shown what it takes.
  const takes = call.through === true ? `. It takes: ${JSON.stringify(tool.declaration.inputSchema)}` : '';
  if (misfit !== null) throw new ToolFailure(badArgs(`${misfit.slice(0, MAX_MISFIT / 2)}${takes}`));
  const { parsed } = getEarlierParse(call, tool) ?? { parsed: tool.parse(args) };
  const limits = call.wanted?.limits ?? {};
  const tooMuch = findExceededLimit(tool, config, limits);
  if (tooMuch !== null) throw new ToolFailure(tooMuch);
  return {
    tool,
    arguments: args,
    parsed,
    risk: tool.declaration.risk,
    timeoutMs: Math.min(getTimeLimitMs(tool, config), (limits.timeoutMs ?? Infinity) + (tool.startMs ?? 0)),
  };
}

/** Bounds the message, since a schema error may quote the arguments. */
const MAX_MISFIT = 4000;
export const badArgs = (misfit: string): Failure => ({
  code: 'BadArgs',
  message: misfit.length > MAX_MISFIT ? `${misfit.slice(0, MAX_MISFIT)}…` : misfit,
});

export function checkArguments(call: DeclaredCall, boundedElsewhere: readonly string[], limit: number): JsonObject {
  const hostile = findHostileJson(call.rawArguments);
  if (hostile !== null) throw new ToolFailure({ code: 'BadArgs', message: hostile });
  if (!isJsonObject(call.rawArguments))
    throw new ToolFailure({ code: 'BadArgs', message: 'The arguments must be a JSON object.' });
  const tooLarge = tooLargeArguments(call.rawArguments, boundedElsewhere, limit);
  if (tooLarge !== null) throw new ToolFailure(tooLarge);
  return call.rawArguments;
}
