import type { UndoFile } from '#contract/vocabulary/undo.js';
import type { JailedPath, Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { SHOWN_OF_A_FILE } from '../../domain/size-bounds.js';
import { failureAt } from '../transaction/failures.js';
import { visitFiles, splitFilePath } from '../transaction/visit-files.js';
import { type ManifestFile, type NodeState, shownPath, wasKept } from '../transaction/transaction-manifest.js';
import { readNode, type CurrentNode } from '../transaction/workspace-file.js';
import type { TransactionDeps } from '../transaction/workspace-transactions.js';

/** A file of the record with what undo found out about it. */
export interface ExaminedFile {
  readonly file: ManifestFile;
  readonly current: CurrentNode;
  readonly folder: JailedPath | null;
  readonly problem: string | null;
}

/** Looks at the file through the jail, and says why it can't be taken back. Nothing in .git is ever touched. */
export async function examineFile(file: ManifestFile, sandbox: Sandbox): Promise<ExaminedFile> {
  const nothing = { file, current: null, folder: null };
  if (file.relative.split('/').some((part) => part.toLowerCase() === '.git')) {
    return { ...nothing, problem: 'It is inside .git, which undo never touches.' };
  }
  try {
    const folder = await validateFolder(file, sandbox);
    const current = await readCurrent(file);
    return { file, current, folder, problem: findProblem(file, current) };
  } catch (error) {
    return { ...nothing, problem: failureAt(shownPath(file), error).failure.message };
  }
}

/** The effect that undo would have on the file, with its three versions. */
export async function describeUndo(
  parts: TransactionDeps,
  { file, current, problem }: ExaminedFile,
): Promise<UndoFile> {
  return {
    path: shownPath(file),
    action: file.before === null ? 'delete' : file.after === null ? 'recreate' : 'restore',
    possible: problem === null,
    problem,
    mayBeOthers: file.mayBeOthers === true,
    rights: otherRights(file),
    before: await readShownText(parts, file.before),
    after: await readShownText(parts, file.after),
    current: decodeShownText(current?.kind === 'file' ? current.content : (current?.target ?? null)),
  };
}

/** The folder it is in, allowed anew: the workspace or the rules may be others now. */
async function validateFolder(file: ManifestFile, sandbox: Sandbox): Promise<JailedPath> {
  const isLink = file.before?.kind === 'link' || file.after?.kind === 'link';
  // Following a link that undo means to replace would judge the wrong file.
  const path = isLink ? null : await sandbox.validate(pathToValidate(file, file.relative, sandbox));
  const folder = await sandbox.validate(pathToValidate(file, splitFilePath(file).folder, sandbox));
  const same = folder.root === file.root && folder.relative === splitFilePath(file).folder;
  if (same && (path === null || path.relative === file.relative) && !sandbox.isDenied(file.relative)) return folder;
  throw new ToolFailure({ code: 'ExecutionFailed', message: 'Its path leads somewhere else now.' });
}

export const pathToValidate = ({ root }: ManifestFile, relative: string, sandbox: Sandbox): string =>
  root === sandbox.workingDirectory ? relative || '.' : `${root}/${relative}`;

async function readCurrent(file: ManifestFile): Promise<CurrentNode> {
  let current: CurrentNode = null;
  await visitFiles([file], async (folder, _, name) => {
    if (folder !== null) current = await readNode(folder, name, 'read');
  });
  return current;
}

function findProblem(file: ManifestFile, current: CurrentNode): string | null {
  if (!wasKept(file.before))
    return 'There is no copy from before: it is too large, or looked like a secret and this system has no key store.';
  const { after } = file;
  if (after === null) return current === null ? null : 'The call deleted it, and something else is there now.';
  if (current === null) return 'It was deleted after this call.';
  if (current.kind === 'link' || after.kind === 'link') {
    const same = current.kind === 'link' && after.kind === 'link' && current.target === after.target;
    return same ? null : 'It was edited after this call.';
  }
  if (current.sha256 !== after.sha256) return 'It was edited after this call.';
  if (isOtherMode(file, current.status.mode)) return 'Its permissions were changed since.';
  return current.status.links > 1 ? 'It has other names now (hard links), which may lie outside.' : null;
}

/** Where the call changed the mode, and so undo does. */
function otherRights({ before, after }: ManifestFile): UndoFile['rights'] {
  if (before?.kind !== 'file' || after?.kind !== 'file' || after.mode < 0 || before.mode === after.mode) return null;
  return { before: before.mode, after: after.mode };
}

/** Whether the mode is not what the call made of it. */
function isOtherMode(file: ManifestFile, current: number): boolean {
  const rights = otherRights(file);
  return rights !== null && current !== rights.after && current !== rights.before;
}

export async function readShownText(parts: TransactionDeps, state: NodeState | null): Promise<string | null> {
  if (state === null) return null;
  if (state.kind === 'link') return state.target;
  if (state.size > SHOWN_OF_A_FILE || state.image === null || state.image.kind === 'spare') return null;
  try {
    return decodeShownText(await parts.images.read(state.image, parts.manifests.folder));
  } catch {
    return null;
  }
}

/** Null for what is no text or too much of it. */
function decodeShownText(content: Uint8Array | string | null): string | null {
  if (content === null || typeof content === 'string') return content;
  if (content.byteLength > SHOWN_OF_A_FILE) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
