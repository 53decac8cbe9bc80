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
  type AcceptanceState,
} from '../../../domain/ports/sources/source.js';
import type { SignInState } from '../../../domain/ports/sources/sign-in.js';
import type { ResourceReader, ResourceRequest } from '../../../domain/ports/sources/source.js';
import { type ToolContext, ToolFailure } from '../../../domain/tool/tool.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import { digestJson } from '../../../platform/digest.js';
import {
  type AcceptedSource,
  type AcceptedTool,
  isOtherServer,
  type IsWritablePath,
  type CurrentOffer,
  buildReview,
  toServerJson,
  acceptTools,
  addSeenFiles,
  acceptFirstSeen,
  markAllRead,
} from './source-acceptance.js';
import { isWanted, type OfferedTools, admitOffer } from './offered-tools.js';

export interface FollowedSourceDeps {
  readonly name: string;
  readonly settings: SourceConfig;
  readonly source: Source;
  readonly accepted: AcceptedSource;
  readonly rules: () => { readonly maxVersions: number; readonly warningDays: number; readonly now: number };
  /** Kept before anything of it counts. Throws where it can't be. */
  readonly keep: (accepted: AcceptedSource) => void;
  readonly keepOutput: (callId: string, number: number, bytes: Uint8Array) => Promise<StoredOutput | null>;
  /** Resolves when it is known how programs are held here: what is started before that is started by a guess. */
  readonly confinementTried: () => Promise<void>;
  readonly mayBeWritten: IsWritablePath;
  readonly onChange: () => void;
}

/** A tool that was accepted, as it stands now. */
export interface AcceptedToolState {
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
  readonly #parts: FollowedSourceDeps;
  readonly #stopFollowing: () => void;
  #accepted: AcceptedSource;
  #offer: Offer | null = null;
  #offered: (CurrentOffer & OfferedTools) | null = null;
  /** A newer version of what it is started from, which was fetched and waits for the person’s yes; the other goes on until then. */
  #update: (CurrentOffer & OfferedTools) | null = null;
  /** The source of the newer version, as long as nobody said that it may be started. */
  #updateSource: Source | null = null;
  /** The package that the person saw, and wants to be asked what it offers. */
  #reviewedPackage: Json | null = null;
  /**
   * The offer of a source that could not be asked without its keys, or was only fetched: it says what it offers after a
   * yes to what it is.
   */
  #identityOffer: (CurrentOffer & OfferedTools) | null = null;
  #problem: SourceProblem | null = null;
  #signIn: SignInState['kind'] | null = null;
  #isClosed = false;

  constructor(parts: FollowedSourceDeps) {
    this.name = parts.name;
    this.settings = parts.settings;
    this.source = parts.source;
    this.#parts = parts;
    this.#accepted = parts.accepted;
    this.#stopFollowing = parts.source.onChange(() => this.#sourceChanged());
  }

  get accepted(): AcceptedSource {
    return this.#accepted;
  }

  /** Null as long as it was not asked. */
  get offered(): (CurrentOffer & OfferedTools) | null {
    return this.#offered;
  }

  get remarks(): readonly string[] {
    const { remarks = [] } = this.#reviewedOffer ?? {};
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
    if (this.#identityOffer !== null) return 'changed';
    if (this.#problem !== null) return this.#problem.kind;
    if (running === 'failed') return 'failed';
    const { waiting: newTools, changed } = this.counts;
    // One that has no tools may have something to read, and is accepted for that.
    const unseen = this.#offered !== null && (this.#accepted.server === null || this.isOtherServer);
    if (this.#update !== null || newTools + changed > 0 || (unseen && this.source.resources !== undefined))
      return 'changed';
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
      refused: this.#offered?.refused.length ?? 0,
    };
  }

  get isOtherServer(): boolean {
    return isOtherServer(this.#accepted.server, this.source.identity, this.#offered, this.#parts.mayBeWritten);
  }

  /** Where nobody said yes to what it is now, it may be asked what it offers, and no more. */
  get #startPurpose(): AcceptanceState {
    const { identity } = this.source;
    const { server } = this.#accepted;
    if (server === null) return identity[NOT_PINNED] === undefined ? 'new' : 'looked-at';
    return isOtherServer(server, identity, null, this.#parts.mayBeWritten) ? 'looked-at' : 'accepted';
  }

  /**
   * Whether it comes from a package that nobody saw: neither what was accepted, nor a press, nor a setting names it.
   */
  get #isUnseenPackage(): boolean {
    const { package: its } = this.source.identity;
    if (its === undefined) return false;
    const { server } = this.#accepted;
    if (server === null && this.settings.definitions === 'first') return false;
    return ![server?.identity['package'], this.#reviewedPackage].some(
      (seen) => seen !== undefined && digestJson(seen) === digestJson(its),
    );
  }

  /** Whether the offer under review was made without starting anything. */
  get #isUnstarted(): boolean {
    return this.#update === null ? this.#identityOffer !== null && this.#isUnseenPackage : this.#updateSource !== null;
  }

  get #reviewedOffer(): (CurrentOffer & OfferedTools) | null {
    return this.#update ?? this.#identityOffer ?? this.#offered;
  }

