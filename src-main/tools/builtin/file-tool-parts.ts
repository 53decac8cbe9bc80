import Type from 'typebox';
import type { Config } from '#contract/vocabulary/config.js';
import type { JailedPath } from '../../domain/ports/workspace/sandbox.js';
import { findUnknownDot } from '../../domain/sensitive/unknown-dot-files.js';
import { LARGEST_FILE } from '../../domain/size-bounds.js';
import type { ToolOutput } from '../../domain/tool/tool.js';
import type { HandlerOutput } from '../define-tool.js';

/** Every schema of ours says its dialect and closes its objects (seed 000 §6.3). */
export const DIALECT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  additionalProperties: false,
} as const;

/** Filled in by the executor, which sanitizes; declared by every tool, since a model can't match what it can't see. */
export const controlCharactersRemoved = Type.Optional(
  Type.Integer({ minimum: 0, description: 'How many control characters were taken out of the text.' }),
);

export const pathArgument = (what: string) =>
  Type.String({
    minLength: 1,
    description: `${what}, relative to the workspace, with forward slashes. Absolute paths and “..” are refused.`,
  });

/**
 * Makes a field that takes null too: TypeBox spells it as a union, which would hide the type from readers of the
 * schema.
 */
export const nullable = <Kind extends 'string' | 'integer'>(type: Kind, description: string) =>
  Type.Unsafe<(Kind extends 'string' ? string : number) | null>({ type: [type, 'null'], description });

/** Limits as large as the settings can give: what the person sets is what binds our own tools. */
export const OWN_TOOL_LIMITS = { maxExecutionTimeMs: 86_400_000, maxOutputBytes: LARGEST_FILE } as const;

export const fileTimeoutMs = (config: Config): number => config.tools.timeouts.file_operations_seconds * 1000;

/** Says why a call asks that changes files which other programs obey, or may obey. */
export function describeControlFiles(files: ReadonlyArray<Pick<JailedPath, 'asked' | 'relative'>>): string {
  const names = (some: typeof files) => [...new Set(some.map(({ asked }) => `“${asked}”`))].join(', ');
  const { known = [], unknown = [] } = Object.groupBy(files, ({ relative }) =>
    findUnknownDot(relative) === null ? 'known' : 'unknown',
  );
  return known.length > 0
    ? `${names([...known, ...unknown])} can make other programs run code.`
    : `${names(unknown)} may steer a program that Gatehouse doesn’t know.`;
}

/** An output that nothing else hangs on: no command, no stored streams, and changes only through the transaction. */
export const fileToolOutput = <const Structured>(
  content: string,
  structured: Structured,
  rest: Partial<
    Pick<
      ToolOutput,
      'allowTruncation' | 'around' | 'names' | 'outputBytes' | 'outputBytesLeftOut' | 'undoes' | 'warnings'
    >
  > = {},
): HandlerOutput<Structured> => ({
  content,
  structured,
  allowTruncation: true,
  outputBytes: Buffer.byteLength(content),
  outputBytesLeftOut: 0,
  storedOutputs: [],
  changedFiles: [],
  confinement: null,
  resources: null,
  ...rest,
});
