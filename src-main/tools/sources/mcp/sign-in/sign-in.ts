import type { FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import type { OutsideKey } from '../../../../domain/ports/outside.js';
import { SourceProblem } from '../../../../domain/ports/sources/source.js';
import type {
  OpenSignInReturn,
  SignInStore,
  SignInReturn,
  SignInState,
  SourceSignIn,
} from '../../../../domain/ports/sources/sign-in.js';
import { boundedAnswers } from './bounded-answers.js';
import type { Challenge } from './discovery.js';
import type { Begun } from './grants.js';
import { metadataKept, readFacts, type SignInFacts, writtenFacts } from './kept-facts.js';

export interface SignInParts {
  readonly source: string;
  readonly url: string;
  readonly fetch: FetchLike;
  readonly keeper: SignInStore;
  readonly openReturn: OpenSignInReturn;
  /** Called when what is reported of it changed. */
  readonly onChange: () => void;
  /** Called when sessions opened with another key, or none, are to be opened anew. */
  readonly onOtherKey: () => void;
}

/** The server wants a sign-in: the words say where the person finds that. */
export class SignInWanted extends SourceProblem {
  constructor(message: string) {
    super('failed', message);
    this.name = 'SignInWanted';
  }
}

/** The protocol of signing in is loaded when somebody does. */
const speaking = {
  discovery: () => import('./discovery.js'),
  grants: () => import('./grants.js'),
  revocation: () => import('./revocation.js'),
};

interface UnderWay {
  readonly over: AbortController;
  readonly way: SignInReturn | null;
  readonly begun: Begun | null;
}

/** Signing in at one server over HTTP: by the person, in their browser. What it gives is for that server's address alone. */
export class SignIn implements SourceSignIn {
  readonly #parts: SignInParts;
  #challenge: Challenge = { metadataUrl: null, scope: null };
  #isWanted = false;
  #problem: string | null = null;
  #underWay: UnderWay | null = null;
  #renewing: Promise<void> | null = null;
  /** The key that the server took last. */
  #taken: string | null = null;
  /** The key that each response was requested with. */
  readonly #askedWith = new WeakMap<Response, string | null>();

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  get state(): SignInState {
    const facts = this.#facts;
    const at = this.#underWay;
    const begun = at?.begun ?? null;
    return {
      kind: at !== null ? 'under-way' : this.#isWanted ? 'wanted' : facts === null ? 'none' : 'signed-in',
      host: begun?.page.host ?? facts?.host ?? null,
      address: begun?.page.href ?? null,
      others: begun?.where.others ?? [],
      scope: begun === null ? (facts?.scope ?? null) : (begun.where.scope ?? null),
      problem: this.#problem,
    };
  }

  get address(): string | null {
    return this.#underWay?.begun?.page.href ?? null;
  }

  /** Keys for a request to the server: the value is looked up as it leaves, and goes to no other address. */
  get keys(): readonly OutsideKey[] {
    const { source, url, keeper } = this.#parts;
    if (this.#facts === null) return [];
    const from = keeper.reference(source);
    return [{ header: 'authorization', prefix: 'Bearer ', from, boundTo: new URL(url).origin, asker: source }];
  }

  /** Wraps a fetch, and remembers which key each response was requested with. */
  watched(fetch: FetchLike): FetchLike {
    return async (input, init) => {
      const access = this.#kept?.access ?? null;
      const response = await fetch(input, init);
      this.#askedWith.set(response, access);
      if (response.ok) this.#taken = access;
      if (response.status === 403) await this.#wantsMore(response);
      return response;
    };
  }

  /** The server refused for want of a key, or of another one. Returns where it can be asked once more. */
  async unauthorized(response: Response): Promise<void> {
    const { source, keeper } = this.#parts;
    this.#challenge = (await speaking.grants()).challengeIn(response);
    const [kept, facts] = [this.#kept, this.#facts];
    if (kept === null || facts === null) throw this.#wanted(`“${source}” wants you to sign in.`);
    const used = this.#askedWith.get(response) ?? null;
    // Another request renewed it meanwhile.
    if (used !== null && used !== kept.access) return;
    // One that was renewed a moment ago, and never was taken, would not be after the next time.
    if (kept.refresh === null || (this.#taken !== null && this.#taken !== kept.access)) {
      keeper.forget(source);
      throw this.#wanted(`“${source}” does not take your sign-in any more.`);
    }
    this.#renewing ??= this.#renew(facts, kept.refresh).finally(() => (this.#renewing = null));
    await this.#renewing;
  }

  async begin(): Promise<void> {
    const { source, url, keeper, openReturn } = this.#parts;
    if (keeper.unavailable !== null) throw new SourceProblem('failed', keeper.unavailable);
    this.cancel();
    const over = new AbortController();
    this.#problem = null;
    this.#set({ over, way: null, begun: null });
    const [{ whereToSignIn }, { begunAt, sentence }] = await Promise.all([speaking.discovery(), speaking.grants()]);
    let way: SignInReturn | null = null;
    try {
      const fetch = boundedAnswers(this.#parts.fetch, over.signal);
      const where = await whereToSignIn(url, this.#challenge, fetch);
      const state = randomBytes(32).toString('base64url');
      way = await openReturn(state);
      const begun = await begunAt(where, way.address, state, fetch);
      over.signal.throwIfAborted();
      this.#set({ over, way, begun });
      void this.#finish(begun, way, over);
    } catch (error) {
      way?.close();
      if (over.signal.aborted) throw new SourceProblem('failed', 'Signing in was stopped.');
      this.#problem = `Signing in at “${source}” can’t begin: ${sentence(error)}`;
      this.#set(null);
      throw new SourceProblem('failed', this.#problem);
    }
  }

  cancel(): void {
    if (this.#underWay === null) return;
    this.#underWay.over.abort();
    this.#underWay.way?.close();
    this.#set(null);
  }

  async signOut(): Promise<string | null> {
    const { source, keeper, fetch } = this.#parts;
    this.cancel();
    const [kept, facts] = [this.#kept, this.#facts];
    keeper.forget(source);
    this.#isWanted = false;
    this.#problem = null;
    this.#parts.onOtherKey();
    this.#parts.onChange();
    if (kept === null || facts === null) return null;
    return (await speaking.revocation()).revoked(kept, facts, boundedAnswers(fetch, never));
  }

  get #kept() {
    return this.#parts.keeper.find(this.#parts.source);
  }

  get #facts(): SignInFacts | null {
    return readFacts(this.#kept, this.#parts.url);
  }

  async #finish(begun: Begun, way: SignInReturn, over: AbortController): Promise<void> {
    const { source, url, fetch } = this.#parts;
    const { exchanged, sentence } = await speaking.grants();
    const secrets = [begun.verifier];
    try {
      const came = await way.received;
      const refusal = came.get('error');
      if (refusal !== null) throw new Error(`it was refused there (${refusal})`);
      const code = came.get('code') ?? '';
      if (code === '' || code.length > MOST_CODE) throw new Error('what came back from there is no answer');
      secrets.push(code);
      const tokens = await exchanged(begun, code, came.get('iss'), boundedAnswers(fetch, over.signal));
      over.signal.throwIfAborted();
      const { authorizationServer, metadata, resource, scope } = begun.where;
      this.#keep(tokens, {
        url,
        authorizationServer,
        host: begun.page.host,
        metadata: metadataKept(metadata),
        client: begun.client,
        resource,
        scope: tokens.scope ?? scope ?? null,
      });
      this.#isWanted = false;
      this.#taken = null;
      this.#underWay = null;
      this.#parts.onOtherKey();
    } catch (error) {
      if (over.signal.aborted) return;
      this.#underWay = null;
      this.#problem = `You are not signed in at “${source}”: ${sentence(error, secrets)}`;
    }
    this.#parts.onChange();
  }

  async #renew(facts: SignInFacts, refreshToken: string): Promise<void> {
    const { source, keeper, fetch } = this.#parts;
    const { isRefusal, renewed, sentence } = await speaking.grants();
    try {
      const tokens = await renewed(facts, refreshToken, boundedAnswers(fetch, never));
      // Signed out, or in as somebody else, meanwhile: what came is nobody's.
      if (this.#kept?.refresh !== refreshToken) throw this.#wanted(`You signed out of “${source}”.`);
      this.#keep(tokens, facts);
      this.#parts.onChange();
    } catch (error) {
      if (error instanceof SourceProblem) throw error;
      if (isRefusal(error)) {
        keeper.forget(source);
        throw this.#wanted(`Your sign-in at “${source}” has ended.`);
      }
      const words = sentence(error, [refreshToken]);
      throw new SourceProblem('failed', `Your sign-in at “${source}” could not be renewed: ${words} Try again later.`);
    }
  }

  #keep(tokens: OAuthTokens, facts: SignInFacts): void {
    const { access_token: access, refresh_token: refresh, token_type: type } = tokens;
    if (type.toLowerCase() !== 'bearer') throw new Error('it gave a key of a kind that is not known here');
    for (const each of [access, ...(refresh === undefined ? [] : [refresh])])
      if (!/^[\u0021-\u007e]{1,10000}$/u.test(each)) throw new Error('it gave a key that can’t be one');
    this.#parts.keeper.keep(this.#parts.source, { ...writtenFacts(facts), access, refresh: refresh ?? null });
  }

  async #wantsMore(response: Response): Promise<void> {
    const wider = (await speaking.grants()).widerChallenge(response, this.#facts?.scope ?? null);
    if (wider === null) return;
    this.#challenge = wider;
    this.#isWanted = true;
    this.#parts.onChange();
  }

  #wanted(words: string): SignInWanted {
    this.#isWanted = true;
    this.#parts.onChange();
    return new SignInWanted(`${words} Choose “Sign in…” beside it, under Tools.`);
  }

  #set(underWay: UnderWay | null): void {
    this.#underWay = underWay;
    this.#parts.onChange();
  }
}

const MOST_CODE = 8192;
const never = new AbortController().signal;
