import { dirname } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { FindHeldProgram } from '../../../domain/ports/sources/held-program.js';
import type { InspectedCode, CodeInspector } from '../../../domain/ports/sources/code-inspector.js';
import type { OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';
import { readDocument } from '../../../platform/reading/data-document.js';
import { sha256 } from '../../../platform/digest.js';
import { listRegularFiles, readTextFile } from '../../../platform/reading/text-file.js';
import { type ProgramManifest, type FolderAccess, readManifest } from './program-manifest.js';
import { toOfferedProgram } from './offered-program.js';

const MAX_FILES = 1000;
const MAX_MANIFEST_BYTES = 2 ** 20;
/** The limit for all files of a folder. */
const MAX_FOLDER_BYTES = 8 * 2 ** 20;
const IS_MANIFEST = /\.(?:json|ya?ml)$/iu;

export interface ProgramDefinition {
  readonly file: string;
  readonly manifest: ProgramManifest;
  readonly places: readonly FolderAccess[];
  readonly offered: OfferedOperation;
  /** The code that it can load, whole, as it was when its manifest was read. */
  readonly code: InspectedCode;
}

export interface ProgramDefinitions {
  readonly programs: readonly ProgramDefinition[];
  readonly refused: readonly RefusedOperation[];
  /** The digest of each file that was read as a manifest, by its path. */
  readonly files: Readonly<Record<string, string>>;
}

/** The programs that a manifest, or each manifest of a folder, describes; null where there is neither. */
export function readProgramDefinitions(
  path: string,
  source: string,
  { look, find }: { readonly look: CodeInspector['inspect']; readonly find: FindHeldProgram },
): ProgramDefinitions | null {
  const found = listRegularFiles(path, MAX_FILES);
  if (found === null) return null;
  const programs: ProgramDefinition[] = [];
  const refused: RefusedOperation[] = [];
  const files: Record<string, string> = {};
  let bytes = 0;
  const manifests = found.files.filter((each) => each === path || IS_MANIFEST.test(each));
  const refuse = (file: string, reason: string, line: number | null = null, what = fileName(file)): void =>
    void refused.push({ what, file, line, eCode: 'E3008', reason });
  for (const link of found.links.filter((each) => IS_MANIFEST.test(each)))
    refuse(link, 'It is a link. Links are not followed.');
  for (const file of manifests) {
    const text = readTextFile(file, MAX_MANIFEST_BYTES);
    if (!text.ok) {
      refuse(file, text.problem);
      continue;
    }
    files[file] = sha256(text.text);
    if ((bytes += Buffer.byteLength(text.text)) > MAX_FOLDER_BYTES) {
      refuse(
        file,
        `All manifests of its folder are over ${MAX_FOLDER_BYTES / 2 ** 20} MB: this one and what follows are left out.`,
      );
      continue;
    }
    const document = readDocument(text.text);
    if (!document.ok) {
      refuse(file, document.problem, document.line);
      continue;
    }
    const read = readManifest(document.value, source);
    if (!read.ok) {
      refuse(file, read.problem, null, readId(document.value) ?? fileName(file));
      continue;
    }
    const { manifest, whole, places } = read;
    const [command = '', ...args] = manifest.entry.command;
    // Started where its manifest is, so that what it names beside that is found; other tools’ manifests are no part of it.
    const leaveOut = manifests.filter((each) => each !== file);
    const code = look({ command, args, cwd: dirname(file), leaveOut, seesFolder: places.length > 0 });
    const runs = { files: { ...code.files }, ...resolveProgram(manifest, dirname(file), find) };
    const from = { file, line: findIdLine(text.text), eCode: 'E3008' };
    programs.push({ file, manifest, places, code, offered: { ...toOfferedProgram(manifest, whole, runs), from } });
  }
  return { programs, refused, files };
}

/** Where it says what it is: what is wrong with it as a whole stands from there on. */
function findIdLine(text: string): number | null {
  const at = text.search(/["']?tool_id["']?\s*:/u);
  return at === -1 ? null : text.slice(0, at).split('\n').length;
}

const fileName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

function readId(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null && 'tool_id' in value ? value.tool_id : null;
  return typeof id === 'string' ? id.slice(0, 200) : null;
}

/** The program that its name resolves to; empty where the name is a path, or none is there. */
function resolveProgram(
  { entry: { command } }: ProgramManifest,
  workingDirectory: string,
  find: FindHeldProgram,
): JsonObject {
  const [name = ''] = command;
  const program = name.includes('/') ? null : find({ command: name, workingDirectory, environment: {} });
  return program === null ? {} : { program };
}
