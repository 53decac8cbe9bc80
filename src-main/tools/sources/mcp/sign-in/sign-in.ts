import type { SignInState } from '#contract/vocabulary/tools/sources.js';
import type { FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import type { OutsideKey } from '../../../../domain/ports/outside.js';
import { SourceProblem } from '../../../../domain/ports/sources/source.js';
import type {
  OpenSignInReturn,
  SignInStore,
  SignInReturn,
  SourceSignIn,
} from '../../../../domain/ports/sources/sign-in.js';
import { createBoundedFetch } from './bounded-answers.js';
import type { SignInChallenge } from './discovery.js';
import type { SignInRequest } from './grants.js';
import { pickMetadata, parseFacts, type SignInFacts, serializeFacts } from './sign-in-facts.js';

export interface SignInDeps {
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
export class SignInRequiredProblem extends SourceProblem {
  constructor(message: string) {
    super('failed', message);
    this.name = 'SignInWanted';
  }
}

/** The protocol of signing in is loaded when somebody does. */
const modules = {
  discovery: () => import('./discovery.js'),
  grants: () => import('./grants.js'),
  revocation: () => import('./revocation.js'),
};

interface PendingSignIn {
  readonly over: AbortController;
  readonly way: SignInReturn | null;
  readonly begun: SignInRequest | null;
}

/** Signing in at one server over HTTP: by the person, in their browser. What it gives is for that server's address alone. */
export class SignIn implements SourceSignIn {
  readonly #parts: SignInDeps;
  #challenge: SignInChallenge = { metadataUrl: null, scope: null };
  #isWanted = false;
  #problem: string | null = null;
  #pending: PendingSignIn | null = null;
  #renewing: Promise<void> | null = null;
  /** The key that the server took last. */
  #acceptedKey: string | null = null;
  /** The key that each response was requested with. */
  readonly #requestKeys = new WeakMap<Response, string | null>();

  constructor(parts: SignInDeps) {
    this.#parts = parts;
  }

  get state(): SignInState {
    const facts = this.#facts;
    const at = this.#pending;
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
    return this.#pending?.begun?.page.href ?? null;
  }

  /** Keys for a request to the server: the value is looked up as it leaves, and goes to no other address. */
  get keys(): readonly OutsideKey[] {
    const { source, url, keeper } = this.#parts;
    if (this.#facts === null) return [];
    const from = keeper.reference(source);
    return [{ header: 'authorization', prefix: 'Bearer ', from, boundTo: new URL(url).origin, asker: source }];
  }

  /** Wraps a fetch, and remembers which key each response was requested with. */
  watchFetch(fetch: FetchLike): FetchLike {
    return async (input, init) => {
      const access = this.#kept?.access ?? null;
      const response = await fetch(input, init);
      this.#requestKeys.set(response, access);
      if (response.ok) this.#acceptedKey = access;
      if (response.status === 403) await this.#noteWiderScope(response);
      return response;
    };
  }

  /** The server refused for want of a key, or of another one. Returns where it can be asked once more. */
  async unauthorized(response: Response): Promise<void> {
    const { source, keeper } = this.#parts;
    this.#challenge = (await modules.grants()).readChallenge(response);
    const [kept, facts] = [this.#kept, this.#facts];
    if (kept === null || facts === null) throw this.#requireSignIn(`“${source}” wants you to sign in.`);
    const used = this.#requestKeys.get(response) ?? null;
    // Another request renewed it meanwhile.
    if (used !== null && used !== kept.access) return;
    // A key that was renewed a moment ago, and never was taken, would not be after another renewal.
    if (kept.refresh === null || (this.#acceptedKey !== null && this.#acceptedKey !== kept.access)) {
      keeper.forget(source);
      throw this.#requireSignIn(`“${source}” does not take your sign-in any more.`);
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
    this.#setPending({ over, way: null, begun: null });
    const [{ discoverEndpoints: whereToSignIn }, { beginSignIn: begunAt, describeError: sentence }] = await Promise.all(
      [modules.discovery(), modules.grants()],
    );
    let way: SignInReturn | null = null;
    try {
      const fetch = createBoundedFetch(this.#parts.fetch, over.signal);
      const where = await whereToSignIn(url, this.#challenge, fetch);
      const state = randomBytes(32).toString('base64url');
      way = await openReturn(state);
      const begun = await begunAt(where, way.address, state, fetch);
      over.signal.throwIfAborted();
      this.#setPending({ over, way, begun });
      void this.#finish(begun, way, over);
    } catch (error) {
      way?.close();
      if (over.signal.aborted) throw new SourceProblem('failed', 'Signing in was stopped.');
      this.#problem = `Signing in at “${source}” can’t begin: ${sentence(error)}`;
      this.#setPending(null);
      throw new SourceProblem('failed', this.#problem);
    }
  }

  cancel(): void {
    if (this.#pending === null) return;
    this.#pending.over.abort();
    this.#pending.way?.close();
    this.#setPending(null);
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
    return (await modules.revocation()).revokeTokens(kept, facts, createBoundedFetch(fetch, NEVER_ABORTED));
  }

  get #kept() {
    return this.#parts.keeper.find(this.#parts.source);
  }

  get #facts(): SignInFacts | null {
    return parseFacts(this.#kept, this.#parts.url);
  }

  async #finish(begun: SignInRequest, way: SignInReturn, over: AbortController): Promise<void> {
    const { source, url, fetch } = this.#parts;
    const { exchangeCode: exchanged, describeError: sentence } = await modules.grants();
    const secrets = [begun.verifier];
    try {
      const came = await way.received;
      const refusal = came.get('error');
      if (refusal !== null) throw new Error(`it was refused there (${refusal})`);
      const code = came.get('code') ?? '';
      if (code === '' || code.length > MAX_CODE_LENGTH) throw new Error('what came back from there is no answer');
      secrets.push(code);
      const tokens = await exchanged(begun, code, came.get('iss'), createBoundedFetch(fetch, over.signal));
      over.signal.throwIfAborted();
      const { authorizationServer, metadata, resource, scope } = begun.where;
      this.#keep(tokens, {
        url,
        authorizationServer,
        host: begun.page.host,
        metadata: pickMetadata(metadata),
        client: begun.client,
        resource,
        scope: tokens.scope ?? scope ?? null,
      });
      this.#isWanted = false;
      this.#acceptedKey = null;
      this.#pending = null;
      this.#parts.onOtherKey();
    } catch (error) {
      if (over.signal.aborted) return;
      this.#pending = null;
      this.#problem = `You are not signed in at “${source}”: ${sentence(error, secrets)}`;
    }
    this.#parts.onChange();
  }

  async #renew(facts: SignInFacts, refreshToken: string): Promise<void> {
    const { source, keeper, fetch } = this.#parts;
    const { isFinalRefusal: isRefusal, renewTokens: renewed, describeError: sentence } = await modules.grants();
    try {
      const tokens = await renewed(facts, refreshToken, createBoundedFetch(fetch, NEVER_ABORTED));
      // Signed out, or in as somebody else, meanwhile: what came is nobody's.
      if (this.#kept?.refresh !== refreshToken) throw this.#requireSignIn(`You signed out of “${source}”.`);
      this.#keep(tokens, facts);
      this.#parts.onChange();
    } catch (error) {
      if (error instanceof SourceProblem) throw error;
      if (isRefusal(error)) {
        keeper.forget(source);
        throw this.#requireSignIn(`Your sign-in at “${source}” has ended.`);
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
    this.#parts.keeper.keep(this.#parts.source, { ...serializeFacts(facts), access, refresh: refresh ?? null });
  }

  async #noteWiderScope(response: Response): Promise<void> {
    const wider = (await modules.grants()).readWiderChallenge(response, this.#facts?.scope ?? null);
    if (wider === null) return;
    this.#challenge = wider;
    this.#isWanted = true;
    this.#parts.onChange();
  }

  #requireSignIn(words: string): SignInRequiredProblem {
    this.#isWanted = true;
    this.#parts.onChange();
    return new SignInRequiredProblem(`${words} Choose “Sign in…” beside it, under Tools.`);
  }

  #setPending(underWay: PendingSignIn | null): void {
    this.#pending = underWay;
    this.#parts.onChange();
  }
}

const MAX_CODE_LENGTH = 8192;
const NEVER_ABORTED = new AbortController().signal;
