import Type from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';
import {
  ToolFailure,
  type Tool,
  type ToolDeclaration,
  type ToolContext,
  type ToolOutput,
} from '../../domain/tool/tool.js';

const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false };

export const noteDeclaration: ToolDeclaration = {
  id: 'test.note',
  version: '1.0.0',
  name: 'note',
  title: 'Note',
  description: 'Takes a note.',
  inputSchema: Type.Object({ text: Type.String({ description: 'What to note.' }) }, dialect) as unknown as JsonObject,
  outputSchema: Type.Object(
    { length: Type.Integer({ description: 'How long it is.' }) },
    dialect,
  ) as unknown as JsonObject,
  requiredCapabilities: ['filesystem.read'],
  resourceLimits: { maxExecutionTimeMs: 86_400_000, maxOutputBytes: 2 ** 30 },
  deterministic: true,
  idempotent: false,
  sideEffecting: false,
  requiresApproval: false,
  risk: 'low',
  openWorld: false,
  destructive: false,
};

export interface NoteArgs {
  readonly text: string;
}

/** A real tool, small enough to make misbehave in every way a tool can. */
export function noteTool(
  changes: Partial<ToolDeclaration> = {},
  parts: Partial<Omit<Tool<NoteArgs>, 'declaration'>> = {},
): Tool<NoteArgs> {
  return {
    declaration: { ...noteDeclaration, ...changes },
    timeoutMs: () => null,
    parse: (args) => ({ text: typeof args['text'] === 'string' ? args['text'] : '' }),
    summary: ({ text }) => `Note ${text}`,
    preflight: () => Promise.resolve({ risk: changes.risk ?? 'low', mustAsk: null }),
    effect: () => Promise.resolve({ kind: 'arguments' }),
    execute: ({ text }) => Promise.resolve(noteOutput(text)),
    argumentsBoundedElsewhere: [],
    ...parts,
  };
}

export const noteOutput = (content: string, changes: Partial<ToolOutput> = {}): ToolOutput => ({
  content,
  structured: { length: content.length },
  allowTruncation: true,
  outputBytes: Buffer.byteLength(content),
  outputBytesLeftOut: 0,
  storedOutputs: [],
  changedFiles: [],
  confinement: null,
  resources: null,
  ...changes,
});

/** Waits until its call is aborted, as a tool that works long must. */
export const untilAborted = (context: ToolContext): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = () =>
      reject(
        context.signal.reason instanceof Error
          ? context.signal.reason
          : new ToolFailure({ code: 'Cancelled', message: 'stopped' }),
      );
    if (context.signal.aborted) stop();
    else context.signal.addEventListener('abort', stop, { once: true });
  });
