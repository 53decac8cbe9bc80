import type { Config } from '#contract/vocabulary/config.js';
import type { SourceStage } from '#contract/vocabulary/tools/sources.js';
import type { ConfinementState } from '../../../domain/ports/command-runner.js';
import {
  type AcceptanceState,
  type MakeSource,
  type Offer,
  type Source,
  type SourceAnswer,
  type SourceInvocation,
  type SourceOptions,
  type SourcePackage,
  SourceProblem,
  type SourceState,
} from '../../../domain/ports/sources/source.js';
import type { ResourceRequest } from '../../../domain/ports/sources/source.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { undecidedFailure } from '../../../domain/call/judgement.js';
import type { InstalledPackage } from '../../../domain/ports/sources/packages.js';
import type { OpenSignInReturn, SignInStore } from '../../../domain/ports/sources/sign-in.js';
import { BackOff } from './back-off.js';
import type { FailureContext } from './to-tool-failure.js';
import { listSecretNames, createTerms } from './mcp-settings.js';
import { createMcpResources } from './mcp-resources.js';
import type { Session } from './session.js';
import type { SignIn } from './sign-in/sign-in.js';
import { createSignIn } from './sign-in/create-sign-in.js';
import { ProgramStart, type ProgramStartDeps } from './start/program-start.js';
import { waitUnlessAborted } from './start/wait-unless-aborted.js';
import { hasStatus, type SessionContext, SessionOpener, type SessionOpenerDeps } from './start/session-opener.js';

export interface McpSourceDeps
  extends ProgramStartDeps, Pick<SessionOpenerDeps, 'appVersion' | 'fetchFor' | 'questions'> {
  readonly signIns: { readonly keeper: SignInStore; readonly openReturn: OpenSignInReturn };
  /** Once it is known whether programs can be confined. */
  readonly now: () => Promise<OfferSituation>;
}

/** The situation in which a source is asked for its offer, when no call says it. */
export interface OfferSituation {
  readonly config: Config;
  readonly confinement: ConfinementState;
  /** The folder that is shown, by its real path. */
  readonly folder: string | null;
}

/** The protocol is loaded when somebody speaks it: the window does not wait for it. */
const modules = {
  failures: () => import('./to-tool-failure.js'),
};

export const createMcpSource =
  (parts: McpSourceDeps): MakeSource =>
  (made) =>
    new McpSource(parts, made);

type SessionRequest = Pick<SourceInvocation, 'signal' | 'stillAccepted'>;

/** The sign-in among the names of what a call is given; no key can be kept under this name. */
const SIGN_IN_SECRET = 'your sign-in';

/** The limit of sessions: each folder that a server may see has one of its own. */
const MAX_SESSIONS = 4;

class McpSource implements Source {
  readonly name: string;
  readonly kind = 'mcp';
  readonly termsFor: ReturnType<typeof createTerms>;
  readonly signIn: SignIn | null;
  readonly resources = createMcpResources(
    async (asked, send) => this.#askSession(await this.#createContext(asked), asked, send),
    () => listSecretNames(this.#made.settings).length > 0 || this.#isSignedIn,
  );
  readonly #parts: McpSourceDeps;
  readonly #made: SourceOptions;
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #listeners = new Set<() => void>();
  readonly #backOff = new BackOff();
  readonly #program: ProgramStart;
  readonly #opener: SessionOpener;
  #newest: Session | null = null;
  #running: SourceState['running'] = 'unknown';
  #stage: SourceStage | null = null;
  #problem: string | null = null;
  #offered: Offer | null = null;
  /** The stamp of what it was last started from. */
  #stamp: string | null = null;
  #isClosed = false;

  constructor(parts: McpSourceDeps, made: SourceOptions, fetched: InstalledPackage | null = null) {
    this.#parts = parts;
    this.#made = made;
    this.name = made.name;
    this.#program = new ProgramStart(made, parts, () => this.#notify(), fetched);
    const bySettings = createTerms(made.settings);
    this.termsFor = (situation) => {
      const terms = bySettings(situation);
      return this.#isSignedIn ? { ...terms, secrets: [...terms.secrets, SIGN_IN_SECRET] } : terms;
    };
    this.signIn = createSignIn(made, {
      ...parts.signIns,
      fetchFor: parts.fetchFor,
      onChange: () => this.#notify(),
      onOtherKey: () => this.#restartSessions(),
    });
    const { signIn, termsFor } = this;
    const onChange = (): void => this.#notify();
    this.#opener = new SessionOpener({ ...parts, made, program: this.#program, signIn, termsFor, onChange });
  }

  /** Starts over: the next request opens a new session; requests in flight go on to their end. */
  #restartSessions(): void {
    this.#backOff.succeeded();
    this.#problem = null;
    if (this.#running === 'failed') this.#running = 'stopped';
    for (const key of this.#sessions.keys()) this.#endWhenIdle(key);
  }

  #endWhenIdle(key: string): void {
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    void session?.then(
      async (each) => {
        await each.whenIdle();
        await each.close();
      },
      () => undefined,
    );
  }

  get #isSignedIn(): boolean {
    return this.signIn !== null && this.signIn.keys.length > 0;
  }