  /** The accepted tools, as far as they are not known to be gone and the settings still want them. */
  get standing(): readonly AcceptedToolState[] {
    const { server, tools } = this.#accepted;
    const isOther = this.isOtherServer;
    const offered = this.#offered === null ? null : new Map(this.#offered.tools.map((tool) => [tool.key, tool]));
    return [...tools.values()].flatMap((accepted) => {
      // It may not have been asked yet since the settings changed.
      if (!isWanted(accepted.operation.operation, this.settings)) return [];
      const now = offered?.get(accepted.key);
      if (offered !== null && now === undefined) return [];
      const isChanged = isOther || (now !== undefined && now.digest !== accepted.digest);
      const digest = digestJson({ server: server === null ? null : toServerJson(server), tool: accepted.digest });
      return [{ accepted, digest, stopped: isChanged ? this.#changeFailure(accepted.operation.operation) : null }];
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
      if (!this.#isUnseenPackage) await this.#askOffer(AbortSignal.timeout(LOOK_MS));
      else if (this.#identityOffer === null) {
        this.#identityOffer = this.#buildIdentityOffer(this.source, ONLY_FETCHED);
        this.#notify();
      }
    } catch (error) {
      if (!(error instanceof SourceProblem)) throw error;
    }
  }

  review(nameOf: (toolId: string) => string | null): SourceReview | null {
    const shown = this.#reviewedOffer;
    if (shown === null) return null;
    const review = buildReview(this.name, this.#accepted, shown, nameOf, this.#parts.mayBeWritten);
    return { ...review, isStarted: !this.#isUnstarted };
  }

  /** The person looks at its tools. */
  markRead(): void {
    const read = markAllRead(this.#accepted);
    if (read !== null) this.#saveAccepted(read);
  }

  /** Whether a newer version waits for the person’s yes. */
  get hasUpdate(): boolean {
    return this.#update !== null;
  }

  /** The person’s press. Nothing of it is started. Throws a `SourceProblem`. */
  async fetchNewer(): Promise<void> {
    const newer = await this.source.package?.fetchNewer();
    if (newer === undefined || this.#isClosed) return;
    this.#update = this.#buildIdentityOffer(newer, ONLY_FETCHED);
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
      this.#update = this.#buildOffer(newer, await newer.offer(AbortSignal.timeout(LOOK_MS), 'looked-at'));
    } catch (error) {
      // What wants its key to say anything is accepted by what it is, and its tools when it runs.
      this.#update = this.#buildIdentityOffer(newer, `${NO_OFFER_WITHOUT_KEYS} ${errorMessage(error)}`);
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
    const shown = this.#reviewedOffer;
    const review = this.review(nameOf);
    if (shown === null || review?.digest !== digest || !review.isStarted) return null;
    const before = this.#accepted;
    const { mayBeWritten } = this.#parts;
    const isOther = isOtherServer(before.server, shown.server.identity, shown, mayBeWritten);
    const wasUntold = this.#identityOffer !== null || (this.#update !== null && this.#update.tools.length === 0);
    const all = keys ?? new Set(shown.tools.map(({ key }) => key));
    if (this.#update !== null) this.#takeUpdate(this.#update);
    this.#identityOffer = null;
    this.#saveAccepted(acceptTools(before, shown, all, mayBeWritten));
    if (wasUntold) void this.refresh();
    return [...before.tools.values()].filter((tool) => {
      const now = this.#accepted.tools.get(tool.key);
      return isOther || (now !== undefined && now.digest !== tool.digest);
    });
  }

  /** Calls a tool. The offer is checked before each call: what was accepted is what is asked for. */
  async call(tool: AcceptedTool, args: JsonObject, context: ToolContext<'remote'>): Promise<SourceAnswer> {
    this.source.refreshFiles?.();
    // What is another server by now is not even started for a call, nor what the yes did not name.
    if (this.isOtherServer || this.#startPurpose === 'looked-at')
      throw new ToolFailure(this.#changeFailure(tool.operation.operation));
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
    return this.source.resources !== undefined && runs && this.#accepted.server !== null && !this.isOtherServer;
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
      if (this.#accepted.server === null || this.isOtherServer) throw new ToolFailure(this.#otherServerFailure());
    };
    this.source.refreshFiles?.();
    if (this.#startPurpose === 'looked-at') throw new ToolFailure(this.#otherServerFailure());
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
    const as = this.#startPurpose;
    // What it offered as another than it is now is nothing that could be accepted.
    if (this.#offered !== null && digestJson(this.#offered.server.identity) !== digestJson(this.source.identity)) {
      this.#offered = null;
      this.#offer = null;
    }
    try {
      const offer = await this.source.offer(signal, as);
      this.#identityOffer = null;
      this.#recordOffer(offer);
      return offer;
    } catch (error) {
      this.#identityOffer =
        as === 'looked-at'
          ? this.#buildIdentityOffer(this.source, `${NO_OFFER_WITHOUT_KEYS} ${errorMessage(error)}`)
          : null;
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
    throw new ToolFailure(this.#otherServerFailure());
  }

  #recordOffer(offer: Offer): void {
    if (this.#offer === offer && this.#problem === null) return;
    this.#problem = null;
    this.#offer = offer;
    this.#offered = this.#buildOffer(this.source, offer);
    const { mayBeWritten } = this.#parts;
    const asked = { kind: this.source.kind, mayBeWritten };
    const seen =
      this.settings.definitions === 'first' ? acceptFirstSeen(this.#accepted, this.#offered, asked) : this.#accepted;
    const filesSeen = isOtherServer(seen.server, this.source.identity, this.#offered, mayBeWritten)
      ? null
      : addSeenFiles(seen, this.#offered.server.identity);
    if (seen === this.#accepted && filesSeen === null) this.#notify();
    else this.#saveAccepted(filesSeen ?? seen);
  }

  /**
   * Takes the newer version before it is on record as accepted: where recording fails it is another server than was
   * accepted, and nothing of it is called.
   */
  #takeUpdate(coming: CurrentOffer & OfferedTools): void {
    this.#update = null;
    this.source.package?.takeNewer();
    this.#offer = null;
    this.#offered = coming;
  }

  #buildIdentityOffer(from: Source, why: string): CurrentOffer & OfferedTools {
    const nothing = { ownName: this.#accepted.server?.ownName ?? null, operations: [], refused: [] };
    return { ...this.#buildOffer(from, nothing), remarks: [why] };
  }

  #buildOffer(from: Source, offer: Offer): CurrentOffer & OfferedTools {
    const { name: source, settings } = this;
    return {
      server: { identity: from.identity, ownName: offer.ownName },
      ...admitOffer(offer, { source, settings, ...this.#parts.rules() }),
    };
  }

  #saveAccepted(accepted: AcceptedSource): void {
    this.#parts.keep(accepted);
    this.#accepted = accepted;
    this.#notify();
  }

  #assertStillAccepted(tool: AcceptedTool, offer: Offer): void {
    this.#recordOffer(offer);
    const now = this.#offered?.tools.find(({ key }) => key === tool.key);
    if (this.isOtherServer || now?.digest !== tool.digest)
      throw new ToolFailure(this.#changeFailure(tool.operation.operation));
  }

  #changeFailure(operation: string): Failure {
    return this.isOtherServer
      ? this.#otherServerFailure()
      : toolChangedFailure(`“${toVisibleLine(operation, 100)}” of “${this.name}” is not as the user accepted it.`);
  }

  #otherServerFailure(): Failure {
    return toolChangedFailure(`The source “${this.name}” is not the server that the user accepted.`);
  }

  #notify(): void {
    if (!this.#isClosed) this.#parts.onChange();
  }
}

const toolChangedFailure = (what: string): Failure => ({
  code: 'ToolChanged',
  message: `${what} They can look at the change and accept it in Gatehouse, under Tools.`,
});

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
