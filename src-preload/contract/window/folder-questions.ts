/** An agent was started in a folder that isn't open, and asks for something there. */
export interface FolderQuestion {
  readonly id: string;
  /** The folder, by its real path. */
  readonly folder: string;
  readonly agent: string | null;
  /** The name that its program gives itself. */
  readonly client: string | null;
  readonly since: number;
  /** How many calls wait for the answer, and the first of them. */
  readonly waiting: number;
  readonly callId: string;
  readonly batchId: string;
  readonly tool: string;
  /** How often the person has said “Not now” to it about this folder: from the second time on it is told so. */
  readonly refused: number;
}

export const FOLDER_ANSWERS = ['open', 'not-now', 'never'] as const;
export type FolderAnswer = (typeof FOLDER_ANSWERS)[number];

/** Words who was started there, for a sentence; `name` is shown as code. */
export const describeFolderAsker = ({ agent, client }: Pick<FolderQuestion, 'agent' | 'client'>): string =>
  agent ?? (client === null ? 'An agent' : `An agent (reports as ${client})`);

export const describeFolderQuestion = (question: Pick<FolderQuestion, 'agent' | 'client'>, folder: string): string =>
  `${describeFolderAsker(question)} was started in ${folder}. Open it here?`;
