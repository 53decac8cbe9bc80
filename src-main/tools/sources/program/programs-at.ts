import { dirname, isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { FindHeldProgram } from '../../../domain/ports/sources/held-program.js';
import type { OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';
import { readDocument } from '../../../platform/reading/data-document.js';
import { digestOfFile } from '../../../platform/reading/file-digest.js';
import { filesAt, readTextFile } from '../../../platform/reading/text-file.js';
import { type Manifest, type Place, readManifest } from './manifest.js';
import { offeredProgram } from './offered-program.js';

const MOST_FILES = 1000;
const LARGEST_MANIFEST = 2 ** 20;
const IS_MANIFEST = /\.(?:json|ya?ml)$/iu;

export interface ReadProgram {
  readonly file: string;
  readonly manifest: Manifest;
  readonly places: readonly Place[];
  readonly offered: OfferedOperation;
}

/** The programs that a manifest, or each manifest of a folder, describes; null where there is neither. */
export function readPrograms(
  path: string,
  source: string,
  find: FindHeldProgram,
): { readonly programs: readonly ReadProgram[]; readonly refused: readonly RefusedOperation[] } | null {
  const found = filesAt(path, MOST_FILES);
  if (found === null) return null;
  const programs: ReadProgram[] = [];
  const refused: RefusedOperation[] = [];
  const refuse = (file: string, reason: string, line: number | null = null, what = nameOf(file)): void =>
    void refused.push({ what, file, line, eCode: 'E3008', reason });
  for (const link of found.links.filter((each) => IS_MANIFEST.test(each)))
    refuse(link, 'It is a link. Links are not followed.');
  for (const file of found.files.filter((each) => each === path || IS_MANIFEST.test(each))) {
    const text = readTextFile(file, LARGEST_MANIFEST);
    if (!text.ok) {
      refuse(file, text.problem);
      continue;
    }
    const document = readDocument(text.text);
    if (!document.ok) {
      refuse(file, document.problem, document.line);
      continue;
    }
    const read = readManifest(document.value, source);
    if (!read.ok) {
      refuse(file, read.problem, null, idIn(document.value) ?? nameOf(file));
      continue;
    }
    const { manifest, whole, places } = read;
    const runs = { files: entryFiles(manifest, dirname(file)), ...namedProgram(manifest, dirname(file), find) };
    programs.push({ file, manifest, places, offered: offeredProgram(manifest, whole, runs) });
  }
  return { programs, refused };
}

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

function idIn(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null && 'tool_id' in value ? value.tool_id : null;
  return typeof id === 'string' ? id.slice(0, 200) : null;
}

/** What the entry names that is a file, by digest: a word beside the manifest, or a path; of the system's own programs none. */
function entryFiles({ entry }: Manifest, folder: string): JsonObject {
  return Object.fromEntries(
    entry.command.flatMap((word, index) => {
      if (index === 0 && !word.includes('/')) return [];
      const path = isAbsolute(word) ? word : resolve(folder, word);
      if (SYSTEM.test(path)) return [];
      const digest = digestOfFile(path);
      return digest === null ? [] : [[word, digest]];
    }),
  );
}

/** Which program its name stands for; empty where it is a path, or none is there. */
function namedProgram({ entry: { command } }: Manifest, workingDirectory: string, find: FindHeldProgram): JsonObject {
  const [name = ''] = command;
  const program = name.includes('/') ? null : find({ command: name, workingDirectory, environment: {} });
  return program === null ? {} : { program };
}

/** Changed by the system’s own updates alone. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|gnu|System|Applications)\//u;
