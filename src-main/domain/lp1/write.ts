import { parseFile } from './text-file.js';

/** A file's text, null where there is none, and the wanted text. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/**
 * Writes a patch that turns each file into exactly the wanted one, or null where LP1 has no words for that. Each file
 * is replaced whole: that matches once, whatever it holds.
 */
export function writePatch(files: readonly FileChange[]): string | null {
  const sections: string[] = [];
  for (const { path, before, after } of files) {
    const from = before === null ? null : parseFile(before);
    const to = parseFile(after);
    if (from?.ok === false || !to.ok) return null;
    const old = from?.file ?? null;
    const changes =
      old === null || old.lines.length === 0
        ? ['T', ...formatLines(to.file.lines)]
        : ['R', ...formatLines(old.lines), ...formatLines(to.file.lines)];
    const ending = to.file.lines.length === 0 ? [] : [to.file.finalNewline ? 'N +' : 'N -'];
    sections.push(`F "${path.replaceAll(/[\\"]/gu, (sign) => `\\${sign}`)}"`, ...changes, ...ending);
  }
  return ['LP1', ...sections, 'END', ''].join('\n');
}

const formatLines = (lines: readonly string[]): readonly string[] => [
  ...lines.map((line) => (line.startsWith('.') ? `.${line}` : line)),
  '.',
];
