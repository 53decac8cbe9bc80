import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SourceConfig, SourceStage, SourceStateName } from '#contract/vocabulary/tools/sources.js';
import type { SourceReview } from '#contract/window/tools/sources.js';
import { type Offer, type Source, type SourceAnswer, SourceProblem } from '../../../domain/ports/sources/source.js';
import type { SignInState } from '#contract/vocabulary/tools/sources.js';
import type { ResourceReader, ResourceRequest } from '../../../domain/ports/sources/source.js';
import { type ToolContext, ToolFailure } from '../../../domain/tool/tool.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import { digestJson } from '../../../platform/digest.js';
import { type AcceptedToolState, OfferAcceptance, type OfferAcceptanceDeps } from './offer-acceptance.js';
import type { OfferedTools } from './offered-tools.js';
import type { AcceptedSource, AcceptedTool, CurrentOffer } from './source-acceptance.js';

export interface FollowedSourceDeps extends OfferAcceptanceDeps {
  readonly keepOutput: (callId: string, number: number, bytes: Uint8Array) => Promise<StoredOutput | null>;
  /** Resolves when it is known how programs are held here: what is started before that is started by a guess. */
  readonly confinementTried: () => Promise<void>;
}

/** Follows one source: what was accepted of it, and what it offers now. */
export class FollowedSource {
  readonly name: string;
  readonly settings: SourceConfig;
  readonly source: Source;
  readonly #parts: FollowedSourceDeps;
  readonly #stopFollowing: () => void;
  readonly #offers: OfferAcceptance;
  /** The source of the newer version, as long as nobody said that it may be started. */
  #updateSource: Source | null = null;
  /** The package that the person saw, and wants to be asked what it offers. */
  #reviewedPackage: Json | null = null;
  #problem: SourceProblem | null = null;
  #signIn: SignInState['kind'] | null = null;
  #isClosed = false;

  constructor(parts: FollowedSourceDeps) {
    this.name = parts.name;
    this.settings = parts.settings;
    this.source = parts.source;
    this.#parts = parts;
    this.#offers = new OfferAcceptance({ ...parts, onChange: () => this.#notify() });
    this.#stopFollowing = parts.source.onChange(() => this.#sourceChanged());
  }

  get accepted(): AcceptedSource {
    return this.#offers.accepted;
  }

  /** Null as long as it was not asked. */
  get offered(): (CurrentOffer & OfferedTools) | null {
    return this.#offers.offered;
  }

  get remarks(): readonly string[] {
    const { remarks = [] } = this.#offers.reviewed ?? {};
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
    if (this.#offers.isByIdentity) return 'changed';
    if (this.#problem !== null) return this.#problem.kind;
    if (running === 'failed') return 'failed';
    const { waiting: newTools, changed } = this.counts;
    // A source that has no tools may have something to read, and is accepted for that.
    const unseen = this.offered !== null && (this.accepted.server === null || this.isOtherServer);
    if (this.hasUpdate || newTools + changed > 0 || (unseen && this.source.resources !== undefined)) return 'changed';
    return running === 'running' ? 'running' : 'stopped';
  }

  get counts(): {
    readonly tools: number;
    readonly waiting: number;
    readonly changed: number;
    readonly refused: number;
  } {
    const acceptedTools = this.standing;
    const changed = acceptedTools.filter(({ stopped }) => stopped !== null).length;
    return {
      tools: acceptedTools.length - changed,
      waiting: this.waiting.length,
      changed,
      refused: this.offered?.refused.length ?? 0,
    };
  }

  get isOtherServer(): boolean {
    return this.#offers.isOtherServer;
  }

  /**
   * Whether it comes from a package that nobody saw: neither what was accepted, nor a press, nor a setting names it.
   */
  get #isUnseenPackage(): boolean {
    const { package: its } = this.source.identity;
    if (its === undefined) return false;
    const { server } = this.accepted;
    if (server === null && this.settings.definitions === 'first') return false;
    return ![server?.identity['package'], this.#reviewedPackage].some(
      (seen) => seen !== undefined && digestJson(seen) === digestJson(its),
    );
  }

  /** Whether the offer under review was made without starting anything. */
  get #isUnstarted(): boolean {
    return this.hasUpdate ? this.#updateSource !== null : this.#offers.isByIdentity && this.#isUnseenPackage;
  }

