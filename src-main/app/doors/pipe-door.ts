import type { Hello, Welcome } from '../../doors/stdio/hello.js';
import { listenForPipes, type PipeListener } from '../../doors/stdio/pipe-listener.js';
import { notPermitted } from '../../domain/call/failures.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { FoldersAtDoor } from '../../domain/ports/folders-at-door.js';
import type { ComposedDoors } from './doors.js';

interface PipeDoorParts {
  readonly dataDir: string;
  readonly agents: Agents;
  readonly folders: FoldersAtDoor;
  readonly doors: Pick<ComposedDoors, 'connectPipe'>;
  readonly onProblem: (text: string) => void;
}

/** Where `--mcp-stdio` comes in, for as long as the app runs. Null where it can't, which the person is told. */
export async function openPipeDoor({
  dataDir,
  agents,
  folders,
  doors,
  onProblem,
}: PipeDoorParts): Promise<PipeListener | null> {
  try {
    return await listenForPipes(dataDir, async (stream, hello): Promise<Welcome> => {
      const { agent } = hello;
      if (agent !== null && agents.statusOf(agent) === 'revoked')
        return refused(`The user revoked ${agent}. Only they can let it in again, under Agents.`);
      const found = await whereItWorks(folders, hello);
      if ('problem' in found) return refused(found.problem);
      const problem = await doors.connectPipe(stream, agent, found.path);
      return problem === null ? { ok: true, workspace: found.path } : refused(problem);
    });
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return null;
  }
}

const refused = (problem: string): Welcome => ({ ok: false, problem });

async function whereItWorks(
  folders: FoldersAtDoor,
  { agent, workspace, opens }: Hello,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  const mayNot = { problem: `${notPermitted.code}: ${notPermitted.message}` };
  if (workspace !== null && opens) return (await folders.beside(workspace, agent)) ?? mayNot;
  const path = await folders.begin(workspace, agent);
  return path === null ? mayNot : { path };
}
