import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Bearer } from '../domain/call/asker.js';
import { NOT_PERMITTED } from '../domain/call/failures.js';
import type { DoorFolders } from '../domain/ports/door-folders.js';
import type { Invocations } from '../domain/ports/invocations.js';

/** The folder that a request of a program names, in its body or headers. */
export interface FolderNamed {
  /** The folder named in the body. */
  readonly workspace: string | null;
  readonly headers: IncomingHttpHeaders;
}

/** Where a program's request happens; or why it does not (`refused`: it is recorded so; `unclear`: it is no request at all). */
export type ProgramFolder =
  | { readonly folder: string; readonly refused: Failure | null; readonly unclear?: undefined }
  | { readonly unclear: string };

/** A session that a program named: as its calls are recorded under it. Null where it named none: each request is by itself then. */
type SessionOfProgram = string | null;

const MAX_SESSIONS = 10_000;

/** The folders of programs' sessions: each session takes its own once, with its first request, and never moves. */
export class ProgramFolders {
  readonly #folders: Pick<DoorFolders, 'resolveSessionFolder'>;
  readonly #invocations: Pick<Invocations, 'findSessionFolder'> | null;
  /**
   * The folders taken by sessions of this run: nothing of a session may be on record yet when its next request comes.
   */
  readonly #taken = new Map<string, Promise<string | null>>();

  constructor(
    folders: Pick<DoorFolders, 'resolveSessionFolder'>,
    invocations: Pick<Invocations, 'findSessionFolder'> | null,
  ) {
    this.#folders = folders;
    this.#invocations = invocations;
  }

  async of(session: SessionOfProgram, { workspace, headers }: FolderNamed, { agent }: Bearer): Promise<ProgramFolder> {
    const inHeader = headers[WORKSPACE_HEADER];
    const names = [workspace, typeof inHeader === 'string' ? inHeader : null].filter((name) => (name ?? '') !== '');
    const meant = await Promise.all(names.map((name) => this.#folders.resolveSessionFolder(name, agent)));
    const [first = null, second = first] = meant;
    if (names.length === 2 && names[0] !== names[1] && (first === null || first !== second)) return { unclear: BOTH };
    if (names.length > 0 && first === null) return { folder: '', refused: NOT_PERMITTED };
    const begun = await this.#begun(session, names.length > 0 ? first : null, agent);
    if (names.length > 0 && begun !== first) return { folder: begun ?? '', refused: moves };
    return { folder: begun ?? '', refused: null };
  }

  /** Where somebody is who asks for what was: their session's folder, else the one that is shown. */
  async now(session: SessionOfProgram, { agent }: Bearer): Promise<string> {
    const known = session === null ? null : ((await this.#taken.get(session)) ?? this.#recorded(session));
    return known ?? (await this.#folders.resolveSessionFolder(null, agent)) ?? '';
  }

  async #begun(session: SessionOfProgram, named: string | null, agent: string | null): Promise<string | null> {
    const begin = async (): Promise<string | null> => named ?? this.#folders.resolveSessionFolder(null, agent);
    if (session === null) return begin();
    const known = this.#recorded(session);
    if (known !== null) return known;
    const taken = this.#taken.get(session) ?? begin();
    this.#taken.delete(session);
    this.#taken.set(session, taken);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > MAX_SESSIONS && oldest !== undefined) this.#taken.delete(oldest);
    const folder = await taken;
    // While none was open it took none: the first that there is becomes its own.
    if (folder === '' || folder === null) this.#taken.delete(session);
    return folder;
  }

  #recorded(session: string): string | null {
    const folder = this.#invocations?.findSessionFolder(session) ?? null;
    return folder === '' ? null : folder;
  }
}

/** The header that names one of the open folders, by its path. */
const WORKSPACE_HEADER = 'gatehouse-workspace';

const BOTH = 'workspace and the header Gatehouse-Workspace name two folders. Name one.';

const moves: Failure = {
  code: 'NotPermitted',
  message:
    'This session works in another folder, and a session never moves. Leave workspace out, or use another session_id.',
};
