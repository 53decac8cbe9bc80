import type { PatchedFile } from './patch.js';

export type FileParseResult =
  { readonly ok: true; readonly file: PatchedFile } | { readonly ok: false; readonly problem: string };

/** A file as LP1 sees it: lines, whether the last one ends with a newline, and which kind of newline. */
export function parseFile(text: string): FileParseResult {
  const kinds = detectNewlines(text);
  if (kinds.bareReturn) return { ok: false, problem: 'it has a carriage return without a line feed' };
  if (kinds.lf && kinds.crlf) return { ok: false, problem: 'it mixes LF and CRLF newlines' };
  const newline = kinds.crlf ? '\r\n' : '\n';
  const lines = text.split(newline);
  const finalNewline = text.endsWith('\n');
  // After the last newline, and in an empty file, there is no line.
  if (lines.at(-1) === '') lines.pop();
  return { ok: true, file: { lines, finalNewline, newline, created: false, refusedFinalNewline: false } };
}

export function formatFile(file: PatchedFile): string {
  return file.lines.join(file.newline) + (file.finalNewline ? file.newline : '');
}

function detectNewlines(text: string): { lf: boolean; crlf: boolean; bareReturn: boolean } {
  const kinds = { lf: false, crlf: false, bareReturn: false };
  if (!text.includes('\r')) return { ...kinds, lf: text.includes('\n') };
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 1)) {
    if (text[at + 1] === '\n') kinds.crlf = true;
    else kinds.bareReturn = true;
  }
  for (let at = text.indexOf('\n'); at !== -1 && !kinds.lf; at = text.indexOf('\n', at + 1)) {
    kinds.lf = text[at - 1] !== '\r';
  }
  return kinds;
}
