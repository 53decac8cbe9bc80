import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyOperations } from './apply.js';
import { parsePatch } from './parse.js';
import type { PatchedFile } from './patch.js';
import { contentLines } from './patch.test-support.js';
import { formatFile, parseFile } from './text-file.js';
import { writePatch } from './write.js';

/** Applies a patch to one file: gives its path and its text after it. */
function applied(patch: string, before: string | null): { readonly path: string; readonly after: string | null } {
  const parsed = parsePatch(patch);
  if (!parsed.ok) throw new Error(parsed.error.problem);
  const [section] = parsed.patch.sections;
  const read = before === null ? null : parseFile(before);
  let file: PatchedFile | null = read?.ok === true ? read.file : null;
  const steps = applyOperations(file, section?.operations ?? []);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  if (!step.value.ok) throw new Error(step.value.error.problem);
  file = step.value.file;
  return { path: section?.path ?? '', after: file === null ? null : formatFile(file) };
}

const text = fc
  .tuple(fc.array(contentLines, { maxLength: 6 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));
const path = fc.constantFrom('a.txt', 'my file.ts', 'a"b\\c', '.x');

it('makes of any file exactly what it shall be, whatever either holds', () => {
  fc.assert(
    fc.property(path, fc.option(text), text, (name, before, after) => {
      const patch = writePatch([{ path: name, before, after }]) ?? '';
      // A file that stays empty, or is made empty, has nothing to say about its end.
      expect(applied(patch, before)).toEqual({ path: name, after });
    }),
    { numRuns: 2000 },
  );
});

it('keeps the line ends of the file, and has no words for mixed ones', () => {
  const patch = writePatch([{ path: 'a', before: 'one\r\ntwo\r\n', after: 'one\n2\n' }]) ?? '';
  expect(applied(patch, 'one\r\ntwo\r\n').after).toBe('one\r\n2\r\n');
  expect(writePatch([{ path: 'a', before: 'one\r\ntwo\n', after: 'x' }])).toBeNull();
});