  get identity(): Source['identity'] {
    return this.#program.identity;
  }

  get isToBeFetched(): boolean {
    const { isFetched, installed } = this.#program.package;
    return isFetched && installed === null;
  }

  async fetch(signal: AbortSignal): Promise<void> {
    if (!this.isToBeFetched) return;
    const { config, confinement } = await this.#parts.now();
    const { process } = this.termsFor({ config, confinement, network: NOTHING_ALLOWED });
    if (process === null) return;
    this.#assertMayRetry();
    this.#setStage('fetching');
    try {
      await waitUnlessAborted(this.#program.package.resolveCommand({ process, config }), signal);
      this.#problem = null;
      this.#setStage(null);
    } catch (error) {
      throw await this.#recordFailure(error, true);
    }
  }

  get notPinned(): readonly string[] {
    return this.#program.notPinned;
  }

  refreshFiles(): void {
    this.#program.lookAgain();
  }

  get package(): SourcePackage | null {
    return this.#program.package.toView({ fetchNewer: () => this.#fetchNewer(), takeNewer: () => this.#takeNewer() });
  }

  async offer(signal: AbortSignal, as: AcceptanceState = 'accepted'): Promise<Offer> {
    // Before anything is waited for: whoever asks has just looked at it.
    const { stamp } = this.#program;
    const { config, confinement, folder } = await this.#parts.now();
    // What it is asked for is not what a call of it gets: only its own terms count.
    const { process } = this.termsFor({ config, confinement, network: NOTHING_ALLOWED });
    try {
      const asked = this.#ensureSession({ folder, process, config, as, stamp }).then((session) => session.offer());
      this.#offered = await waitUnlessAborted(asked, signal);
      this.#program.package.lookForNewer();
      return this.#offered;
    } catch (error) {
      throw await loadSourceProblem(this.name, error);
    }
  }

  async call(invocation: SourceInvocation): Promise<SourceAnswer> {
    const { folder, terms, config } = invocation;
    const { stamp } = this.#program;
    const place: SessionContext = { folder, process: terms.process, config, as: 'accepted', stamp };
    return await this.#askSession(place, invocation, (session) => {
      // The person signed in since: what was judged would have gone without that.
      if (this.#isSignedIn && !terms.secrets.includes(SIGN_IN_SECRET))
        throw new ToolFailure(undecidedFailure(`the user signed in at “${this.name}” after it was judged`));
      return session.call(invocation);
    });
  }

