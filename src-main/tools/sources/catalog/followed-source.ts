import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SourceConfig, SourceStage, SourceStateName } from '#contract/vocabulary/tools/sources.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { SourceReview } from '#contract/window/sources.js';
import {
  NOT_PINNED,
  type Offer,
  type Source,
  type SourceAnswer,
  SourceProblem,
  type StartedAs,
} from '../../../domain/ports/sources/source.js';
import type { SignInState } from '../../../domain/ports/sources/sign-in.js';
import type { Shelf, ShelfAsked } from '../../../domain/ports/sources/source.js';
import { type ToolContext, ToolFailure } from '../../../domain/tool/tool.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import { digestJson } from '../../../platform/digest.js';
import {
  type Accepted,
  type AcceptedTool,
  isOtherServer,
  type MayBeWritten,
  type OfferedNow,
  reviewOf,
  serverJson,
  withAccepted,
  withFilesSeen,
  withFirstSeen,
  withRead,
} from './accepted.js';
import { isWanted, type OfferedTools, offeredTools } from './offered-tools.js';

export interface FollowedParts {
  readonly name: string;
  readonly settings: SourceConfig;
  readonly source: Source;
  readonly accepted: Accepted;
  readonly rules: () => { readonly maxVersions: number; readonly warningDays: number; readonly now: number };
  /** Kept before anything of it counts. Throws where it can't be. */
  readonly keep: (accepted: Accepted) => void;
  readonly keepOutput: (callId: string, number: number, bytes: Uint8Array) => Promise<StoredOutput | null>;
  /** Resolves when it is known how programs are held here: what is started before that is started by a guess. */
  readonly confinementTried: () => Promise<void>;
  readonly mayBeWritten: MayBeWritten;
  readonly onChange: () => void;
}

/** A tool that was accepted, as it stands now. */
export interface StandingTool {
  readonly accepted: AcceptedTool;
  /** The digest of the server and the tool together, as they were accepted. */
  readonly digest: string;
  readonly stopped: Failure | null;
}

/** Follows one source: what was accepted of it, and what it offers now. */
export class FollowedSource {
  readonly name: string;
  readonly settings: SourceConfig;
  readonly source: Source;
  readonly #parts: FollowedParts;
  readonly #stopFollowing: () => void;
  #accepted: Accepted;
  #offer: Offer | null = null;
  #offered: (OfferedNow & OfferedTools) | null = null;
  /** A newer version of what it is started from, which was fetched and waits for the person’s yes; the other goes on until then. */
  #coming: (OfferedNow & OfferedTools) | null = null;
  /** The source of the newer version, as long as nobody said that it may be started. */
  #comingFrom: Source | null = null;
  /** The package that the person saw, and wants to be asked what it offers. */
  #seenPackage: Json | null = null;
  /**
   * The offer of a source that could not be asked without its keys, or was only fetched: it says what it offers after a
   * yes to what it is.
   */
  #untold: (OfferedNow & OfferedTools) | null = null;
  #problem: SourceProblem | null = null;
  #signIn: SignInState['kind'] | null = null;
  #isClosed = false;

  constructor(parts: FollowedParts) {
    this.name = parts.name;
    this.settings = parts.settings;
    this.source = parts.source;
    this.#parts = parts;
    this.#accepted = parts.accepted;
    this.#stopFollowing = parts.source.onChange(() => this.#sourceChanged());
  }

  get accepted(): Accepted {
    return this.#accepted;
  }

  /** Null as long as it was not asked. */
  get offered(): (OfferedNow & OfferedTools) | null {
    return this.#offered;
  }

  get remarks(): readonly string[] {
    const { remarks = [] } = this.#shown ?? {};
    return [...remarks, ...(this.source.notPinned ?? []).map((reason) => `Not pinned: ${reason}`)];
  }

  /** The stage of its start. A source that runs already is not starting where it is started for another folder, too. */
  get stage(): SourceStage | null {
    const { stage = null, running } = this.source.state();
    return running === 'running' && stage !== 'listing' ? null : stage;
  }

