import type { QuarantineEntry, QuarantinedFile, QuarantineView } from '#contract/vocabulary/activity/quarantine.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import type { QuarantineStore, ReleaseRequest } from '../../domain/ports/workspace/quarantine-store.js';
import { MAY_STEER, findUnknownDot } from '../../domain/sensitive/unknown-dot-files.js';
import { explainSteering } from '../../domain/sensitive/sensitive-places.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { failureAt } from '../transaction/failures.js';
import { visitFiles, splitFilePath } from '../transaction/visit-files.js';
import { type ManifestFile, type NodeState, wasKept } from '../transaction/transaction-manifest.js';
import { quarantineId, keepBaseline, baselineId, quarantineFiles, statesOfRecord } from './quarantine-files.js';
import { readNode, type CurrentNode } from '../transaction/workspace-file.js';
import type { TransactionDeps } from '../transaction/workspace-transactions.js';
import { SHOWN_OF_A_FILE } from '../../domain/size-bounds.js';

export function createQuarantineStore(parts: TransactionDeps): QuarantineStore {
  const { manifests, mutex } = parts;
  return {
    keepKnown: (root, paths, asBefore) => mutex.run(() => keepBaseline(parts, root, paths, asBefore)),
    loadKnown: async (root) => {
      const record = await manifests.record(baselineId(root));
      return record === null ? null : statesOfRecord(record);
    },
    loadKnownText: async (root, path) => {
      const record = await manifests.record(baselineId(root));
      return readText(parts, record?.files.find(({ relative }) => relative === path)?.before ?? null);
    },
    quarantine: (callId, root, changes, shownBelow) =>
      mutex.run(() => quarantineFiles(parts, callId, root, changes, shownBelow)),
    listQuarantined: async (callId) =>
      (await readQuarantinedFiles(parts, callId)).map(({ file, note }) => ({ ...describeFile(file), note })),
    view: (callId, sandbox) => buildView(parts, callId, sandbox),
    stage: (request) => stagePutBack(parts, request),
  };
}

interface RecordedFile {
  readonly file: ManifestFile;
  readonly note: string | null;
}

/**
 * The quarantined files of a call by path: what each was before it was first quarantined, and what it was the last
 * time.
 */
async function readQuarantinedFiles({ manifests }: TransactionDeps, callId: string): Promise<readonly RecordedFile[]> {
  const found = new Map<string, RecordedFile>();
  for (let number = 0; ; number += 1) {
    const record = await manifests.record(quarantineId(callId, number));
    if (record === null) return [...found.values()].toSorted((a, b) => (a.file.asked < b.file.asked ? -1 : 1));
    const moved = new Map(record.moved?.map(({ relative, to }) => [relative, to]));
    for (const file of record.files) {
      if (record.stayed?.includes(file.relative) === true) continue;
      const to = moved.get(file.relative);
      const note =
        to !== undefined
          ? `It is too large to be kept; it lies in ${to} now.`
          : record.unkept?.includes(file.relative) === true
            ? 'It was a pipe, a socket or a device, with nothing in it to be kept.'
            : null;
      const first = found.get(file.asked)?.file ?? file;
      // Cut off in between, a second look finds nothing there any more.
      const after = file.after ?? first.after;
      found.set(file.asked, { file: { ...file, before: first.before, after }, note });
    }
  }
}

const changeOf = ({ before, after }: ManifestFile, note: string | null): QuarantinedFile['change'] =>
  before === null ? 'created' : after === null && note === null ? 'deleted' : 'modified';

const describeFile = (file: ManifestFile): QuarantinedFile => ({ path: shownPath(file), change: changeOf(file, null) });

/** The path as text. A name that is no valid text is shown in a readable form; all work goes by the name itself. */
const shownPath = ({ asked }: ManifestFile): string => asked.toWellFormed();

async function buildView(parts: TransactionDeps, callId: string, sandbox: Sandbox): Promise<QuarantineView | null> {
  const records = await readQuarantinedFiles(parts, callId);
  if (records.length === 0) return null;
  const files = await Promise.all(records.map((each) => buildEntry(parts, each, sandbox)));
  return { callId, files };
}

