import type { UndoFile } from '#contract/vocabulary/undo.js';
import type { JailedPath, Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { SHOWN_OF_A_FILE } from '../../domain/size-bounds.js';
import { failureAt } from '../transaction/failures.js';
import { inFolders, placeOf } from '../transaction/folders.js';
import { type ManifestFile, type NodeState, shownPath, wasKept } from '../transaction/manifest.js';
import { look, type Seen } from '../transaction/workspace-file.js';
import type { TransactionParts } from '../transaction/workspace-transactions.js';

/** A file of the record with what undo found out about it. */
export interface Examined {
  readonly file: ManifestFile;
  readonly current: Seen;
  readonly folder: JailedPath | null;
  readonly problem: string | null;
}

/** Looks at the file through the jail, and says why it can't be taken back. Nothing in .git is ever touched. */
export async function examine(file: ManifestFile, sandbox: Sandbox): Promise<Examined> {
  const nothing = { file, current: null, folder: null };
  if (file.relative.split('/').some((part) => part.toLowerCase() === '.git')) {
    return { ...nothing, problem: 'It is inside .git, which undo never touches.' };
  }
  try {
    const folder = await folderOf(file, sandbox);
    const current = await currentOf(file);
    return { file, current, folder, problem: problemOf(file, current) };
  } catch (error) {
    return { ...nothing, problem: failureAt(shownPath(file), error).failure.message };
  }
}

/** The effect that undo would have on the file, with its three versions. */
export async function undoFileOf(parts: TransactionParts, { file, current, problem }: Examined): Promise<UndoFile> {
  return {
    path: shownPath(file),
    action: file.before === null ? 'delete' : file.after === null ? 'recreate' : 'restore',
    possible: problem === null,
    problem,
    mayBeOthers: file.mayBeOthers === true,
    rights: otherRights(file),
    before: await shown(parts, file.before),
    after: await shown(parts, file.after),
    current: textOf(current?.kind === 'file' ? current.content : (current?.target ?? null)),
  };
}

/** The folder it is in, allowed anew: the workspace or the rules may be others now. */
async function folderOf(file: ManifestFile, sandbox: Sandbox): Promise<JailedPath> {
  const isLink = file.before?.kind === 'link' || file.after?.kind === 'link';
  // Following a link that undo means to replace would judge the wrong file.
  const path = isLink ? null : await sandbox.validate(askedOf(file, file.relative, sandbox));
  const folder = await sandbox.validate(askedOf(file, placeOf(file).folder, sandbox));
  const same = folder.root === file.root && folder.relative === placeOf(file).folder;
  if (same && (path === null || path.relative === file.relative) && !sandbox.isDenied(file.relative)) return folder;
  throw new ToolFailure({ code: 'ExecutionFailed', message: 'Its path leads somewhere else now.' });
}

export const askedOf = ({ root }: ManifestFile, relative: string, sandbox: Sandbox): string =>
  root === sandbox.workingDirectory ? relative || '.' : `${root}/${relative}`;

async function currentOf(file: ManifestFile): Promise<Seen> {
  let current: Seen = null;
  await inFolders([file], async (folder, _, name) => {
    if (folder !== null) current = await look(folder, name, 'read');
  });
  return current;
}

function problemOf(file: ManifestFile, current: Seen): string | null {
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

export async function shown(parts: TransactionParts, state: NodeState | null): Promise<string | null> {
  if (state === null) return null;
  if (state.kind === 'link') return state.target;
  if (state.size > SHOWN_OF_A_FILE || state.image === null || state.image.kind === 'spare') return null;
  try {
    return textOf(await parts.images.read(state.image, parts.manifests.folder));
  } catch {
    return null;
  }
}

/** Null for what is no text or too much of it. */
function textOf(content: Uint8Array | string | null): string | null {
  if (content === null || typeof content === 'string') return content;
  if (content.byteLength > SHOWN_OF_A_FILE) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