  get problem(): string | null {
    if (this.stage !== null) return null;
    return this.#problem?.message ?? this.source.state().problem;
  }

  get state(): SourceStateName {
    const { running } = this.source.state();
    if (this.stage !== null) return 'starting';
    if (this.#untold !== null) return 'changed';
    if (this.#problem !== null) return this.#problem.kind;
    if (running === 'failed') return 'failed';
    const { waiting, changed } = this.counts;
    // One that has no tools may have something to read, and is accepted for that.
    const unseen = this.#offered !== null && (this.#accepted.server === null || this.isOtherServer);
    if (this.#coming !== null || waiting + changed > 0 || (unseen && this.source.shelf !== undefined)) return 'changed';
    return running === 'running' ? 'running' : 'stopped';
  }

  get counts(): {
    readonly tools: number;
    readonly waiting: number;
    readonly changed: number;
    readonly refused: number;
  } {
    const standing = this.standing;
    const changed = standing.filter(({ stopped }) => stopped !== null).length;
    return {
      tools: standing.length - changed,
      waiting: this.waiting.length,
      changed,
      refused: this.#offered?.refused.length ?? 0,
    };
  }

  get isOtherServer(): boolean {
    return isOtherServer(this.#accepted.server, this.source.identity, this.#offered, this.#parts.mayBeWritten);
  }

  /** Where nobody said yes to what it is now, it may be asked what it offers, and no more. */
  get #startedAs(): StartedAs {
    const { identity } = this.source;
    const { server } = this.#accepted;
    if (server === null) return identity[NOT_PINNED] === undefined ? 'new' : 'looked-at';
    return isOtherServer(server, identity, null, this.#parts.mayBeWritten) ? 'looked-at' : 'accepted';
  }

  /**
   * Whether it comes from a package that nobody saw: neither what was accepted, nor a press, nor a setting names it.
   */
  get #isUnseen(): boolean {
    const { package: its } = this.source.identity;
    if (its === undefined) return false;
    const { server } = this.#accepted;
    if (server === null && this.settings.definitions === 'first') return false;
    return ![server?.identity['package'], this.#seenPackage].some(
      (seen) => seen !== undefined && digestJson(seen) === digestJson(its),
    );
  }

  /** Whether the offer under review was made without starting anything. */
  get #isUnstarted(): boolean {
    return this.#coming === null ? this.#untold !== null && this.#isUnseen : this.#comingFrom !== null;
  }

  get #shown(): (OfferedNow & OfferedTools) | null {
    return this.#coming ?? this.#untold ?? this.#offered;
  }

  /** The accepted tools, as far as they are not known to be gone and the settings still want them. */
  get standing(): readonly StandingTool[] {
    const { server, tools } = this.#accepted;
    const isOther = this.isOtherServer;
    const offered = this.#offered === null ? null : new Map(this.#offered.tools.map((tool) => [tool.key, tool]));
    return [...tools.values()].flatMap((accepted) => {
      // It may not have been asked yet since the settings changed.
      if (!isWanted(accepted.operation.operation, this.settings)) return [];
      const now = offered?.get(accepted.key);
      if (offered !== null && now === undefined) return [];
      const isChanged = isOther || (now !== undefined && now.digest !== accepted.digest);
      const digest = digestJson({ server: server === null ? null : serverJson(server), tool: accepted.digest });
      return [{ accepted, digest, stopped: isChanged ? this.#changed(accepted.operation.operation) : null }];
    });
  }

  /** Offered, and never accepted. */
  get waiting(): OfferedTools['tools'] {
    return (this.#offered?.tools ?? []).filter(({ key }) => !this.#accepted.tools.has(key));
  }

  /** Asks it what it offers. What goes wrong is noted, and shown. */
  async refresh(): Promise<void> {
    try {
      if (this.settings.command !== undefined) await this.#parts.confinementTried();
      await this.#fetch(AbortSignal.timeout(FETCH_MS));
      if (!this.#isUnseen) await this.#ask(AbortSignal.timeout(LOOK_MS));
      else if (this.#untold === null) {
        this.#untold = this.#untoldBy(this.source, ONLY_FETCHED);
        this.#tell();
      }
    } catch (error) {
      if (!(error instanceof SourceProblem)) throw error;
    }
  }

  review(nameOf: (toolId: string) => string | null): SourceReview | null {
    const shown = this.#shown;
    if (shown === null) return null;
    const review = reviewOf(this.name, this.#accepted, shown, nameOf, this.#parts.mayBeWritten);
    return { ...review, isStarted: !this.#isUnstarted };
  }

  /** The person looks at its tools. */
  wasLookedAt(): void {
    const read = withRead(this.#accepted);
    if (read !== null) this.#take(read);
  }

  /** Whether a newer version waits for the person’s yes. */
  get hasComing(): boolean {
    return this.#coming !== null;
  }

  /** The person’s press. Nothing of it is started. Throws a `SourceProblem`. */
  async fetchNewer(): Promise<void> {
    const newer = await this.source.package?.fetchNewer();
    if (newer === undefined || this.#isClosed) return;
    this.#coming = this.#untoldBy(newer, ONLY_FETCHED);
    this.#comingFrom = newer;
    this.#tell();
  }

  /** The person saw exactly this, and wants to know what it offers. False where it is another by now. */
  async startSeen(digest: string, nameOf: (toolId: string) => string | null): Promise<boolean> {
    const review = this.review(nameOf);
    if (review?.digest !== digest || review.isStarted) return false;
    if (this.#comingFrom !== null) await this.#askNewer(this.#comingFrom);
    else {
      this.#seenPackage = this.source.identity['package'] ?? null;
      await this.refresh();
    }
    return true;
  }

  /** Once, and it runs no longer than that. */
  async #askNewer(newer: Source): Promise<void> {
    this.#comingFrom = null;
    try {
      this.#coming = this.#offeredBy(newer, await newer.offer(AbortSignal.timeout(LOOK_MS), 'looked-at'));
    } catch (error) {
      // What wants its key to say anything is accepted by what it is, and its tools when it runs.
      this.#coming = this.#untoldBy(newer, `${KEPT_SILENT} ${wordsOf(error)}`);
    } finally {
      await newer.close();
    }
    this.#tell();
  }

  /** The person's yes to what they saw. Gives the tools that were accepted otherwise before; null where they saw something else. */
  accept(
    digest: string,
    keys: ReadonlySet<string> | null,
    nameOf: (toolId: string) => string | null,
  ): readonly AcceptedTool[] | null {
    const shown = this.#shown;
    const review = this.review(nameOf);
    if (shown === null || review?.digest !== digest || !review.isStarted) return null;
    const before = this.#accepted;
    const { mayBeWritten } = this.#parts;
    const isOther = isOtherServer(before.server, shown.server.identity, shown, mayBeWritten);
    const wasUntold = this.#untold !== null || (this.#coming !== null && this.#coming.tools.length === 0);
    const all = keys ?? new Set(shown.tools.map(({ key }) => key));
    if (this.#coming !== null) this.#takeComing(this.#coming);
    this.#untold = null;
    this.#take(withAccepted(before, shown, all, mayBeWritten));
    if (wasUntold) void this.refresh();
    return [...before.tools.values()].filter((tool) => {
      const now = this.#accepted.tools.get(tool.key);
      return isOther || (now !== undefined && now.digest !== tool.digest);
    });
  }

  /** Calls a tool. The offer is checked before each call: what was accepted is what is asked for. */
  async call(tool: AcceptedTool, args: JsonObject, context: ToolContext<'remote'>): Promise<SourceAnswer> {
    this.source.lookAgain?.();
    // What is another server by now is not even started for a call, nor what the yes did not name.
    if (this.isOtherServer || this.#startedAs === 'looked-at')
      throw new ToolFailure(this.#changed(tool.operation.operation));
    this.#holds(tool, await this.#askForCall(context.signal));
    let kept = 0;
    const { callId, config, folder, terms, signal, timeoutMs, limits, outputLimit, emit } = context;
    const { onProgress, onCheckpoint, waitsForPerson } = context;
    return await this.source.call({
      callId,
      operation: tool.operation,
      stillAccepted: (now) => this.#holds(tool, now),
      args,
      config,
      folder,
      terms,
      signal,
      timeoutMs,
      limits,
      outputLimit,
      emit,
      onProgress,
      onCheckpoint,
      ...(waitsForPerson === undefined ? {} : { waitsForPerson }),
      keep: async (bytes) => {
        const stored = await this.#parts.keepOutput(callId, kept + 1, bytes);
        if (stored !== null) kept += 1;
        return stored;
      },
    });
  }

  /** Whether it runs, is the server that was accepted, and may have something to read. */
  get hasShelf(): boolean {
    const runs = this.#problem === null && this.source.state().running === 'running';
    return this.source.shelf !== undefined && runs && this.#accepted.server !== null && !this.isOtherServer;
  }

  /**
   * Reads from the shelf, with the same checks as before a call: nothing is read of a server that was not accepted.
   * Throws a `ToolFailure`.
   */
  async onShelf<T>(
    asked: Omit<ShelfAsked, 'stillAccepted'>,
    ask: (shelf: Shelf, asked: ShelfAsked) => Promise<T>,
  ): Promise<T> {
    const { shelf } = this.source;
    if (shelf === undefined) throw new ToolFailure(nothingToRead(this.name));
    const stillAccepted = (now: Offer): void => {
      this.#note(now);
      if (this.#accepted.server === null || this.isOtherServer) throw new ToolFailure(this.#otherServer());
    };
    this.source.lookAgain?.();
    if (this.#startedAs === 'looked-at') throw new ToolFailure(this.#otherServer());
    stillAccepted(await this.#askForCall(asked.signal));
    return await ask(shelf, { ...asked, stillAccepted });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing();
    await this.#comingFrom?.close();
    await this.source.close();
  }

  /**
   * Refreshes when the source runs and may offer something else by now, or when the person signed in and it can be
   * asked at last.
   */
  #sourceChanged(): void {
    const kind = this.source.signIn?.state.kind ?? null;
    const hasSignedIn = this.#signIn === 'under-way' && kind === 'signed-in';
    this.#signIn = kind;
    const { running, stage = null, problem } = this.source.state();
    // While another is started beside one that runs, and where that failed, there is nothing new to be asked.
    if (hasSignedIn || (running === 'running' && stage === null && problem === null)) void this.refresh();
    this.#parts.onChange();
  }

  /**
   * Fetches without starting. What is there afterwards may be another than was accepted: only whoever reviews it then
   * starts it.
   */
  async #fetch(signal: AbortSignal): Promise<void> {
    try {
      await this.source.fetch?.(signal);
    } catch (error) {
      this.#failed(error, signal);
    }
  }

  #failed(error: unknown, signal: AbortSignal): never {
    const problem = error instanceof SourceProblem ? error : new SourceProblem('failed', wordsOf(error));
    if (!signal.aborted || this.#problem === null) {
      this.#problem = problem;
      this.#tell();
    }
    throw problem;
  }

  async #ask(signal: AbortSignal): Promise<Offer> {
    this.source.lookAgain?.();
    const as = this.#startedAs;
    // What it offered as another than it is now is nothing that could be accepted.
    if (this.#offered !== null && digestJson(this.#offered.server.identity) !== digestJson(this.source.identity)) {
      this.#offered = null;
      this.#offer = null;
    }
    try {
      const offer = await this.source.offer(signal, as);
      this.#untold = null;
      this.#note(offer);
      return offer;
    } catch (error) {
      this.#untold = as === 'looked-at' ? this.#untoldBy(this.source, `${KEPT_SILENT} ${wordsOf(error)}`) : null;
      return this.#failed(error, signal);
    }
  }

  async #askForCall(signal: AbortSignal): Promise<Offer> {
    try {
      await this.#fetch(signal);
      if (!this.#isUnseen) return await this.#ask(signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `“${this.name}” can’t be had now, and nothing was sent: ${(error as Error).message}`;
      const eCode = this.source.kind === 'program' ? 'E3101' : 'E3306';
      throw new ToolFailure({ code: 'SourceUnavailable', message, eCode });
    }
    void this.refresh();
    throw new ToolFailure(this.#otherServer());
  }

  #note(offer: Offer): void {
    if (this.#offer === offer && this.#problem === null) return;
    this.#problem = null;
    this.#offer = offer;
    this.#offered = this.#offeredBy(this.source, offer);
    const { mayBeWritten } = this.#parts;
    const asked = { kind: this.source.kind, mayBeWritten };
    const seen =
      this.settings.definitions === 'first' ? withFirstSeen(this.#accepted, this.#offered, asked) : this.#accepted;
    const filesSeen = isOtherServer(seen.server, this.source.identity, this.#offered, mayBeWritten)
      ? null
      : withFilesSeen(seen, this.#offered.server.identity);
    if (seen === this.#accepted && filesSeen === null) this.#tell();
    else this.#take(filesSeen ?? seen);
  }

  /**
   * Takes the newer version before it is on record as accepted: where recording fails it is another server than was
   * accepted, and nothing of it is called.
   */
  #takeComing(coming: OfferedNow & OfferedTools): void {
    this.#coming = null;
    this.source.package?.takeNewer();
    this.#offer = null;
    this.#offered = coming;
  }

  #untoldBy(from: Source, why: string): OfferedNow & OfferedTools {
    const nothing = { ownName: this.#accepted.server?.ownName ?? null, operations: [], refused: [] };
    return { ...this.#offeredBy(from, nothing), remarks: [why] };
  }

  #offeredBy(from: Source, offer: Offer): OfferedNow & OfferedTools {
    const { name: source, settings } = this;
    return {
      server: { identity: from.identity, ownName: offer.ownName },
      ...offeredTools(offer, { source, settings, ...this.#parts.rules() }),
    };
  }

  #take(accepted: Accepted): void {
    this.#parts.keep(accepted);
    this.#accepted = accepted;
    this.#tell();
  }

  #holds(tool: AcceptedTool, offer: Offer): void {
    this.#note(offer);
    const now = this.#offered?.tools.find(({ key }) => key === tool.key);
    if (this.isOtherServer || now?.digest !== tool.digest)
      throw new ToolFailure(this.#changed(tool.operation.operation));
  }

  #changed(operation: string): Failure {
    return this.isOtherServer
      ? this.#otherServer()
      : changed(`“${toVisibleLine(operation, 100)}” of “${this.name}” is not as the user accepted it.`);
  }

  #otherServer(): Failure {
    return changed(`The source “${this.name}” is not the server that the user accepted.`);
  }

  #tell(): void {
    if (!this.#isClosed) this.#parts.onChange();
  }
}

const changed = (what: string): Failure => ({
  code: 'ToolChanged',
  message: `${what} They can look at the change and accept it in Gatehouse, under Tools.`,
});

const nothingToRead = (source: string): Failure => ({
  code: 'ExecutionFailed',
  message: `“${source}” has nothing to read: only MCP servers have resources and prompts.`,
});

const KEPT_SILENT =
  'It did not say what it offers while it had no keys and no network. Accept what it is, and it is asked again with them.';
const ONLY_FETCHED = 'It was fetched, and nothing of it was started. Review shows its exact version and integrity.';

/** The time to start, and then to say what it offers: a minute each. What is fetched for it first has its own time. */
const LOOK_MS = 120_000;
const FETCH_MS = 300_000;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
