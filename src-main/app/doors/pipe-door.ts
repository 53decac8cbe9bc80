import { homedir } from 'node:os';
import type { Hello, Welcome } from '../../doors/stdio/hello.js';
import { listenForPipes, type PipeListener } from '../../doors/stdio/pipe-listener.js';
import type { PipePlace } from '../../doors/mcp/pipe.js';
import { NOT_PERMITTED } from '../../domain/call/failures.js';
import { type FolderSurroundings, mayOfferFolder } from '../../domain/policy/work-folders.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import { resolveRealPath } from '../../platform/data-folder/paths.js';
import type { FolderQuestions } from '../state/folders/folder-questions.js';
import type { ComposedDoors } from './doors.js';
import { admissionTo, NEVER_ADMITTED } from './folder-admission.js';
import type { TestCalls } from './test-calls.js';
import { findFolder, type FoundFolder } from './pipe-folder.js';

interface PipeDoorParts {
  readonly dataDir: string;
  readonly agents: Agents;
  readonly folders: DoorFolders;
  /** Real paths of all folders that are open. */
  readonly open: () => readonly string[];
  readonly questions: Pick<FolderQuestions, 'ask' | 'openedBefore' | 'refusedBefore' | 'refused'>;
  readonly tests: Pick<TestCalls, 'take'>;
  readonly doors: Pick<ComposedDoors, 'connectPipe' | 'pipeRefused'>;
  readonly onProblem: (text: string) => void;
}

/** Where `--mcp-stdio` comes in, for as long as the app runs. Null where it can't, which the person is told. */
export async function openPipeDoor(parts: PipeDoorParts): Promise<PipeListener | null> {
  const { dataDir, agents, doors, onProblem } = parts;
  try {
    return await listenForPipes(dataDir, async (stream, hello): Promise<Welcome> => {
      const { agent } = hello;
      if (agent !== null && agents.getStatus(agent) === 'revoked')
        return refused(`The user revoked ${agent}. Only they can let it in again, under Agents.`);
      if (hello.knocks) {
        const problem = await doors.pipeRefused(agent);
        return problem === null ? { ok: true, workspace: '' } : refused(problem);
      }
      if (hello.test !== null && !parts.tests.take(hello.test))
        return refused('This test call is over. Press “Test call” again.');
      const found = await resolvePipeFolder(parts, hello);
      if ('problem' in found) return refused(found.problem);
      const problem = await doors.connectPipe(stream, agent, { ...found, isTest: hello.test !== null });
      return problem === null ? { ok: true, workspace: found.folder } : refused(problem);
    });
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return null;
  }
}

const refused = (problem: string): Welcome => ({ ok: false, problem });

async function resolvePipeFolder(
  { dataDir, folders, open, questions }: PipeDoorParts,
  { agent, workspace, place, settled, pipe }: Hello,
): Promise<Omit<PipePlace, 'isTest'> | { readonly problem: string }> {
  if (workspace !== null) {
    const opened = await folders.openBeside(workspace, agent);
    if (opened === null) return { problem: `${NOT_PERMITTED.code}: ${NOT_PERMITTED.message}` };
    return 'problem' in opened ? opened : { folder: opened.path, admission: null };
  }
  const around: FolderSurroundings = {
    home: (await resolveRealPath(homedir())) ?? homedir(),
    dataDir,
    open: open(),
    mayUse: (folder) => folders.mayUse(agent, folder),
  };
  const found = settled === null ? await findFolder(place, around) : findReturningFolder(settled, around);
  if (found.kind === 'none') return { folder: '', admission: NEVER_ADMITTED };
  const { path } = found;
  if (found.kind === 'open') return { folder: path, admission: null };
  // What the person opened for it before is opened now: its list of tools is that folder's.
  if (await questions.openedBefore(agent, path)) return { folder: path, admission: null };
  return { folder: path, admission: admissionTo({ folder: path, pipe }, questions, () => open().includes(path)) };
}

/** Finds the folder of a pipe that comes back: it works where it did. */
function findReturningFolder(path: string, around: FolderSurroundings): FoundFolder {
  if (around.open.includes(path)) return around.mayUse(path) ? { kind: 'open', path } : { kind: 'none' };
  return mayOfferFolder(path, around) ? { kind: 'closed', path } : { kind: 'none' };
}
