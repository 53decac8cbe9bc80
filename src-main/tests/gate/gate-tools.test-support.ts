import type { RiskLevel } from '#contract/vocabulary/calls.js';
import type { Tool } from '../../domain/tool/tool.js';
import { noteOutput, noteTool, untilAborted } from '../../tools/builtin/tools.test-support.js';

export const any = <Args>(tool: Tool<Args>): Tool<unknown> => tool;
export const ran: string[] = [];
export const tracing = (name: string, sideEffecting: boolean, risk: RiskLevel = 'low') =>
  any(
    noteTool(
      { name, sideEffecting, risk },
      {
        execute: ({ text }) => {
          ran.push(`${name}:${text}`);
          return Promise.resolve(noteOutput(text));
        },
      },
    ),
  );
export const reads = () => tracing('reads', false);
export const writes = () => tracing('writes', true);
export const risky = () => tracing('risky', true, 'high');
export const slow = () =>
  any(noteTool({ name: 'slow' }, { execute: (_args, context) => untilAborted(context), timeoutMs: () => 40 }));
export const stuck = () => any(noteTool({ name: 'stuck' }, { execute: (_args, context) => untilAborted(context) }));
export const call = (tool: string, text = 'x') => ({ tool, arguments: { text } });
