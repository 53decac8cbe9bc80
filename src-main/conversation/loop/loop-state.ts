/** The state of a conversation’s loop. It does not look into a message: it keeps it, and passes it on. */
export interface LoopState<Message> {
  readonly doing: 'idle' | 'answer' | 'calls';
  /** Rounds of calls since the person last spoke. */
  readonly rounds: number;
  /** Whether the answer that is asked for, or came last, may call. */
  readonly mayCall: boolean;
  /** Why the calls of the last answer did not run; null where they did. */
  readonly refused: CallsRefusal | null;
  /** Stopped, while what runs still ends. */
  readonly isStopped: boolean;
  /** Sent while it worked. */
  readonly next: Message | null;
  /** Whether it could go on without a word of the person. */
  readonly canContinue: boolean;
}

export type LoopEvent<Message> =
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
export type CallsRefusal = 'rounds' | 'broke-off' | 'stopped';

export type LoopAction<Message> =
  /** Ask the model, after the person's message where there is one; `insteadOf`: the answer to be given once more. */
  | {
      readonly do: 'ask';
      readonly message: Message | null;
      readonly mayCall: boolean;
      readonly insteadOf: string | null;
    }
  | { readonly do: 'run'; readonly refused: CallsRefusal | null }
  | { readonly do: 'end-answer' }
  | { readonly do: 'end-calls' }
  | { readonly do: 'give-back'; readonly message: Message };

interface LoopStep<Message> {
  readonly state: LoopState<Message>;
  readonly actions: readonly LoopAction<Message>[];
}

export const IDLE_STATE: LoopState<never> = {
  doing: 'idle',
  rounds: 0,
  mayCall: true,
  refused: null,
  isStopped: false,
  next: null,
  canContinue: false,
};

/**
 * Idle → answer → calls → answer … (FR-RES-02, FR-RES-03): the next state, and the actions to take, when something happens. `mostRounds` is
 * `max_tool_iterations_per_user_turn`. An event that can't happen in a state changes nothing.
 */
export function step<Message>(
  state: LoopState<Message>,
  event: LoopEvent<Message>,
  mostRounds: number,
): LoopStep<Message> {
  switch (event.type) {
    case 'said':
      if (state.doing === 'idle') return takeMessage(state, event.message);
      return state.next === null ? stay<Message>({ ...state, next: event.message }) : stay(state);
    case 'taken-back':
      return stay<Message>({ ...state, next: null });
    case 'continued':
      return state.doing === 'idle'
        ? askModel<Message>(resetRounds<Message>(state), { insteadOf: event.insteadOf })
        : stay(state);
    case 'answered':
      return state.doing === 'answer' ? takeAnswer(state, event, mostRounds) : stay(state);
    case 'results':
      return state.doing === 'calls' ? takeResults(state, event.goesOn) : stay(state);
    case 'stopped':
      return stop(state, event.hasCalls);
  }
}

const stay = <Message>(state: LoopState<Message>): LoopStep<Message> => ({ state, actions: [] });

/** The person spoke: all rounds are before it. */
const resetRounds = <Message>(state: LoopState<Message>): LoopState<Message> => ({
  ...state,
  rounds: 0,
  refused: null,
  isStopped: false,
  canContinue: false,
});

interface AskModelOptions<Message> {
  readonly message?: Message;
  readonly mayCall?: boolean;
  readonly insteadOf?: string | null;
}

function askModel<Message>(
  state: LoopState<Message>,
  { message, mayCall = true, insteadOf = null }: AskModelOptions<Message>,
): LoopStep<Message> {
  return {
    state: { ...state, doing: 'answer', mayCall, canContinue: false },
    actions: [{ do: 'ask', message: message ?? null, mayCall, insteadOf }],
  };
}

const takeMessage = <Message>(state: LoopState<Message>, message: Message): LoopStep<Message> =>
  askModel<Message>(resetRounds<Message>({ ...state, next: null }), { message });

function takeAnswer<Message>(
  state: LoopState<Message>,
  { hasCalls, whole, failed }: Extract<LoopEvent<Message>, { type: 'answered' }>,
  mostRounds: number,
): LoopStep<Message> {
  if (hasCalls) {
    const isEnough = !state.mayCall || state.rounds >= mostRounds;
    return runCalls(state, whole ? (isEnough ? 'rounds' : null) : 'broke-off');
  }
  const idle = { ...state, doing: 'idle', refused: null, canContinue: !state.mayCall && whole } as const;
  if (state.next === null) return stay(idle);
  return failed
    ? { state: { ...idle, next: null }, actions: [{ do: 'give-back', message: state.next }] }
    : takeMessage(idle, state.next);
}

const runCalls = <Message>(state: LoopState<Message>, refused: CallsRefusal | null): LoopStep<Message> => ({
  state: { ...state, doing: 'calls', rounds: state.rounds + 1, refused },
  actions: [{ do: 'run', refused }],
});

function takeResults<Message>(state: LoopState<Message>, goesOn: boolean): LoopStep<Message> {
  const { refused, isStopped, mayCall, next } = state;
  // What the model is not given is not in its history: only asking again leads on from there.
  const isGiven = refused === null || refused === 'rounds';
  const idle = { ...state, doing: 'idle', isStopped: false, canContinue: isGiven } as const;
  if (next !== null) return takeMessage(idle, next);
  if (isStopped || !isGiven || !goesOn || !mayCall) return stay(idle);
  return askModel<Message>(state, { mayCall: refused === null });
}

function stop<Message>(state: LoopState<Message>, hasCalls: boolean): LoopStep<Message> {
  if (state.doing === 'idle' || state.isStopped) return stay(state);
  const { next } = state;
  const back: readonly LoopAction<Message>[] = next === null ? [] : [{ do: 'give-back', message: next }];
  const ending = { ...state, isStopped: true, next: null };
  if (state.doing === 'calls') return { state: ending, actions: [{ do: 'end-calls' }, ...back] };
  const ended: LoopStep<Message> = hasCalls
    ? runCalls<Message>(ending, 'stopped')
    : { state: { ...ending, doing: 'idle', isStopped: false }, actions: [] };
  return { state: ended.state, actions: [{ do: 'end-answer' }, ...ended.actions, ...back] };
}
