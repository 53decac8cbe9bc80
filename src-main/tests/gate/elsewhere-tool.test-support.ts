import Type from 'typebox';
import { resolveProcessTerms } from '../../domain/tool/terms.js';
import type { Tool, ToolContext } from '../../domain/tool/tool.js';
import { defineTool } from '../../tools/define-tool.js';
import { controlCharactersRemoved, DIALECT, fileToolOutput } from '../../tools/builtin/file-tool-parts.js';

export interface Sent {
  readonly text: string;
}

const input = Type.Object({ text: Type.String({ description: 'What is sent.' }) }, DIALECT);
const output = Type.Object(
  { length: Type.Integer({ description: 'How long it was.' }), controlCharactersRemoved },
  DIALECT,
);

export const sent = (text: string) => fileToolOutput(text, { length: text.length });

/** A tool that runs elsewhere: what it does there is up to the test. */
export function elsewhereTool(
  execute: (args: Sent, context: ToolContext<'remote'>) => Promise<ReturnType<typeof sent>>,
  {
    idempotent = false,
    timeoutMs = 10_000,
    startedHere = false,
  }: { readonly idempotent?: boolean; readonly timeoutMs?: number; readonly startedHere?: boolean } = {},
): Tool<Sent, 'remote'> {
  return defineTool(
    {
      id: 'test.elsewhere',
      version: '1.0.0',
      name: 'elsewhere',
      title: 'Elsewhere',
      description: 'Does something on another machine.',
      nature: 'remote',
      takesBack: 'never',
      input,
      output,
      requiredCapabilities: ['upstream'],
      resourceLimits: { maxExecutionTimeMs: 10_000, maxOutputBytes: 1000 },
      deterministic: false,
      idempotent,
      sideEffecting: true,
      requiresApproval: true,
      risk: 'medium',
      openWorld: true,
      destructive: false,
    },
    {
      timeoutMs: () => timeoutMs,
      parse: ({ text }): Sent => ({ text }),
      summary: ({ text }) => `Send ${text}`,
      gets: (situation) => ({
        process: startedHere ? resolveProcessTerms(situation).process : null,
        network: { reach: 'hosts', hosts: ['api.example:443'], by: 'settings' },
        paths: 'none',
        secrets: [],
      }),
      preflight: async () => ({ risk: 'medium', mustAsk: null }),
      effect: async () => ({ kind: 'arguments' }),
      execute,
    },
  );
}