async function buildEntry(
  parts: TransactionDeps,
  { file, note }: RecordedFile,
  sandbox: Sandbox,
): Promise<QuarantineEntry> {
  const problem = note ?? (await findProblem(file, sandbox));
  return {
    path: shownPath(file),
    change: changeOf(file, note),
    note,
    what:
      explainSteering(file.asked) ??
      (findUnknownDot(file.relative) === null ? null : MAY_STEER) ??
      'the settings of Git name it, or a link leads to it from where a program looks: that program obeys it next',
    possible: problem === null,
    problem,
    before: await readText(parts, file.before),
    after: await readText(parts, file.after),
  };
}

/** Why it can't be put back now; null when it can. */
async function findProblem(file: ManifestFile, sandbox: Sandbox): Promise<string | null> {
  if (!wasKept(file.after)) return 'It is too large to be kept.';
  try {
    await validateFolder(file, sandbox);
    const current = await readCurrent(file);
    if (isState(current, file.before)) return null;
    return isState(current, file.after) ? 'It is there already.' : 'Something else stands there by now.';
  } catch (error) {
    return failureAt(file.relative, error).failure.message;
  }
}

async function readCurrent(file: ManifestFile): Promise<CurrentNode> {
  let current: CurrentNode = null;
  await visitFiles([file], async (folder, _, name) => {
    if (folder !== null) current = await readNode(folder, name, 'read');
  });
  return current;
}

function isState(seen: CurrentNode, state: NodeState | null): boolean {
  if (seen === null || state === null) return seen === state;
  if (seen.kind === 'link' || state.kind === 'link') {
    return seen.kind === 'link' && state.kind === 'link' && seen.target === state.target;
  }
  return seen.sha256 === state.sha256;
}

async function validateFolder(file: ManifestFile, sandbox: Sandbox) {
  const { folder } = splitFilePath(file);
  const relative = file.root === sandbox.workingDirectory ? folder || '.' : `${file.root}/${folder}`;
  const jailed = await sandbox.validate(relative);
  if (jailed.root === file.root && jailed.relative === folder) return jailed;
  throw new ToolFailure({ code: 'ExecutionFailed', message: 'Its path leads somewhere else now.' });
}

async function stagePutBack(parts: TransactionDeps, request: ReleaseRequest): Promise<readonly QuarantinedFile[]> {
  const { callId, paths, sandbox, transaction } = request;
  const records = await readQuarantinedFiles(parts, callId);
  const chosen = records.filter(({ file }) => paths === null || paths.includes(shownPath(file)));
  const missing = paths?.find((path) => !records.some(({ file }) => shownPath(file) === path));
  if (chosen.length === 0 || missing !== undefined) {
    const what = missing === undefined ? '' : `“${missing}”: `;
    throw new ToolFailure({ code: 'BadArgs', message: `${what}Nothing of it is kept of call ${callId}.` });
  }
  for (const { file, note } of chosen) {
    const problem = note ?? (await findProblem(file, sandbox));
    if (problem !== null) {
      throw new ToolFailure({
        code: 'ExecutionFailed',
        message: `Nothing was put back. “${shownPath(file)}”: ${problem}`,
      });
    }
    const { before, after } = file;
    await transaction.stageRestore({
      folder: await validateFolder(file, sandbox),
      name: splitFilePath(file).name,
      asked: file.relative,
      expected: before?.kind === 'file' ? { kind: 'file', sha256: before.sha256 } : before,
      wanted: after === null ? null : after.kind === 'link' ? after : await readImage(parts, after),
      pruneFolders: 0,
      folderModes: new Map(),
    });
  }
  return chosen.map(({ file }) => describeFile(file));
}

async function readImage(parts: TransactionDeps, state: Extract<NodeState, { kind: 'file' }>) {
  const content = await readContent(parts, state);
  const { mode, uid, gid } = state;
  return { kind: 'file', content, mode, owner: { uid, gid } } as const;
}

async function readContent(parts: TransactionDeps, state: Extract<NodeState, { kind: 'file' }>): Promise<Uint8Array> {
  if (state.image === null) throw new ToolFailure({ code: 'Internal', message: 'Content is asked that was not kept.' });
  try {
    return await parts.images.read(state.image, parts.manifests.folder);
  } catch (error) {
    throw failureAt('what was put aside', error);
  }
}

/** Null for what is no text, or is not there. A link is shown by where it leads. */
async function readText(parts: TransactionDeps, state: NodeState | null): Promise<string | null> {
  if (state === null) return null;
  if (state.kind === 'link') return state.target;
  if (state.size > SHOWN_OF_A_FILE || state.image === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readContent(parts, state));
  } catch {
    return null;
  }
}
