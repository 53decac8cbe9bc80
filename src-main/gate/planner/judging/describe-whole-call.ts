import type { Judgement } from '../../../domain/call/judgement.js';
import { judgedTool } from '../../../domain/policy/judged-tool.js';
import type { KnownCall } from '../../../domain/policy/policy-rules.js';
import type { RegisteredTool } from '../../../domain/ports/gate/tool-lookup.js';

/** The call as authorize sees it once all of it is known. */
export function describeWholeCall(
  registered: RegisteredTool,
  { wish, unasked, taint, lacked, mayRead }: Pick<Judgement, 'wish' | 'unasked' | 'taint' | 'lacked' | 'mayRead'>,
): KnownCall {
  const tool = judgedTool(registered);
  return {
    seen: 'whole',
    name: tool.name,
    tool,
    wish,
    unasked,
    ...(taint === undefined ? {} : { taint }),
    ...(lacked === undefined || mayRead === undefined ? {} : { lacked, mayRead }),
  };
}
