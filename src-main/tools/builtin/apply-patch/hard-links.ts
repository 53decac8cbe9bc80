import type { FileFacts, JailedDirectory, JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';

/**
 * Throws for the first file that has more names than this one. Folder by folder: a patch often changes many files of one,
 * and walking there is most of the work.
 */
export async function refuseHardLinks(paths: readonly JailedPath[], sandbox: Sandbox): Promise<void> {
  const byFolder = Map.groupBy(
    paths,
    ({ root, relative }) => `${root}\0${relative.slice(0, relative.lastIndexOf('/') + 1)}`,
  );
  for (const ofFolder of byFolder.values()) {
    const [first] = ofFolder;
    if (first === undefined) continue;
    if (ofFolder.length === 1) refuse(first, await sandbox.facts(first).catch(deferFailure));
    else await refuseInFolder(ofFolder, sandbox);
  }
}

async function refuseInFolder(paths: readonly JailedPath[], sandbox: Sandbox): Promise<void> {
  const folder = await folderOf(paths[0], sandbox);
  try {
    for (const path of paths) refuse(path, await factsOf(path, folder, sandbox));
  } finally {
    await folder?.[Symbol.asyncDispose]();
  }
}

/** Null where it can't be opened: then each file is looked at by itself, which says why. */
async function folderOf(path: JailedPath | undefined, sandbox: Sandbox): Promise<JailedDirectory | null> {
  // Not asked about as a path of its own: the call changes nothing there but the files.
  return path === undefined ? null : sandbox.openFolderOf(path).catch(() => null);
}

async function factsOf(path: JailedPath, folder: JailedDirectory | null, sandbox: Sandbox): Promise<FileFacts | null> {
  const name = path.relative.slice(path.relative.lastIndexOf('/') + 1);
  // What can't be seen from here (it is not there, most often) is looked at by itself.
  const facts = await folder?.facts(Buffer.from(name)).catch(() => null);
  return facts ?? sandbox.facts(path).catch(deferFailure);
}

function refuse({ asked }: JailedPath, facts: FileFacts | null): void {
  if (facts?.kind !== 'file' || facts.links <= 1) return;
  const message = `Refused to change “${asked}”: the file has ${facts.links} names (hard links), and some may lie outside.`;
  throw new ToolFailure({ code: 'SandboxViolation', message, attempted: asked });
}

/**
 * Leaves a failure until the call runs where it would fail like any file operation (a file on the way where a folder
 * should be).
 */
function deferFailure(error: unknown): null {
  if (error instanceof ToolFailure && error.failure.code === 'ExecutionFailed') return null;
  throw error;
}