  async #askSession<T>(
    place: SessionContext,
    asked: SessionRequest,
    send: (session: Session) => Promise<T>,
  ): Promise<T> {
    try {
      return await send(await this.#openForCall(place, asked));
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
    // The server does not know the session any more, so it took nothing: asked once more, in a new one.
    const again = await this.#openForCall(place, asked);
    try {
      return await send(again);
    } catch (error) {
      throw await loadToolFailure(error, toFailureContext(this.name, asked.signal));
    }
  }

  /** Held as for its calls. */
  async #createContext({ folder, config }: ResourceRequest): Promise<SessionContext> {
    const { stamp } = this.#program;
    const { confinement } = await this.#parts.now();
    const { process } = this.termsFor({ config, confinement, network: NOTHING_ALLOWED });
    return { folder, config, process, as: 'accepted', stamp };
  }

  state(): SourceState {
    const isOpen = this.#newest?.isOpen === true;
    return {
      running: isOpen ? 'running' : this.#running === 'running' ? 'stopped' : this.#running,
      stage: this.#stage,
      problem: this.#problem,
      complaints: this.#opener.complaints,
      confinement: isOpen ? (this.#newest?.connection.confinement ?? null) : null,
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const fetched = this.#program.package.close();
    this.signIn?.cancel();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled([fetched, ...sessions.map(async (session) => (await session).close())]);
  }

  /** Begun, and offering what was accepted. Throws a `ToolFailure`. */
  async #openForCall(place: SessionContext, { signal, stillAccepted }: SessionRequest): Promise<Session> {
    let session: Session;
    let now: Offer;
    try {
      session = await waitUnlessAborted(this.#ensureSession(place), signal);
      now = await waitUnlessAborted(session.offer(), signal);
    } catch (error) {
      throw signal.aborted
        ? await loadToolFailure(error, toFailureContext(this.name, signal))
        : (await modules.failures()).toStartFailure(this.name, error);
    }
    if (now !== this.#offered) stillAccepted(now);
    return session;
  }

  async #ensureSession(place: SessionContext): Promise<Session> {
    if (this.#isClosed) throw new SourceProblem('failed', `“${this.name}” is being ended.`);
    const key = this.#sessionKey(place);
    const known = this.#sessions.get(key);
    const session = await known?.catch(() => null);
    if (session?.isOpen === true) return session;
    if (this.#sessions.get(key) === known) {
      // The person looks as often as they like: what fails without its keys may well run with them.
      if (place.as !== 'looked-at') this.#assertMayRetry();
      this.#evictOldest();
      this.#sessions.set(key, this.#startSession(place));
    }
    // Somebody else may have begun it meanwhile.
    return await (this.#sessions.get(key) ?? this.#ensureSession(place));
  }

  /**
   * The session's key. What the server was started from is part of it: nothing that was accepted later is asked of what
   * ran before.
   */
  #sessionKey({ folder, process, as }: SessionContext): string {
    const { command, filesystem } = this.#made.settings;
    // What it is told to be the workspace’s folder is that of who asks.
    if (command === undefined) return filesystem === 'none' ? '' : JSON.stringify([folder, as]);
    const { stamp } = this.#program;
    if (stamp !== this.#stamp) for (const key of this.#sessions.keys()) this.#endWhenIdle(key);
    this.#stamp = stamp;
    // Accepted meanwhile, it begins anew, with what it kept before.
    if (as === 'accepted')
      for (const key of this.#sessions.keys()) if (!key.endsWith('"accepted"]')) this.#endWhenIdle(key);
    return JSON.stringify([filesystem === 'none' ? null : folder, process?.held, as]);
  }

  #evictOldest(): void {
    if (this.#sessions.size < MAX_SESSIONS) return;
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined) this.#endWhenIdle(oldest);
  }

  #assertMayRetry(): void {
    const rest = Math.ceil(this.#backOff.remainingMs / 1000);
    if (rest > 0)
      throw new SourceProblem(
        'failed',
        `“${this.name}” failed again and again. It is tried again in ${rest} s. ${this.#problem ?? ''}`.trim(),
      );
  }

  #setStage(stage: SourceStage | null): void {
    this.#stage = stage;
    this.#notify();
  }

  /** Records a failure, and returns the problem to throw for it. */
  async #recordFailure(error: unknown, counts: boolean): Promise<SourceProblem> {
    if (counts) this.#backOff.failed();
    const problem = await loadSourceProblem(this.name, error);
    this.#problem = problem.message;
    this.#running = 'failed';
    this.#setStage(null);
    return problem;
  }

  async #startSession(place: SessionContext): Promise<Session> {
    this.#setStage('starting');
    try {
      const session = await this.#opener.open(place);
      this.#newest = session;
      this.#backOff.succeeded();
      this.#running = 'running';
      this.#problem = null;
      this.#setStage('listing');
      // Whoever began it asks for the same.
      session.offer().then(
        () => this.#setStage(null),
        () => this.#setStage(null),
      );
      return session;
    } catch (error) {
      await this.#recordFailure(error, place.as !== 'looked-at');
      throw error;
    }
  }

  async #fetchNewer(): Promise<Source> {
    const { config, confinement } = await this.#parts.now();
    const { process } = this.termsFor({ config, confinement, network: NOTHING_ALLOWED });
    if (process === null) throw new SourceProblem('failed', `“${this.name}” is started from no package.`);
    try {
      return new McpSource(this.#parts, this.#made, await this.#program.package.fetchNewer({ process, config }));
    } catch (error) {
      throw await loadSourceProblem(this.name, error);
    }
  }

  #takeNewer(): void {
    try {
      this.#program.package.takeNewer();
    } catch (error) {
      throw error instanceof SourceProblem ? error : notTakenProblem(this.name, error);
    }
    this.#restartSessions();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const loadToolFailure = async (error: unknown, call: FailureContext): Promise<Error> =>
  (await modules.failures()).toToolFailure(error, call);

const notTakenProblem = (source: string, error: unknown): SourceProblem =>
  new SourceProblem(
    'failed',
    `The newer version of “${source}” can’t be used: ${error instanceof Error ? error.message : String(error)}`,
  );

const loadSourceProblem = async (source: string, error: unknown): Promise<SourceProblem> =>
  (await modules.failures()).toSourceProblem(source, error);

const toFailureContext = (source: string, signal: AbortSignal) => ({
  source,
  signal,
  beganAt: performance.now(),
  broken: null,
  complaints: '',
});
