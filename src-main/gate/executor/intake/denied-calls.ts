import type { Door } from '#contract/vocabulary/calls.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DeclaredCall, ValidatedCall } from '../../../domain/call/call-stages.js';
import type { Judgement } from '../../../domain/call/judgement.js';
import type { Clock } from '../../../domain/ports/clock.js';
import { digestJson } from '../../../platform/digest.js';

const REMEMBERED_MS = 10 * 60_000;
const MAX_DENIED = 10_000;

interface DeniedCall {
  readonly door: Door;
  readonly session: string;
  readonly callId: string;
  /** The ids of denied calls that were requested again. */
  readonly repeats: string[];
  readonly failure: Failure;
  /** Digest of what it was judged on. */
  readonly judged: string;
  readonly at: number;
}

/**
 * Remembers the calls that the person denied, for ten minutes: the same call (its tool, version and arguments, as JSON)
 * that comes again in its session is denied with the same words, as long as its judgement is the same, or (in a
 * conversation) until the person’s next message. Kept only in memory: whoever restarts the app is asked anew.
 */
export class DeniedCalls {
  readonly #clock: Clock;
  readonly #denied = new Map<string, DeniedCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(declared: DeclaredCall, call: ValidatedCall, failure: Failure): void {
    // What the person composes themselves is asked about as often as they like.
    if (declared.asker.person || failure.code !== 'DeniedByPerson') return;
    if (this.#denied.size >= MAX_DENIED) this.#denied.clear();
    const { judgement, callId } = call;
    const { door, session } = declared.asker;
    this.#denied.set(deniedCallKey(declared, call), {
      door,
      session,
      callId,
      repeats: [],
      failure,
      judged: digestOfJudgement(judgement),
      at: this.#clock.monotonic(),
    });
  }

  /** How it ends where it is one again; null where it has to be asked about. */
  again(call: ValidatedCall): Failure | null {
    if (call.asker.person) return null;
    const key = deniedCallKey(call, call);
    const denied = this.#denied.get(key);
    if (denied === undefined) return null;
    const isHeld =
      this.#clock.monotonic() - denied.at < REMEMBERED_MS && denied.judged === digestOfJudgement(call.judgement);
    if (!isHeld) this.#denied.delete(key);
    if (!isHeld || denied.failure.code !== 'DeniedByPerson') return null;
    if (denied.repeats.length < MAX_DENIED) denied.repeats.push(call.callId);
    return { ...denied.failure, repeatOf: denied.callId };
  }

  /** “Ask me again”, on it or on one that came again. False where it would be asked about anyway. */
  forget(callId: string): boolean {
    for (const [key, denied] of this.#denied) {
      if (denied.callId === callId || denied.repeats.includes(callId)) return this.#denied.delete(key);
    }
    return false;
  }

  /** Forgets all denials of one session. */
  forgetSession(door: Door, session: string): void {
    for (const [key, denied] of this.#denied)
      if (denied.door === door && denied.session === session) this.#denied.delete(key);
  }
}

const deniedCallKey = (
  { asker: { door, session }, rawArguments }: DeclaredCall,
  { tool: { declaration } }: ValidatedCall,
): string => digestJson({ door, session, id: declaration.id, version: declaration.version, arguments: rawArguments });

/** Digests a judgement without the effect that was shown: that is worked out only once the call is asked about. */
const digestOfJudgement = (judgement: Judgement): string =>
  digestJson({ ...judgement, shown: null } as unknown as Json);
