/** Where a conversation stands. What a message is, is not its business: it is kept, and given on. */
export interface Standing<Message> {
  readonly doing: 'idle' | 'answer' | 'calls';
  /** Rounds of calls since the person last spoke. */
  readonly rounds: number;
  /** Whether the answer that is asked for, or came last, may call. */
  readonly mayCall: boolean;
  /** Why the calls of the last answer did not run; null where they did. */
  readonly refused: Refusal | null;
  /** Stopped, while what runs still ends. */
  readonly isStopped: boolean;
  /** Sent while it worked. */
  readonly next: Message | null;
  /** Whether it could go on without a word of the person. */
  readonly canContinue: boolean;
}

export type Happening<Message> =
  | { readonly type: 'said'; readonly message: Message }
  | { readonly type: 'taken-back' }
  /** The person wants it to go on, or that answer once more (`insteadOf`). */
  | { readonly type: 'continued'; readonly insteadOf: string | null }
  /** An answer is over. `whole`: its end came, so its calls may run. `failed`: asking again may fail as well. */
  | { readonly type: 'answered'; readonly hasCalls: boolean; readonly whole: boolean; readonly failed: boolean }
  /** Every call of the answer has its result. `goesOn`: whether the model is to get them now. */
  | { readonly type: 'results'; readonly goesOn: boolean }
  /** `hasCalls`: the answer that is ended had begun some. */
  | { readonly type: 'stopped'; readonly hasCalls: boolean };

/** Why calls of an answer do not run. */
export type Refusal = 'rounds' | 'broke-off' | 'stopped';

export type Act<Message> =
  /** Ask the model, after the person's message where there is one; `insteadOf`: the answer to be given once more. */
  | {
      readonly do: 'ask';
      readonly message: Message | null;
      readonly mayCall: boolean;
      readonly insteadOf: string | null;
    }
  | { readonly do: 'run'; readonly refused: Refusal | null }
  | { readonly do: 'end-answer' }
  | { readonly do: 'end-calls' }
  | { readonly do: 'give-back'; readonly message: Message };

interface Step<Message> {
  readonly standing: Standing<Message>;
  readonly acts: readonly Act<Message>[];
}

export const AT_REST: Standing<never> = {
  doing: 'idle',
  rounds: 0,
  mayCall: true,
  refused: null,
  isStopped: false,
  next: null,
  canContinue: false,
};

/**
 * Idle → answer → calls → answer … (FR-RES-02, FR-RES-03): what comes of it when something happens. `mostRounds` is
 * `max_tool_iterations_per_user_turn`. What can't happen where it stands changes nothing.
 */
export function step<Message>(
  standing: Standing<Message>,
  happening: Happening<Message>,
  mostRounds: number,
): Step<Message> {
  switch (happening.type) {
    case 'said':
      if (standing.doing === 'idle') return spoken(standing, happening.message);
      return standing.next === null ? stays<Message>({ ...standing, next: happening.message }) : stays(standing);
    case 'taken-back':
      return stays<Message>({ ...standing, next: null });
    case 'continued':
      return standing.doing === 'idle'
        ? asks<Message>(anew<Message>(standing), { insteadOf: happening.insteadOf })
        : stays(standing);
    case 'answered':
      return standing.doing === 'answer' ? answered(standing, happening, mostRounds) : stays(standing);
    case 'results':
      return standing.doing === 'calls' ? withResults(standing, happening.goesOn) : stays(standing);
    case 'stopped':
      return stopped(standing, happening.hasCalls);
  }
}

const stays = <Message>(standing: Standing<Message>): Step<Message> => ({ standing, acts: [] });

/** The person spoke: all rounds are before it. */
const anew = <Message>(standing: Standing<Message>): Standing<Message> => ({
  ...standing,
  rounds: 0,
  refused: null,
  isStopped: false,
  canContinue: false,
});

interface Asked<Message> {
  readonly message?: Message;
  readonly mayCall?: boolean;
  readonly insteadOf?: string | null;
}

function asks<Message>(
  standing: Standing<Message>,
  { message, mayCall = true, insteadOf = null }: Asked<Message>,
): Step<Message> {
  return {
    standing: { ...standing, doing: 'answer', mayCall, canContinue: false },
    acts: [{ do: 'ask', message: message ?? null, mayCall, insteadOf }],
  };
}

const spoken = <Message>(standing: Standing<Message>, message: Message): Step<Message> =>
  asks<Message>(anew<Message>({ ...standing, next: null }), { message });

function answered<Message>(
  standing: Standing<Message>,
  { hasCalls, whole, failed }: Extract<Happening<Message>, { type: 'answered' }>,
  mostRounds: number,
): Step<Message> {
  if (hasCalls) {
    const isEnough = !standing.mayCall || standing.rounds >= mostRounds;
    return runs(standing, whole ? (isEnough ? 'rounds' : null) : 'broke-off');
  }
  const idle = { ...standing, doing: 'idle', refused: null, canContinue: !standing.mayCall && whole } as const;
  if (standing.next === null) return stays(idle);
  return failed
    ? { standing: { ...idle, next: null }, acts: [{ do: 'give-back', message: standing.next }] }
    : spoken(idle, standing.next);
}

const runs = <Message>(standing: Standing<Message>, refused: Refusal | null): Step<Message> => ({
  standing: { ...standing, doing: 'calls', rounds: standing.rounds + 1, refused },
  acts: [{ do: 'run', refused }],
});

function withResults<Message>(standing: Standing<Message>, goesOn: boolean): Step<Message> {
  const { refused, isStopped, mayCall, next } = standing;
  // What the model is not given is not in its history: only asking again leads on from there.
  const isGiven = refused === null || refused === 'rounds';
  const idle = { ...standing, doing: 'idle', isStopped: false, canContinue: isGiven } as const;
  if (next !== null) return spoken(idle, next);
  if (isStopped || !isGiven || !goesOn || !mayCall) return stays(idle);
  return asks<Message>(standing, { mayCall: refused === null });
}

function stopped<Message>(standing: Standing<Message>, hasCalls: boolean): Step<Message> {
  if (standing.doing === 'idle' || standing.isStopped) return stays(standing);
  const { next } = standing;
  const back: readonly Act<Message>[] = next === null ? [] : [{ do: 'give-back', message: next }];
  const ending = { ...standing, isStopped: true, next: null };
  if (standing.doing === 'calls') return { standing: ending, acts: [{ do: 'end-calls' }, ...back] };
  const ended: Step<Message> = hasCalls
    ? runs<Message>(ending, 'stopped')
    : { standing: { ...ending, doing: 'idle', isStopped: false }, acts: [] };
  return { standing: ended.standing, acts: [{ do: 'end-answer' }, ...ended.acts, ...back] };
}
