import type { ParsedWords } from './option-parser.js';
import type { CommandContext } from './command-context.js';
import { wordText } from '../word-values.js';

interface PatchedFile {
  readonly path: string;
  readonly does: 'changes' | 'deletes';
}

/** `git apply`, `git am`: what the patches that they are given change. Of what can't be read before, nothing is known. */
export function recordPatchedFiles({ operands, given }: ParsedWords, { walk, scope, input }: CommandContext): void {
  const { record } = walk;
  const strip = Number(given.options.get('p') ?? 1);
  const folder = given.options.get('directory') ?? '';
  const showsOnly = ['check', 'stat', 'numstat', 'summary'].some((each) => given.options.has(each));
  if (showsOnly && !given.options.has('apply')) return;
  const cwd = scope.cwds?.[0] ?? '';
  for (const arg of operands) {
    const file = wordText(arg);
    const text = file === null || file === '-' ? null : record.folder.text(cwd === '' ? file : `${cwd}/${file}`);
    if (text !== null) note(text, arg);
  }
  if (operands.length === 0 && input.kind === 'pipe' && input.output.kind === 'text') note(input.output.text, null);

  function note(text: string, at: { readonly start: number; readonly end: number } | null): void {
    for (const { path, does } of listPatchedFiles(text, Number.isInteger(strip) ? strip : 1))
      record.path(folder === '' ? path : `${folder}/${path}`, does, scope.cwds, at ?? { start: 0, end: 0 });
  }
}

const MAX_PATCHED_FILES = 500;

function listPatchedFiles(text: string, strip: number): readonly PatchedFile[] {
  const found = new Map<string, PatchedFile>();
  const add = (written: string, does: PatchedFile['does'], parts = strip): void => {
    const path = unquoteName(written).split('/').slice(parts).join('/');
    if (path !== '' && found.size < MAX_PATCHED_FILES) found.set(path, { path, does });
  };
  let from: string | null = null;
  for (const line of text.split('\n')) {
    const [, kind = '', written = ''] = /^(--- |\+\+\+ |rename (?:from|to) |copy to )([^\t\r]*)/u.exec(line) ?? [];
    const [, both = ''] = /^diff --git (.*?)\r?$/u.exec(line) ?? [];
    if (kind === '--- ') from = written.trim();
    else if (kind === '+++ ') {
      if (written.trim() !== '/dev/null') add(written.trim(), 'changes');
      else if (from !== null) add(from, 'deletes');
      from = null;
    } else if (kind === 'rename from ') add(written.trim(), 'deletes', 0);
    else if (kind !== '') add(written.trim(), 'changes', 0);
    else if (both !== '') {
      // A file without lines, such as an empty or a binary one, has its head alone.
      const [, last = ''] = /(?:^|\s)("[^"]*"|b\/.*)$/u.exec(both) ?? [];
      if (last !== '') add(last, 'changes');
    }
  }
  return [...found.values()];
}

/** Decodes a name with other letters in it, as Git writes it. */
const unquoteName = (written: string): string =>
  /^".*"$/u.test(written)
    ? new TextDecoder().decode(
        Uint8Array.from(
          written
            .slice(1, -1)
            .replaceAll(/\\([0-7]{3})/gu, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
            .replaceAll(/\\(.)/gu, '$1'),
          (letter) => letter.charCodeAt(0),
        ),
      )
    : written;
