import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SheetCall } from './sheet-call.js';

export const NOT_EDITABLE = 'This file can’t be edited here. Edit the arguments instead.';

const inLf = (text: string): string => text.replaceAll('\r\n', '\n');

/** The arguments with which this call leaves the file so, and all its others as they would be; null where there are none. */
export function argumentsForEdit(
  { asked: { call }, effect }: SheetCall,
  path: string,
  content: string,
): JsonObject | null {
  if (effect.kind !== 'files' || call.tool.findArgumentsFor === undefined) return null;
  const files = effect.files.map((file) => ({
    path: file.path,
    before: file.before,
    after: file.path === path ? content : file.after,
    known: file.change === 'created' || file.before !== null,
  }));
  const whole = files.flatMap(({ known, after, ...file }) => (known && after !== null ? [{ ...file, after }] : []));
  if (whole.length < files.length || !files.some((file) => file.path === path)) return null;
  return call.tool.findArgumentsFor(call.arguments, whole);
}

/** Whether it leaves the file so, line ends aside: those are the file's own. */
export const leavesFileAs = ({ effect }: SheetCall, path: string, content: string): boolean =>
  effect.kind === 'files' &&
  effect.files.some((file) => file.path === path && file.after !== null && inLf(file.after) === inLf(content));
