import { readSmallFile, replaceSmallFile } from '../../../platform/files/small-file.js';

/** An agent and the folder that it was started in; '' for pipes without a name. For “Not now”, the pipe. */
interface AgentFolder {
  readonly agent: string;
  readonly folder: string;
}

interface StoredAnswers {
  readonly opened: readonly AgentFolder[];
  readonly unwanted: readonly AgentFolder[];
  /** “Not now”, by the pipe that it was said to. */
  readonly notNow: readonly AgentFolder[];
}

/** So many of each kind at most: folders that agents name fill no file. */
const MAX_ANSWERS = 500;

/** The person's answers about folders that agents were started in, in a file. */
export class AgentFolders {
  readonly #file: string;
  readonly #onProblem: (error: unknown) => void;
  #kept: StoredAnswers;

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#kept = parse(readSmallFile(file));
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
    try {
      replaceSmallFile(this.#file, `${JSON.stringify(kept)}\n`);
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

const isFor =
  (agent: string, folder: string) =>
  (each: AgentFolder): boolean =>
    each.agent === agent && each.folder === folder;

/** Parses the file; what can't be read opens nothing unasked. */
function parse(text: string | null): StoredAnswers {
  try {
    const { opened, unwanted, notNow } = JSON.parse(text ?? '{}') as Partial<Record<keyof StoredAnswers, unknown>>;
    return { opened: listIn(opened), unwanted: listIn(unwanted), notNow: listIn(notNow) };
  } catch {
    return { opened: [], unwanted: [], notNow: [] };
  }
}

function listIn(value: unknown): readonly AgentFolder[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { agent, folder } = (each ?? {}) as { readonly agent?: unknown; readonly folder?: unknown };
    return typeof agent === 'string' && typeof folder === 'string' ? [{ agent, folder }] : [];
  });
}
