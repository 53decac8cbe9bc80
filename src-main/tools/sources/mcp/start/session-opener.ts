import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { Config } from '#contract/vocabulary/config.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { parseSettingHeaders } from '../../../../domain/outside/setting-headers.js';
import type { Clock } from '../../../../domain/ports/clock.js';
import type { ConfinementState } from '../../../../domain/ports/command-runner.js';
import type { ServerQuestions } from '../../../../domain/ports/sources/server-questions.js';
import { type AcceptanceState, type SourceOptions, SourceProblem } from '../../../../domain/ports/sources/source.js';
import type { ErrorOutput } from '../../../../domain/text/error-output.js';
import type { ProcessTerms } from '../../../../domain/tool/terms.js';
import type { Connection } from '../connection.js';
import type { CreateFetch } from '../create-fetch.js';
import { explainLackingAccess, type GrantedAccess } from '../lacking-access.js';
import type { createTerms } from '../mcp-settings.js';
import type { Session } from '../session.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { ProgramStart } from './program-start.js';

export interface SessionOpenerDeps {
  readonly appVersion: string;
  readonly made: SourceOptions;
  readonly program: ProgramStart;
  readonly signIn: SignIn | null;
  readonly termsFor: ReturnType<typeof createTerms>;
  readonly homeOf: (source: string) => string;
  /** Asked for each request where it may go, and with which keys. */
  readonly fetchFor: CreateFetch;
  readonly questions: ServerQuestions;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onChange: () => void;
}

/** The context that a session is bound to: a server that sees a folder sees that one and no other. */
export interface SessionContext {
  readonly folder: string | null;
  readonly process: ProcessTerms | null;
  readonly config: Config;
  readonly as: AcceptanceState;
  /** The stamp of what it is to be started from, as it was when that was judged. */
  readonly stamp: string;
}

/** The protocol is loaded when somebody speaks it: the window does not wait for it. */
const modules = {
  session: () => import('../session.js'),
  connection: () => import('../connection.js'),
};

/** Opens sessions with a server, in the way that it is known to speak since the last one. */
export class SessionOpener {
  readonly #parts: SessionOpenerDeps;
  #complaints: ErrorOutput | null = null;
  #priorDiscovery: PriorDiscovery | null = null;
  #httpProtocol: 'streamable' | 'older' = 'streamable';

  constructor(parts: SessionOpenerDeps) {
    this.#parts = parts;
  }

  /** The end of what the server of the last session said on stderr. */
  get complaints(): string {
    return this.#complaints?.text ?? '';
  }

  /**
   * Opens a session. A request that a server does not know ends some of them; an older one is greeted in the older way.
   */
  async open(place: SessionContext): Promise<Session> {
    const { command } = this.#parts.made.settings;
    try {
      return await this.#open(place, this.#priorDiscovery);
    } catch (error) {
      if (command === undefined) {
        if (this.#httpProtocol === 'older' || !isOlderServer(error)) throw error;
        this.#httpProtocol = 'older';
      } else if (this.#priorDiscovery !== null || error instanceof SourceProblem) throw error;
    }
    try {
      return await this.#open(place, { kind: 'legacy' });
    } catch (error) {
      this.#httpProtocol = 'streamable';
      throw error;
    }
  }

  async #open(place: SessionContext, prior: PriorDiscovery | null): Promise<Session> {
    const connection = await this.#connect(place);
    this.#complaints = connection.complaints;
    try {
      const session = await (
        await modules.session()
      ).Session.open({
        source: this.#parts.made.name,
        settings: this.#parts.made.settings,
        appVersion: this.#parts.appVersion,
        connection,
        root: this.#parts.made.settings.filesystem === 'none' || place.as === 'looked-at' ? null : place.folder,
        prior,
        lacking: this.#grantedAccess,
        onChange: this.#parts.onChange,
        questions: this.#parts.questions,
        clock: this.#parts.clock,
      });
      this.#priorDiscovery = session.spoke;
      return session;
    } catch (error) {
      const { broken, complaints, network } = connection;
      if (broken === null) throw error;
      const said = complaints.last === '' ? '' : ` It said last: ${complaints.last}`;
      const lacked = explainLackingAccess(this.#grantedAccess, complaints.last, network?.refusedSince(0) ?? []);
      throw new Error(`${broken.words}.${said}${lacked === null ? '' : ` ${lacked}`}`, { cause: error });
    }
  }

  get #grantedAccess(): GrantedAccess {
    const { command, network } = this.#parts.made.settings;
    const home = (): string => this.#parts.homeOf(this.#parts.made.name);
    return { source: this.#parts.made.name, network, home: command === undefined ? null : home };
  }

  async #connect({ folder, process, config, as, stamp }: SessionContext): Promise<Connection> {
    const { settings } = this.#parts.made;
    if (settings.command === undefined || process === null) {
      const written = parseSettingHeaders(this.#parts.made.name, settings.headers);
      const url = settings.url ?? '';
      const { signIn } = this.#parts;
      const within = `${new URL(url).origin}/`;
      const fetch = this.#parts.fetchFor(() => ({ within, keys: [...written.keysFor(url), ...(signIn?.keys ?? [])] }));
      return (await modules.connection()).openHttpConnection(
        { url, headers: written.plain, fetch, signIn },
        this.#httpProtocol,
      );
    }
    const terms = this.#parts.termsFor({ config, confinement: UNKNOWN_CONFINEMENT, network: NOTHING_ALLOWED });
    const program = this.#parts.program.start({ folder, process, config, terms, as, stamp });
    return (await modules.connection()).openProgramConnection(this.#parts.made.name, program);
  }
}

/** The confinement where nobody asked for it: what a remote server reaches is the same wherever it runs. */
const UNKNOWN_CONFINEMENT: ConfinementState = { available: false, problem: null };

export const hasStatus = (error: unknown, status: number): boolean =>
  typeof error === 'object' && error !== null && 'status' in error && error.status === status;

/**
 * Whether the server is from before there was one address for everything: such servers answer otherwise to the first
 * request.
 */
const isOlderServer = (error: unknown): boolean => [400, 404, 405].some((status) => hasStatus(error, status));
