import type { AppEventBody, Question, WorkspaceInfo } from '#contract/window/app-events.js';
import { checkWorkspace, workspaceName } from '../../../platform/data-folder/paths.js';
import type { OpenWorkspaces } from '../../../platform/data-folder/open-workspaces.js';
import type { RecentWorkspaces } from '../../../platform/data-folder/recent-workspaces.js';
import { SerialQueue } from '../../../platform/serial-queue.js';

export interface WorkspaceParts {
  /** No workspace lies in it. */
  readonly dataDir: string;
  readonly recent: Pick<RecentWorkspaces, 'add' | 'forget' | 'list'>;
  /** The folders that were open at a crash: they are opened again. */
  readonly kept: Pick<OpenWorkspaces, 'left' | 'keep' | 'forget'>;
  readonly publish: (event: AppEventBody) => void;
  /** Lets calls into it. Throws, with words for a person, where that can't be. */
  readonly enter: (path: string) => Promise<void>;
  /** Ends what waits or runs there, and lets nothing more in. */
  readonly leave: (path: string) => void;
  /** Reports the folder that the window shows now; null for none. */
  readonly onShown: (shown: WorkspaceInfo | null) => void;
  /** How many calls wait or run in it. */
  readonly callsIn: (path: string) => number;
  /** The person has yet to decide about what a crash left. */
  readonly isRecovering: () => boolean;
  readonly running: () => number;
  readonly quit: () => void;
  readonly onProblem: (text: string) => void;
}

/** The open folders, the one that the window shows, and the questions about leaving: at most one at a time. */
export class Workspaces {
  readonly #parts: WorkspaceParts;
  readonly #turns = new SerialQueue();
  #open: readonly WorkspaceInfo[] = [];
  #shown: WorkspaceInfo | null = null;
  #question: Question | null = null;
  #mayQuit = false;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  /** Real paths of all that are open. */
  get open(): readonly string[] {
    return this.#open.map(({ path }) => path);
  }

  /** Real paths of all that are open, and of those that were. */
  get known(): readonly string[] {
    return [...this.open, ...this.#parts.recent.list().map(({ path }) => path)];
  }

  /** The path of the one that the window shows; '' for none. */
  get current(): string {
    return this.#shown?.path ?? '';
  }

  /**
   * Opens, at start, the folders that a crash left open, and the one that was asked for now, which the window shows.
   */
  async begin(wanted: string | null): Promise<void> {
    const left = this.#parts.kept.left();
    for (const path of left.open) await this.#orTold(this.openBeside(path));
    if (left.shown !== null && this.open.includes(left.shown)) this.show(left.shown);
    if (wanted !== null) await this.#orTold(this.openAndShow(wanted));
  }

  /** Opens it beside those that are open, and shows it. Null when it is open; otherwise why not. */
  async openAndShow(path: string): Promise<string | null> {
    return this.#turns.run(async () => {
      const opened = await this.#opened(path);
      if (!opened.ok) return opened.problem;
      this.#show(opened.path);
      return null;
    });
  }

  /** Opens it beside those that are open; what the window shows stays, where it shows one. `exactly`: by its real path. Null, or why not. */
  async openBeside(path: string, { exactly = false }: { readonly exactly?: boolean } = {}): Promise<string | null> {
    return this.#turns.run(async () => {
      const opened = await this.#opened(path, exactly);
      if (!opened.ok) return opened.problem;
      if (this.#shown === null) this.#show(opened.path);
      return null;
    });
  }

  /** Null when the window shows it; otherwise why not. */
  show(path: string): string | null {
    if (!this.open.includes(path)) return 'This folder is not open any more.';
    this.#show(path);
    return null;
  }

  /** Where calls wait or run there, the person is asked first. Null, or why it stays open. */
  close(path: string): string | null {
    if (!this.open.includes(path)) return null;
    if (this.#parts.isRecovering()) return 'Answer the unfinished work first.';
    const calls = this.#parts.callsIn(path);
    if (calls > 0) this.#ask({ kind: 'close-workspace', path, calls });
    else this.#close(path);
    return null;
  }

  forget(path: string): void {
    this.#parts.recent.forget(path);
    this.#publish();
  }

  /** A second start hands its folder over: it is opened beside. */
  async handOver(path: string | null): Promise<void> {
    if (path !== null) await this.#orTold(this.openAndShow(path));
  }

  /** Whether the app may close now; where it may not, the person is asked. */
  mayClose(): boolean {
    const running = this.#parts.running();
    if (this.#mayQuit || running === 0) return true;
    this.#ask({ kind: 'quit', running });
    return false;
  }

  /** The app ends as it should: there is nothing to open again. */
  end(): void {
    this.#parts.kept.forget();
  }

  answer(yes: boolean): void {
    const question = this.#question;
    this.#ask(null);
    if (question === null || !yes) return;
    if (question.kind === 'close-workspace') return this.#close(question.path);
    this.#mayQuit = true;
    this.#parts.quit();
  }

  async #opened(
    path: string,
    exactly = false,
  ): Promise<{ readonly ok: true; readonly path: string } | { readonly ok: false; readonly problem: string }> {
    const usable = checkWorkspace(path, this.#parts.dataDir);
    if (usable.ok && exactly && usable.path !== path)
      return { ok: false, problem: `It leads to ${usable.path} by now.` };
    if (!usable.ok || this.open.includes(usable.path)) return usable;
    try {
      await this.#parts.enter(usable.path);
    } catch (error) {
      return { ok: false, problem: error instanceof Error ? error.message : String(error) };
    }
    this.#open = [...this.#open, { path: usable.path, name: workspaceName(usable.path) }];
    this.#parts.recent.add(usable.path);
    this.#changed();
    return usable;
  }

  #show(path: string): void {
    const shown = this.#open.find((each) => each.path === path) ?? null;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#changed();
    this.#parts.onShown(shown);
  }

  #close(path: string): void {
    const at = this.open.indexOf(path);
    if (at === -1) return;
    this.#open = this.#open.toSpliced(at, 1);
    this.#parts.leave(path);
    if (this.#shown?.path === path) {
      // The next tab, or the last.
      this.#shown = this.#open[Math.min(at, this.#open.length - 1)] ?? null;
      this.#parts.onShown(this.#shown);
    }
    this.#changed();
  }

  #changed(): void {
    this.#parts.kept.keep({ open: this.open, shown: this.#shown?.path ?? null });
    this.#publish();
  }

  #publish(): void {
    const { recent, publish } = this.#parts;
    publish({ type: 'workspace', workspace: this.#shown, workspaces: this.#open, recentWorkspaces: recent.list() });
  }

  async #orTold(opening: Promise<string | null>): Promise<void> {
    const problem = await opening;
    if (problem !== null) this.#parts.onProblem(problem);
  }

  #ask(question: Question | null): void {
    if (question === null && this.#question === null) return;
    this.#question = question;
    this.#parts.publish({ type: 'question', question });
  }
}
