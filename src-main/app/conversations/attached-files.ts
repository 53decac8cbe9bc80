import type { PersonPart } from '../../domain/conversation/message.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { JailedFile } from '../../domain/ports/workspace/sandbox.js';
import { type FindsSecrets, ToolFailure } from '../../domain/tool/tool.js';
import { isSecretFile } from '../../tools/builtin/secret-file.js';

type AttachedFile = Extract<PersonPart, { readonly kind: 'file' }>;

/**
 * Files that the person gives to the model, as they are read now, through the jail. Like any file they are bounded; one of secrets
 * is not given: what a model gets of one it asks for, so that the person sees what of it. Throws ToolFailure.
 */
export async function readAttached(
  paths: readonly string[],
  { sandbox, config, workspace }: PlanningSituation,
  findsSecrets: FindsSecrets,
): Promise<readonly AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const asked of new Set(paths)) {
    const path = await sandbox.validate(asked);
    if (await isSecretFile(path, { sandbox, findsSecrets })) throw failed(asked, KEEPS_SECRETS);
    await using file = await sandbox.openFile(path);
    const text = textOf(await bytesOf(file, config.tools.read_file.max_file_read_bytes, asked));
    if (text === null) throw failed(asked, 'is no text in UTF-8, so it can’t be attached.');
    // The path is of the root that the file was read in: a link may lead from one into another.
    files.push({ kind: 'file', path: path.root === workspace ? path.relative : path.absolute, text });
  }
  return files;
}

const KEEPS_SECRETS =
  'is a file of secrets, so it isn’t attached. Let the model read it: then you are asked, and no value goes out.';

async function bytesOf(file: JailedFile, most: number, asked: string): Promise<Uint8Array> {
  const bytes = Buffer.alloc(Math.min(file.facts.size, most) + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = await file.read(bytes.subarray(length), length);
  if (length > most || length === bytes.length)
    throw failed(asked, `has more than the ${most} bytes that are read at once. Say which lines of it are meant.`);
  return bytes.subarray(0, length);
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const failed = (asked: string, why: string): ToolFailure =>
  new ToolFailure({ code: 'ExecutionFailed', message: `“${asked}” ${why}` });
