import fc from 'fast-check';
import type { PatchOperation, PatchSection } from './patch.js';

/** Writes sections as LP1 text: what the parser must give back. */
export function formatPatch(sections: readonly PatchSection[], newline: '\n' | '\r\n' = '\n'): string {
  const lines = sections.flatMap((section) => [
    `F ${formatPath(section.path)}`,
    ...section.operations.flatMap(formatOne),
  ]);
  return ['LP1', ...lines, 'END', ''].join(newline);
}

function formatPath(path: string): string {
  return /^[^"\s][^ \t]*$/.test(path) ? path : `"${path.replace(/["\\]/g, String.raw`\$&`)}"`;
}

function formatOne(operation: PatchOperation): readonly string[] {
  if (operation.kind === 'N') return [`N ${operation.finalNewline ? '+' : '-'}`];
  if ('added' in operation) return [operation.kind, ...formatBlock(operation.added)];
  const head = operation.occurrence === null ? operation.kind : `${operation.kind} ${operation.occurrence}`;
  const replacement = operation.kind === 'E' ? [] : formatBlock(operation.replacement);
  return [head, ...formatBlock(operation.find), ...replacement];
}

function formatBlock(lines: readonly string[]): readonly string[] {
  return [...lines.map((line) => (line.startsWith('.') ? `.${line}` : line)), '.'];
}

/** Few different lines, so that matches are met often; dots, blanks and look-alikes of the language among them. */
export const contentLines = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', '', '.', '..', '.x', 'END', 'LP1', '# c', ' F a', 'é😀', ' .') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')) },
);

const blocks = fc.array(contentLines, { maxLength: 4 });
const nonEmptyBlocks = fc.array(contentLines, { minLength: 1, maxLength: 3 });

export const operationArbitrary: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('R' as const, 'I' as const, 'P' as const),
    line: fc.constant(0),
    occurrence: fc.option(fc.integer({ min: 1, max: 4 })),
    find: nonEmptyBlocks,
    replacement: blocks,
  }),
  fc.record({
    kind: fc.constant('E' as const),
    line: fc.constant(0),
    occurrence: fc.option(fc.integer({ min: 1, max: 4 })),
    find: nonEmptyBlocks,
    replacement: fc.constant([]),
  }),
  fc.record({ kind: fc.constantFrom('T' as const, 'B' as const), line: fc.constant(0), added: blocks }),
  fc.record({ kind: fc.constant('N' as const), line: fc.constant(0), finalNewline: fc.boolean() }),
);

export const patches: fc.Arbitrary<readonly PatchSection[]> = fc.array(
  fc.record({
    path: fc.oneof(
      fc.constantFrom('a', 'src/b.ts', 'my file', 'q"\\', ' x '),
      fc.string({ minLength: 1 }).map(oneLine),
    ),
    line: fc.constant(0),
    operations: fc.array(operationArbitrary, { maxLength: 4 }),
  }),
  { maxLength: 4 },
);

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, '_');
}
