import type { UndoFile, UndoPreview } from '#contract/vocabulary/undo.js';
import type { JailedPath, Sandbox } from '../../domain/ports/sandbox.js';
import type { PathImage } from '../../domain/ports/transaction.js';
import type { UndoLook, UndoneFile, UndoRequest, UndoStore } from '../../domain/ports/undo-store.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { failureAt } from '../transaction/failures.js';
import { ancestorsOf, inFolders, placeOf } from '../transaction/folders.js';
import { type Manifest, type ManifestFile, type NodeState, shownPath, wasKept } from '../transaction/manifest.js';
import { look, type Seen } from '../transaction/workspace-file.js';
import { changedFilesOf, type TransactionParts } from '../transaction/workspace-transactions.js';
import { SHOWN_OF_A_FILE } from '../../domain/size-bounds.js';

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** A file of the record with what undo found out about it. */
interface Examined {
  readonly file: ManifestFile;
  readonly current: Seen;
  readonly folder: JailedPath | null;
  readonly problem: string | null;
}

export function createUndoStore(parts: TransactionParts): UndoStore {
  const { images, manifests, mutex } = parts;
  const inUse = () => new Set(parts.segmentsInUse.values());
  return {
    preview: (callId, sandbox) => preview(parts, callId, sandbox),
    look: (request) => looks(parts, request),
    stage: (request) => stage(parts, request),
    changedFiles: async (callId) => {
      const record = await manifests.record(callId);
      return record === null ? null : changedFilesOf(record);
    },
    prune: (olderThan) =>
      mutex.run(async () => {
        await images.forgetOlder(olderThan, inUse());
        await images.evict(inUse());
      }),
  };
}

async function preview(parts: TransactionParts, callId: string, sandbox: Sandbox): Promise<UndoPreview | null> {
  const found = await looks(parts, { callId, paths: null, sandbox });
  return found === null ? null : { callId, files: found.map(({ file }) => file) };
}

async function looks(
  parts: TransactionParts,
  { callId, paths, sandbox }: Omit<UndoRequest, 'transaction'>,
): Promise<readonly UndoLook[] | null> {
  const record = await parts.manifests.record(callId);
  if (record === null) return null;
  const found: UndoLook[] = [];
  for (const file of chosen(record, paths)) {
    const { current, problem } = await examine(file, sandbox);
    const shownFile: UndoFile = {
      path: shownPath(file),
      action: file.before === null ? 'delete' : file.after === null ? 'recreate' : 'restore',
      possible: problem === null,
      problem,
      rights: otherRights(file),
      before: await shown(parts, file.before),
      after: await shown(parts, file.after),
      current: textOf(current?.kind === 'file' ? current.content : (current?.target ?? null)),
    };
    const sha256 = file.after?.kind === 'file' ? file.after.sha256 : null;
    found.push({ file: shownFile, asked: askedOf(file, file.relative, sandbox), sha256 });
  }
  return found;
}

async function stage(parts: TransactionParts, request: UndoRequest): Promise<readonly UndoneFile[]> {
  const record = await parts.manifests.record(request.callId);
  if (record === null) {
    const message = `Nothing is kept of what call ${request.callId} changed: it changed no files, or it is too long ago.`;
    throw new ToolFailure({ code: 'ExecutionFailed', message });
  }
  const examined: Examined[] = [];
  for (const file of chosen(record, request.paths)) examined.push(await examine(file, request.sandbox));
  const problems = examined.filter(({ problem }) => problem !== null);
  if (problems.length > 0) {
    const list = problems.map(({ file, problem }) => `“${shownPath(file)}”: ${problem}`).join(' ');
    throw new ToolFailure({ code: 'ExecutionFailed', message: `Nothing was undone. ${list}` });
  }
  const undone: UndoneFile[] = [];
  for (const one of examined) undone.push(await stageOne(parts, one, record, request));
  return undone;
}

function chosen(record: Manifest, paths: readonly string[] | null): readonly ManifestFile[] {
  if (paths === null) return record.files;
  return paths.map((path) => {
    const file = record.files.find((each) => [shownPath(each), each.relative, each.asked].includes(path));
    if (file !== undefined) return file;
    const message = `Call ${record.callId} did not change “${path}”. It changed: ${record.files.map(shownPath).join(', ')}.`;
    throw new ToolFailure({ code: 'BadArgs', message });
  });
}