  /** The accepted tools, as far as they are not known to be gone and the settings still want them. */
  get standing(): readonly AcceptedToolState[] {
    return this.#offers.standing;
  }

  /** Offered, and never accepted. */
  get waiting(): OfferedTools['tools'] {
    return this.#offers.waiting;
  }

  /** Asks it what it offers. What goes wrong is noted, and shown. */
  async refresh(): Promise<void> {
    try {
      if (this.settings.command !== undefined) await this.#parts.confinementTried();
      await this.#fetch(AbortSignal.timeout(FETCH_MS));
      if (!this.#isUnseenPackage) await this.#askOffer(AbortSignal.timeout(LOOK_MS));
      else if (!this.#offers.isByIdentity) {
        this.#offers.offerIdentity(ONLY_FETCHED);
        this.#notify();
      }
    } catch (error) {
      if (!(error instanceof SourceProblem)) throw error;
    }
  }

  review(nameOf: (toolId: string) => string | null): SourceReview | null {
    const review = this.#offers.review(nameOf);
    return review === null ? null : { ...review, isStarted: !this.#isUnstarted };
  }

  /** The person looks at its tools. */
  markRead(): void {
    this.#offers.markRead();
  }

  /** Whether a newer version waits for the person’s yes. */
  get hasUpdate(): boolean {
    return this.#offers.hasUpdate;
  }

  /** The person’s press. Nothing of it is started. Throws a `SourceProblem`. */
  async fetchNewer(): Promise<void> {
    const newer = await this.source.package?.fetchNewer();
    if (newer === undefined || this.#isClosed) return;
    this.#offers.offerUpdate(newer, ONLY_FETCHED);
    this.#updateSource = newer;
    this.#notify();
  }

  /** The person saw exactly this, and wants to know what it offers. False where it is another by now. */
  async startReviewed(digest: string, nameOf: (toolId: string) => string | null): Promise<boolean> {
    const review = this.review(nameOf);
    if (review?.digest !== digest || review.isStarted) return false;
    if (this.#updateSource !== null) await this.#askUpdate(this.#updateSource);
    else {
      this.#reviewedPackage = this.source.identity['package'] ?? null;
      await this.refresh();
    }
    return true;
  }

  /** Once, and it runs no longer than that. */
  async #askUpdate(newer: Source): Promise<void> {
    this.#updateSource = null;
    try {
      this.#offers.offerUpdate(newer, await newer.offer(AbortSignal.timeout(LOOK_MS), 'looked-at'));
    } catch (error) {
      // What wants its key to say anything is accepted by what it is, and its tools when it runs.
      this.#offers.offerUpdate(newer, `${NO_OFFER_WITHOUT_KEYS} ${errorMessage(error)}`);
    } finally {
      await newer.close();
    }
    this.#notify();
  }

  /** The person's yes to what they saw. Gives the tools that were accepted otherwise before; null where they saw something else. */
  accept(
    digest: string,
    keys: ReadonlySet<string> | null,
    nameOf: (toolId: string) => string | null,
  ): readonly AcceptedTool[] | null {
    const shown = this.#offers.reviewed;
    const review = this.review(nameOf);
    if (shown === null || review?.digest !== digest || !review.isStarted) return null;
    const { otherwise, wasUntold } = this.#offers.accept(shown, keys);
    if (wasUntold) void this.refresh();
    return otherwise;
  }

  /** Calls a tool. The offer is checked before each call: what was accepted is what is asked for. */
  async call(tool: AcceptedTool, args: JsonObject, context: ToolContext<'remote'>): Promise<SourceAnswer> {
    this.source.refreshFiles?.();
    // What is another server by now is not even started for a call, nor what the yes did not name.
    if (this.isOtherServer || this.#offers.startPurpose === 'looked-at')
      throw new ToolFailure(this.#offers.changeFailure(tool));
    this.#assertStillAccepted(tool, await this.#askForCall(context.signal));
    let kept = 0;
    const { callId, config, folder, terms, signal, timeoutMs, limits, outputLimit, emit } = context;
    const { onProgress, onCheckpoint, waitsForPerson } = context;
    return await this.source.call({
      callId,
      operation: tool.operation,
      stillAccepted: (now) => this.#assertStillAccepted(tool, now),
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
  get hasResources(): boolean {
    const runs = this.#problem === null && this.source.state().running === 'running';
    return this.source.resources !== undefined && runs && this.accepted.server !== null && !this.isOtherServer;
  }

  /**
   * Reads from the shelf, with the same checks as before a call: nothing is read of a server that was not accepted.
   * Throws a `ToolFailure`.
   */
  async askForResources<T>(
    asked: Omit<ResourceRequest, 'stillAccepted'>,
    ask: (shelf: ResourceReader, asked: ResourceRequest) => Promise<T>,
  ): Promise<T> {
    const { resources: shelf } = this.source;
    if (shelf === undefined) throw new ToolFailure(noResourcesFailure(this.name));
    const stillAccepted = (now: Offer): void => {
      this.#recordOffer(now);
      if (this.accepted.server === null || this.isOtherServer) throw new ToolFailure(this.#offers.otherServerFailure);
    };
    this.source.refreshFiles?.();
    if (this.#offers.startPurpose === 'looked-at') throw new ToolFailure(this.#offers.otherServerFailure);
    stillAccepted(await this.#askForCall(asked.signal));
    return await ask(shelf, { ...asked, stillAccepted });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing();
    await this.#updateSource?.close();
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
      this.#recordFailure(error, signal);
    }
  }

  #recordFailure(error: unknown, signal: AbortSignal): never {
    const problem = error instanceof SourceProblem ? error : new SourceProblem('failed', errorMessage(error));
    if (!signal.aborted || this.#problem === null) {
      this.#problem = problem;
      this.#notify();
    }
    throw problem;
  }

  async #askOffer(signal: AbortSignal): Promise<Offer> {
    this.source.refreshFiles?.();
    const as = this.#offers.startPurpose;
    this.#offers.forgetOther();
    try {
      const offer = await this.source.offer(signal, as);
      this.#offers.offerIdentity(null);
      this.#recordOffer(offer);
      return offer;
    } catch (error) {
      this.#offers.offerIdentity(as === 'looked-at' ? `${NO_OFFER_WITHOUT_KEYS} ${errorMessage(error)}` : null);
      return this.#recordFailure(error, signal);
    }
  }

  async #askForCall(signal: AbortSignal): Promise<Offer> {
    try {
      await this.#fetch(signal);
      if (!this.#isUnseenPackage) return await this.#askOffer(signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `“${this.name}” can’t be had now, and nothing was sent: ${(error as Error).message}`;
      const eCode = this.source.kind === 'program' ? 'E3101' : 'E3306';
      throw new ToolFailure({ code: 'SourceUnavailable', message, eCode });
    }
    void this.refresh();
    throw new ToolFailure(this.#offers.otherServerFailure);
  }

  #recordOffer(offer: Offer): void {
    const hadProblem = this.#problem !== null;
    this.#problem = null;
    this.#offers.record(offer, hadProblem);
  }

  #assertStillAccepted(tool: AcceptedTool, offer: Offer): void {
    this.#recordOffer(offer);
    this.#offers.assertAccepted(tool);
  }

  #notify(): void {
    if (!this.#isClosed) this.#parts.onChange();
  }
}

const noResourcesFailure = (source: string): Failure => ({
  code: 'ExecutionFailed',
  message: `“${source}” has nothing to read: only MCP servers have resources and prompts.`,
});

const NO_OFFER_WITHOUT_KEYS =
  'It did not say what it offers while it had no keys and no network. Accept what it is, and it is asked again with them.';
const ONLY_FETCHED = 'It was fetched, and nothing of it was started. Review shows its exact version and integrity.';

/** The time to start, and then to say what it offers: a minute each. What is fetched for it first has its own time. */
const LOOK_MS = 120_000;
const FETCH_MS = 300_000;

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
