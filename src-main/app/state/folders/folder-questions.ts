import { randomUUID } from 'node:crypto';
import type { FolderAnswer, FolderQuestion } from '#contract/window/folder-questions.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { CallAwaitingFolder } from '../../../domain/ports/gate/gate.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { AgentFolders } from './agent-folders.js';

export interface FolderQuestionsParts {
  readonly kept: AgentFolders;
  /** Opens it beside what is open. Null, or why it can't be. */
  readonly openBeside: (folder: string) => Promise<string | null>;
  readonly isOpen: (folder: string) => boolean;
  /** Set where nobody sees a window. */
  readonly unattended: boolean;
  readonly clock: Clock;
  readonly publish: (questions: readonly FolderQuestion[]) => void;
}

interface Waiter extends CallAwaitingFolder {
  readonly end: (refused: Failure | null) => void;
}

interface OpenFolderQuestion {
  readonly id: string;
  readonly agent: string | null;
  readonly client: string | null;
  readonly folder: string;
  readonly since: number;
  readonly stoodFrom: number;
  readonly waiters: Set<Waiter>;
  opening: boolean;
}

/** The time for which a question must have been shown before it can be answered, as on a sheet. */
const MIN_SHOWN_MS = 500;

/** The questions about folders that agents were started in: one an agent and folder, whose answer all have that wait for it. */
export class FolderQuestions {
  readonly #parts: FolderQuestionsParts;
  readonly #standing = new Map<string, OpenFolderQuestion>();
  readonly #refused = new Map<string, number>();

  constructor(parts: FolderQuestionsParts) {
    this.#parts = parts;
  }

  /** Resolves when the folder is open, or with why a call doesn't run there. */
  async ask(folder: string, call: CallAwaitingFolder, gone: AbortSignal): Promise<Failure | null> {
    const { kept, isOpen, unattended } = this.#parts;
    const { agent, client } = call.asker;
    if (isOpen(folder) || (await this.openedBefore(agent, folder))) return null;
    if (unattended) return NOBODY;
    if (kept.isUnwanted(agent ?? '', folder)) return unwantedHere(folder);
    if (gone.aborted) return null;
    const key = folderQuestionKey(agent, client, folder);
    const standing = this.#standing.get(key) ?? this.#begin(key, agent, client, folder);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        ...call,
        end: (refused) => {
          gone.removeEventListener('abort', left);
          resolve(refused);
        },
      };
      const left = (): void => {
        standing.waiters.delete(waiter);
        if (standing.waiters.size === 0) this.#standing.delete(key);
        this.#tell();
        resolve(null);
      };
      gone.addEventListener('abort', left, { once: true });
      standing.waiters.add(waiter);
      this.#tell();
    });
  }

  /** Opens a folder again that the person had opened for the agent; false where they had not, or it can't be. */
  async openedBefore(agent: string | null, folder: string): Promise<boolean> {
    const { kept, openBeside } = this.#parts;
    return kept.isOpened(agent ?? '', folder) && (await openBeside(folder)) === null;
  }

  /** Why nothing of that pipe runs there, said before: as long as it lasts. */
  refusedBefore(pipe: string | null, folder: string): Failure | null {
    return pipe !== null && this.#parts.kept.isNotNow(pipe, folder) ? notNow(folder) : null;
  }

  refused(pipe: string | null, folder: string): void {
    if (pipe !== null) this.#parts.kept.notNow(pipe, folder);
  }

  /** The person's answer. Null when it is done, or why not. */
  async answer(id: string, answer: FolderAnswer): Promise<string | null> {
    const found = [...this.#standing].find(([, { id: known }]) => known === id);
    if (found === undefined) return 'This question is over.';
    const [key, standing] = found;
    const { folder, agent } = standing;
    const { kept, clock, openBeside } = this.#parts;
    if (clock.monotonic() - standing.stoodFrom < MIN_SHOWN_MS)
      return 'The question came a moment ago. Look at it again.';
    if (answer !== 'open') {
      if (answer === 'never') kept.unwanted(agent ?? '', folder);
      this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1);
      this.#end(key, standing, answer === 'never' ? unwantedHere(folder) : notNow(folder));
      return null;
    }
    if (standing.opening) return null;
    standing.opening = true;
    const problem = await openBeside(folder);
    standing.opening = false;
    if (problem === null) {
      kept.opened(agent ?? '', folder);
      this.#refused.delete(key);
      this.#end(key, standing, null);
    } else this.#end(key, standing, { code: 'NotPermitted', message: `${folder} can’t be opened: ${problem}` });
    return problem;
  }

  /** A folder was opened, by whatever way: who waits for it goes on. */
  nowOpen(folder: string): void {
    for (const [key, standing] of this.#standing)
      if (standing.folder === folder && !standing.opening) this.#end(key, standing, null);
  }

  #begin(key: string, agent: string | null, client: string | null, folder: string): OpenFolderQuestion {
    const { clock } = this.#parts;
    const standing: OpenFolderQuestion = {
      id: randomUUID(),
      agent,
      client,
      folder,
      since: clock.now(),
      stoodFrom: clock.monotonic(),
      waiters: new Set(),
      opening: false,
    };
    this.#standing.set(key, standing);
    return standing;
  }

  #end(key: string, standing: OpenFolderQuestion, refused: Failure | null): void {
    this.#standing.delete(key);
    for (const waiter of standing.waiters) waiter.end(refused);
    standing.waiters.clear();
    this.#tell();
  }

  #tell(): void {
    this.#parts.publish(
      [...this.#standing].flatMap(([key, { id, agent, client, folder, since, waiters }]) => {
        const [first] = waiters;
        if (first === undefined) return [];
        const { callId, batchId, tool } = first;
        const refused = this.#refused.get(key) ?? 0;
        return [{ id, folder, agent, client, since, waiting: waiters.size, callId, batchId, tool, refused }];
      }),
    );
  }
}

/**
 * Builds the key of a question. For pipes without a name, each name that they give themselves is a question of its own.
 */
const folderQuestionKey = (agent: string | null, client: string | null, folder: string): string =>
  JSON.stringify([agent, agent === null ? client : null, folder]);

const NOBODY: Failure = {
  code: 'NoDecision',
  message:
    'The folder that this agent was started in isn’t open, and Gatehouse runs without a window, so nobody can be asked. Start Gatehouse with --workspace and this folder.',
};

const notNow = (folder: string): Failure => ({
  code: 'DeniedByPerson',
  message: `The user doesn’t want ${folder} opened now, so nothing runs there. They can open it in Gatehouse.`,
  reason: null,
});

const unwantedHere = (folder: string): Failure => ({
  code: 'DeniedByPerson',
  message: `The user doesn’t want ${folder} opened, and doesn’t want to be asked again. They can open it in Gatehouse.`,
  reason: null,
});
