import Type, { type Static } from 'typebox';
import { type Frozen, keptJson } from '../../../platform/files/kept-json.js';

/** An agent and the folder that it was started in; '' for pipes without a name. For “Not now”, the pipe. */
const AgentFolderSchema = Type.Object({ agent: Type.String(), folder: Type.String() });
type AgentFolder = Static<typeof AgentFolderSchema>;

const StoredAnswersSchema = Type.Object({
  opened: Type.Array(AgentFolderSchema),
  unwanted: Type.Array(AgentFolderSchema),
  /** “Not now”, by the pipe that it was said to. */
  notNow: Type.Array(AgentFolderSchema),
});
type StoredAnswers = Frozen<Static<typeof StoredAnswersSchema>>;

/** So many of each kind at most: folders that agents name fill no file. */
const MAX_ANSWERS = 500;

/** The person's answers about folders that agents were started in, in a file. */
export class AgentFolders {
  readonly #file;
  #kept: StoredAnswers;

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = keptJson(file, StoredAnswersSchema, { onProblem });
    // What can't be read opens nothing unasked.
    this.#kept = this.#file.read() ?? { opened: [], unwanted: [], notNow: [] };
  }

  /** Whether the folder is opened for this agent without a question. */
  isOpened(agent: string, folder: string): boolean {
    return this.#kept.opened.some(isFor(agent, folder));
  }

  /** The person wants no question about it. */
  isUnwanted(agent: string, folder: string): boolean {
    return this.#kept.unwanted.some(isFor(agent, folder));
  }

  opened(agent: string, folder: string): void {
    const others = this.#kept.opened.filter((each) => !isFor(agent, folder)(each));
    this.#keep({ ...this.#kept, opened: [...others, { agent, folder }].slice(-MAX_ANSWERS) });
  }

  unwanted(agent: string, folder: string): void {
    const others = this.#kept.unwanted.filter((each) => !isFor(agent, folder)(each));
    this.#keep({ ...this.#kept, unwanted: [...others, { agent, folder }].slice(-MAX_ANSWERS) });
  }

  /** The person said “Not now” to this pipe: that lasts as long as it does, over a restart of the app, too. */
  isNotNow(pipe: string, folder: string): boolean {
    return this.#kept.notNow.some(isFor(pipe, folder));
  }

  notNow(pipe: string, folder: string): void {
    if (this.isNotNow(pipe, folder)) return;
    this.#keep({ ...this.#kept, notNow: [...this.#kept.notNow, { agent: pipe, folder }].slice(-MAX_ANSWERS) });
  }

  /** The person closed it: nobody has it opened unasked. */
  closed(folder: string): void {
    const opened = this.#kept.opened.filter((each) => each.folder !== folder);
    if (opened.length < this.#kept.opened.length) this.#keep({ ...this.#kept, opened });
  }

  /** The person opened it themselves: who asks for it again is asked about again, once it is closed. */
  wanted(folder: string): void {
    const unwanted = this.#kept.unwanted.filter((each) => each.folder !== folder);
    if (unwanted.length < this.#kept.unwanted.length) this.#keep({ ...this.#kept, unwanted });
  }

  #keep(kept: StoredAnswers): void {
    this.#kept = kept;
    this.#file.write(kept);
  }
}

const isFor =
  (agent: string, folder: string) =>
  (each: AgentFolder): boolean =>
    each.agent === agent && each.folder === folder;
