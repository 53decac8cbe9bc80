import { listenForPipes, type PipeListener } from '../doors/stdio/pipe-listener.js';
import type { Agents } from '../domain/ports/agents.js';
import type { ComposedDoors } from './doors.js';

interface PipeDoorParts {
  readonly dataDir: string;
  readonly agents: Agents;
  readonly doors: Pick<ComposedDoors, 'connectPipe'>;
  readonly onProblem: (text: string) => void;
}

/** Where `--mcp-stdio` comes in, for as long as the app runs. Null where it can't, which the person is told. */
export async function openPipeDoor({ dataDir, agents, doors, onProblem }: PipeDoorParts): Promise<PipeListener | null> {
  try {
    return await listenForPipes(dataDir, async (stream, { agent }) => {
      if (agent !== null && agents.statusOf(agent) === 'revoked')
        return `The person revoked ${agent}. Only they can let it in again (Settings, Connect an agent).`;
      return doors.connectPipe(stream, agent);
    });
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return null;
  }
}
