import type { HookTime } from '#contract/vocabulary/hooks.js';
import type { HookedCall, HookResult } from '../../domain/ports/gate/hooks.js';
import type { Redactor } from '../../domain/ports/redactor.js';

/** What a hook reads on its standard input: one JSON object, without secrets. */
export async function hookLine(
  when: HookTime,
  call: HookedCall,
  result: HookResult | null,
  redactor: Pick<Redactor, 'jsonLater'>,
): Promise<string> {
  const { callId, tool, arguments: args, risk, summary, door, client, agent } = call;
  const told = { arguments: args, summary, client };
  const { value } = await redactor.jsonLater(told);
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
    },
    ...(result === null ? {} : { result }),
  };
  return `${JSON.stringify(line)}\n`;
}
