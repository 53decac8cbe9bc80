import Type from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import { type Nature, NATURE_WORDS, type UndoExtentOf } from '#contract/vocabulary/nature.js';
import type { Reading } from '../../domain/commands/reading/reading.js';
import { readPlainly } from '../../domain/commands/reading/reading.test-support.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import { resolveProcessTerms } from '../../domain/tool/terms.js';
import {
  ToolFailure,
  type Tool,
  type ToolDeclaration,
  type ToolContext,
  type ToolOutput,
} from '../../domain/tool/tool.js';
import { ToolRegistry } from '../registry/registry.js';

const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false };

export const noteDeclaration: ToolDeclaration<'reads'> = {
  id: 'test.note',
  version: '1.0.0',
  name: 'note',
  title: 'Note',
  description: 'Takes a note.',
  nature: 'reads',
  takesBack: 'whole',
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
export function noteTool<N extends Nature = 'files'>(
  changes: Partial<ToolDeclaration<N>> = {},
  parts: Partial<Omit<Tool<NoteArgs, N>, 'declaration'>> = {},
): Tool<NoteArgs, N> {
  const nature = changes.nature ?? natureOf(changes);
  const [takesBack] = Object.keys(NATURE_WORDS[nature].undo) as UndoExtentOf<N>[];
  const id = `test.${changes.name ?? noteDeclaration.name}`;
  const declaration = { ...noteDeclaration, id, nature, takesBack, ...changes } as ToolDeclaration<N>;
  return {
    declaration,
    timeoutMs: () => null,
    termsFor: (situation) => ({
      nature,
      ...(nature === 'command' ? resolveProcessTerms(situation) : { process: null, network: NO_NETWORK }),
      paths: nature === 'remote' ? 'none' : nature === 'reads' ? 'read' : 'change',
      secrets: [],
      limits: { timeMs: 1000, outputBytes: 1000 },
    }),
    ruleScope: ({ text }) => (nature === 'command' ? { of: 'words', words: text } : { of: 'tool' }),
    ...(nature === 'command'
      ? { understand: async ({ text }) => readPlainly(text), getReading: (read) => read as Reading }
      : {}),
    parse: ({ text, command = text }) => ({ text: typeof command === 'string' ? command : '' }),
    summary: ({ text }) => `Note ${text}`,
    preflight: () => Promise.resolve({ risk: changes.risk ?? 'low', mustAsk: null }),
    effect: () => Promise.resolve({ kind: 'arguments' }),
    execute: ({ text }) => Promise.resolve(noteOutput(text)),
    argumentsBoundedElsewhere: [],
    ...parts,
  };
}

/** The tools as a registry holds them: so a source’s are given to it. */
export function toRegistered<Args>(tools: readonly Tool<Args>[]): readonly RegisteredTool[] {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return tools.flatMap(({ declaration: { name } }) => registry.lookup(name) ?? []);
}

/** Derives the nature from what the tool declares, where a test does not say. */
function natureOf({ requiredCapabilities = [], sideEffecting }: Partial<ToolDeclaration>): Nature {
  if (requiredCapabilities.includes('process.run')) return 'command';
  return sideEffecting === true ? 'files' : 'reads';
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
