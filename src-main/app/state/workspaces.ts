import type { AppEventBody, Question, WorkspaceInfo } from '#contract/window/app-events.js';
import { usableWorkspace, workspaceName } from '../../platform/data-folder/paths.js';
import type { RecentWorkspaces } from '../../platform/data-folder/recent-workspaces.js';

export interface WorkspaceParts {
  /** No workspace lies in it. */
  readonly dataDir: string;
  readonly recent: RecentWorkspaces;
  readonly publish: (event: AppEventBody) => void;
  /** Points the gate and the configuration at it. Throws, with words for a person, where that can't be. */
  readonly enter: (path: string) => Promise<void>;
  readonly setTitle: (name: string) => void;
  /** What stands in the way of a switch, in words; null when nothing does. */
  readonly busy: () => string | null;
  readonly running: () => number;
  readonly quit: () => void;
  readonly onProblem: (text: string) => void;
}

/** Which folder is open, and the questions about leaving it: at most one at a time. */
export class Workspaces {
  readonly #parts: WorkspaceParts;
  #current: WorkspaceInfo | null = null;
  #question: Question | null = null;
  #mayQuit = false;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  get current(): WorkspaceInfo | null {
    return this.#current;
  }

  /** The person's own choice, in the window. Null when it is open; otherwise why not. */
  async open(path: string): Promise<string | null> {
    const usable = usableWorkspace(path, this.#parts.dataDir);
    if (!usable.ok) return usable.problem;
    if (usable.path === this.#current?.path) return null;
    const busy = this.#current === null ? null : this.#parts.busy();
    if (busy !== null) return busy;
    try {
      await this.#parts.enter(usable.path);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.#parts.recent.add(usable.path);
    this.#current = { path: usable.path, name: workspaceName(usable.path) };
    this.#parts.publish({ type: 'workspace', workspace: this.#current, recentWorkspaces: this.#parts.recent.list() });
    this.#parts.setTitle(this.#current.name);
    return null;
  }

  forget(path: string): void {
    this.#parts.recent.forget(path);
    this.#parts.publish({ type: 'workspace', workspace: this.#current, recentWorkspaces: this.#parts.recent.list() });
  }

  /** A second start hands its workspace over: the person is asked before anything changes. */
  async handOver(path: string | null): Promise<void> {
    if (path === null || path === this.#current?.path) return;
    if (this.#current === null) return this.#openOrTell(path);
    const busy = this.#parts.busy();
    if (busy !== null) return this.#parts.onProblem(busy);
    this.#ask({ kind: 'switch-workspace', path });
  }

  /** Whether the app may close now; where it may not, the person is asked. */
  mayClose(): boolean {
    const running = this.#parts.running();
    if (this.#mayQuit || running === 0) return true;
    this.#ask({ kind: 'quit', running });
    return false;
  }

  async answer(yes: boolean): Promise<void> {
    const question = this.#question;
    this.#ask(null);
    if (question === null || !yes) return;
    if (question.kind === 'switch-workspace') return this.#openOrTell(question.path);
    this.#mayQuit = true;
    this.#parts.quit();
  }

  async #openOrTell(path: string): Promise<void> {
    const problem = await this.open(path);
    if (problem !== null) this.#parts.onProblem(problem);
  }

  #ask(question: Question | null): void {
    if (question === null && this.#question === null) return;
    this.#question = question;
    this.#parts.publish({ type: 'question', question });
  }
}