async function stageOne(
  parts: TransactionParts,
  one: Examined,
  record: Manifest,
  request: UndoRequest,
): Promise<UndoneFile> {
  const { file, folder, current } = one;
  const path = shownPath(file);
  if (folder === null) throw new ToolFailure({ code: 'Internal', message: `“${path}” was not examined.` });
  const { before, after } = file;
  const expected = after?.kind === 'file' ? { kind: after.kind, sha256: after.sha256 } : after;
  const kept = { mode: keptMode(file, current), owner: otherOwner(file) };
  const wanted = before === null ? null : await imageOf(parts, before, kept);
  const { name } = placeOf(file);
  const pruneFolders = createdAbove(file, record);
  const folderModes = new Map(record.removed?.map(({ relative, mode }) => [relative, mode]));
  const restore = { folder, name, asked: file.asked, expected, wanted, pruneFolders, folderModes };
  await request.transaction.stageRestore(restore);
  const action = before === null ? 'deleted' : after === null ? 'recreated' : 'restored';
  return { path, action, sha256: before?.kind === 'file' ? before.sha256 : null };
}

/** How many of the folders above the file the call created: they go with it, if nothing else is in them. */
function createdAbove(file: ManifestFile, record: Manifest): number {
  const created = new Set(record.folders.filter(({ root }) => root === file.root).map(({ relative }) => relative));
  return ancestorsOf(placeOf(file).folder).filter((folder) => created.has(folder)).length;
}

/** A mode that the call did not change is the person's to change since. */
function keptMode({ before, after }: ManifestFile, current: Seen): number | null {
  const unchanged = before?.kind === 'file' && after?.kind === 'file' && before.mode === after.mode;
  return unchanged && current?.kind === 'file' ? current.status.mode : null;
}

/** Of a file that went, or that a command gave to somebody else; null where there is nothing to put right. */
function otherOwner({ before, after }: ManifestFile): Owner | null {
  if (before?.kind !== 'file' || after?.kind === 'link') return null;
  const { uid, gid } = before;
  return after === null || after.uid !== uid || after.gid !== gid ? { uid, gid } : null;
}

async function imageOf(
  parts: TransactionParts,
  state: NodeState,
  { mode, owner }: { readonly mode: number | null; readonly owner: Owner | null },
): Promise<PathImage> {
  if (state.kind === 'link') return state;
  if (state.image === null)
    throw new ToolFailure({ code: 'Internal', message: 'An image is asked that was not kept.' });
  try {
    const content = await parts.images.read(state.image, parts.manifests.folder);
    return { kind: 'file', content, mode: mode ?? state.mode, owner };
  } catch (error) {
    throw failureAt('what is kept for undo', error);
  }
}

/** Looks at the file through the jail, and says why it can't be taken back. Nothing in .git is ever touched. */
async function examine(file: ManifestFile, sandbox: Sandbox): Promise<Examined> {
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

const askedOf = ({ root }: ManifestFile, relative: string, sandbox: Sandbox): string =>
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
    return 'What it was before was not kept: it is too large, or held what looks like a secret and this system has no key store.';
  const { after } = file;
  if (after === null) return current === null ? null : 'It was deleted by the call, and something stands there now.';
  if (current === null) return 'It was removed since.';
  if (current.kind === 'link' || after.kind === 'link') {
    const same = current.kind === 'link' && after.kind === 'link' && current.target === after.target;
    return same ? null : 'It was changed since.';
  }
  if (current.sha256 !== after.sha256) return 'It was changed since.';
  if (isOtherMode(file, current.status.mode)) return 'Its rights were changed since.';
  return current.status.links > 1 ? 'It has other names now (hard links), which may lie outside.' : null;
}

/** Where the call changed the mode, and so undo does. */
function otherRights({ before, after }: ManifestFile): UndoFile['rights'] {
  if (before?.kind !== 'file' || after?.kind !== 'file' || after.mode < 0 || before.mode === after.mode) return null;
  return { before: before.mode, after: after.mode };
}

/** It must be what the call made of it. */
function isOtherMode(file: ManifestFile, current: number): boolean {
  const rights = otherRights(file);
  return rights !== null && current !== rights.after && current !== rights.before;
}

async function shown(parts: TransactionParts, state: NodeState | null): Promise<string | null> {
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
