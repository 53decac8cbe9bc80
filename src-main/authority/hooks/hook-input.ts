import type { HookTime } from '#contract/vocabulary/hooks.js';
import type { HookedCall, HookResult } from '../../domain/ports/gate/hooks.js';
import type { Redactor } from '../../domain/ports/redactor.js';

/**
 * Writes the standard input of a hook: one JSON object. A hook that judges gets the arguments that run: it is the
 * person's, confined, and reaches nobody. A hook that is told afterwards gets them without secrets.
 */
export async function writeHookInput(
  when: HookTime,
  call: HookedCall,
  result: HookResult | null,
  redactor: Pick<Redactor, 'jsonLater'>,
): Promise<string> {
  const { callId, tool, arguments: args, risk, summary, door, client, agent, paths } = call;
  const told = { arguments: args, summary, client, ...(paths === undefined ? {} : { paths }) };
  const value = when === 'before' ? told : (await redactor.jsonLater(told)).value;
  const line = {
    when,
    call: {
      callId,
      toolId: tool.id ?? tool.name,
      version: tool.version,
      arguments: value.arguments,
      risk,
      summary: value.summary,
      door,
      client: value.client,
      agent,
      ...(value.paths === undefined ? {} : { paths: value.paths }),
    },
    ...(result === null ? {} : { result }),
  };
  return `${JSON.stringify(line)}\n`;
}
