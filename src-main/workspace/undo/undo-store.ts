import type { UndoPreview } from '#contract/vocabulary/undo.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import type { PathImage } from '../../domain/ports/workspace/transaction.js';
import type {
  UndoCandidate,
  UndoneFile,
  UndoTarget,
  UndoRequest,
  UndoStore,
} from '../../domain/ports/workspace/undo-store.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { failureAt } from '../transaction/failures.js';
import { ancestorsOf, splitFilePath } from '../transaction/visit-files.js';
import {
  type TransactionManifest,
  type ManifestFile,
  type NodeState,
  shownPath,
} from '../transaction/transaction-manifest.js';
import type { CurrentNode } from '../transaction/workspace-file.js';
import { changedFilesOf, type TransactionDeps } from '../transaction/workspace-transactions.js';
import { type ChangeChain, chainChanges, isUnchanged, fileKey, type CallChange } from './change-chains.js';
import { listLiveChanges, planUndo } from './plan-undo.js';
import { pathToValidate, type ExaminedFile, examineFile, describeUndo } from './examine-file.js';

interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export function createUndoStore(parts: TransactionDeps): UndoStore {
  const { images, manifests, mutex } = parts;
  const inUse = () => new Set(parts.segmentsInUse.values());
  return {
    preview: (callId, sandbox) => previewUndo(parts, callId, sandbox),
    findCandidates: (request) => examineRequest(parts, request),
    stage: (request) => stageUndo(parts, request),
    listRemainingChanges: (calls) => listLiveChanges(parts, calls),
    describeRemainders: (callIds) => listLeftovers(parts, callIds),
    plan: (calls, paths, sandbox) => planUndo(parts, calls, paths, sandbox),
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

async function previewUndo(parts: TransactionDeps, callId: string, sandbox: Sandbox): Promise<UndoPreview | null> {
  const found = await examineRequest(parts, { of: [{ callId, paths: null }], sandbox });
  return found === null
    ? null
    : { callId, files: found.map(({ file }) => file), leaves: await listLeftovers(parts, [callId]) };
}

async function listLeftovers({ manifests }: TransactionDeps, callIds: readonly string[]): Promise<readonly string[]> {
  const leaves = new Set<string>();
  for (const callId of callIds) for (const each of (await manifests.record(callId))?.leaves ?? []) leaves.add(each);
  return [...leaves];
}

async function examineRequest(
  parts: TransactionDeps,
  { of, sandbox }: Omit<UndoRequest, 'transaction'>,
): Promise<readonly UndoCandidate[] | null> {
  const chains = await buildChains(parts, of);
  if (chains === null) return null;
  const found: UndoCandidate[] = [];
  for (const chain of chains) {
    const { file } = chain;
    const examined = await examineChain(chain, sandbox);
    const sha256 = file.after?.kind === 'file' ? file.after.sha256 : null;
    found.push({
      file: await describeUndo(parts, examined),
      asked: pathToValidate(file, file.relative, sandbox),
      sha256,
    });
  }
  return found;
}

async function stageUndo(parts: TransactionDeps, request: UndoRequest): Promise<readonly UndoneFile[]> {
  const chains = await buildChains(parts, request.of);
  if (chains === null) {
    const which = request.of.length === 1 ? `call ${request.of[0]?.callId ?? ''}` : 'one of these calls';
    const message = `There is no copy from before ${which}: it changed no files, or it is too long ago.`;
    throw new ToolFailure({ code: 'ExecutionFailed', message });
  }
  const examined: (readonly [ChangeChain, ExaminedFile])[] = [];
  for (const chain of chains) examined.push([chain, await examineChain(chain, request.sandbox)]);
  const problems = examined.filter(([, { problem }]) => problem !== null);
  if (problems.length > 0) {
    const list = problems.map(([, { file, problem }]) => `“${shownPath(file)}”: ${problem}`).join(' ');
    throw new ToolFailure({ code: 'ExecutionFailed', message: `Nothing was undone. ${list}` });
  }
  const undone: UndoneFile[] = [];
  for (const [chain, one] of examined) undone.push(await stageOne(parts, one, chain, request));
  return undone;
}

async function examineChain(chain: ChangeChain, sandbox: Sandbox): Promise<ExaminedFile> {
  const examined = await examineFile(chain.file, sandbox);
  return chain.broken ? { ...examined, problem: examined.problem ?? BROKEN } : examined;
}

const BROKEN = 'Something else changed it between these calls.';

/** The chains of all files that the request names, all calls together. Null where nothing is kept of one of them. */
async function buildChains(parts: TransactionDeps, of: readonly UndoTarget[]): Promise<readonly ChangeChain[] | null> {
  const links = new Map<string, [CallChange, ...CallChange[]]>();
  for (const { callId, paths } of of) {
    const record = await parts.manifests.record(callId);
    if (record === null) return null;
    for (const file of chooseFiles(record, paths)) {
      const known = links.get(fileKey(file));
      if (known === undefined) links.set(fileKey(file), [{ record, file }]);
      else known.push({ record, file });
    }
  }
  const chains = [...links.values()].map(chainChanges);
  // What one call made and a later one took away needs nothing.
  return of.length === 1 ? chains : chains.filter(({ file }) => !isUnchanged(file));
}

function chooseFiles(record: TransactionManifest, paths: readonly string[] | null): readonly ManifestFile[] {
  if (paths === null) return record.files;
  return paths.map((path) => {
    const file = record.files.find((each) => [shownPath(each), each.relative, each.asked].includes(path));
    if (file !== undefined) return file;
    const message = `Call ${record.callId} did not change “${path}”. It changed: ${record.files.map(shownPath).join(', ')}.`;
    throw new ToolFailure({ code: 'BadArgs', message });
  });
}

async function stageOne(
  parts: TransactionDeps,
  one: ExaminedFile,
  { records }: ChangeChain,
  request: UndoRequest,
): Promise<UndoneFile> {
  const { file, folder, current } = one;
  const path = shownPath(file);
  if (folder === null) throw new ToolFailure({ code: 'Internal', message: `“${path}” was not examined.` });
  const { before, after } = file;
  const expected = after?.kind === 'file' ? { kind: after.kind, sha256: after.sha256 } : after;
  const kept = { mode: keptMode(file, current), owner: otherOwner(file) };
  const wanted = before === null ? null : await readImage(parts, before, kept);
  const { name } = splitFilePath(file);
  const pruneFolders = countCreatedAbove(file, records);
  const folderModes = new Map(
    records.flatMap(({ removed }) => removed ?? []).map(({ relative, mode }) => [relative, mode]),
  );
  const restore = { folder, name, asked: file.asked, expected, wanted, pruneFolders, folderModes };
  await request.transaction.stageRestore(restore);
  const action = before === null ? 'deleted' : after === null ? 'recreated' : 'restored';
  return { path, action, sha256: before?.kind === 'file' ? before.sha256 : null };
}

/** How many of the folders above the file the calls created: they go with it, if nothing else is in them. */
function countCreatedAbove(file: ManifestFile, records: readonly TransactionManifest[]): number {
  const folders = records.flatMap((record) => record.folders);
  const created = new Set(folders.filter(({ root }) => root === file.root).map(({ relative }) => relative));
  return ancestorsOf(splitFilePath(file).folder).filter((folder) => created.has(folder)).length;
}

/** A mode that the call did not change is the person's to change since. */
function keptMode({ before, after }: ManifestFile, current: CurrentNode): number | null {
  const unchanged = before?.kind === 'file' && after?.kind === 'file' && before.mode === after.mode;
  return unchanged && current?.kind === 'file' ? current.status.mode : null;
}

/**
 * The owner to restore: of a file that was deleted, or that a command gave to somebody else; null where it is right.
 */
function otherOwner({ before, after }: ManifestFile): FileOwner | null {
  if (before?.kind !== 'file' || after?.kind === 'link') return null;
  const { uid, gid } = before;
  return after === null || after.uid !== uid || after.gid !== gid ? { uid, gid } : null;
}

async function readImage(
  parts: TransactionDeps,
  state: NodeState,
  { mode, owner }: { readonly mode: number | null; readonly owner: FileOwner | null },
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
