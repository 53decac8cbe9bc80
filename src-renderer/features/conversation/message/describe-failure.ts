import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';

const TITLES: Readonly<Record<string, string>> = {
  'api-key': 'The API key doesn’t work',
  unreachable: 'Can’t reach the server',
  'not-found': 'Model not found',
  'rate-limit': 'The rate limit was reached',
  overloaded: 'The model is overloaded',
  'too-long': 'The context is too long',
  'broke-off': 'The answer broke off',
  refused: 'The model refused to answer',
  settings: 'The model’s settings don’t work',
  'no-model': 'No model is connected',
};
const BY_STATE: Readonly<Partial<Record<ConversationMessage['state'], string>>> = {
  'broke-off': 'The answer broke off',
  length: 'The answer was cut at its output limit',
  refused: 'The model refused to answer',
  empty: 'The answer is empty',
  failed: 'The model didn’t answer',
};
const WHAT_NOW: Readonly<Partial<Record<ConversationMessage['state'], string>>> = {
  'broke-off': 'What came is kept, and none of its calls ran. Retry asks again.',
  length: 'What came is kept, and none of its calls ran. Ask it to go on, or allow a longer answer in Settings.',
  refused: 'Say it in other words, or choose another model.',
  empty: 'The model sent nothing. Retry asks again.',
  failed: 'Retry asks again.',
};
/** Solved where the model is set. */
const IN_SETTINGS: ReadonlySet<string> = new Set(['api-key', 'unreachable', 'not-found', 'settings', 'no-model']);

export interface FailureText {
  readonly title: string;
  readonly text: string;
  readonly leadsToSettings: boolean;
  readonly offersDemo: boolean;
}

/** Words an answer's failure; null where there is none. */
export function describeFailure({
  state,
  failure,
}: Pick<ConversationMessage, 'state' | 'failure'>): FailureText | null {
  const title = (failure === null ? undefined : TITLES[failure.fault]) ?? BY_STATE[state];
  if (title === undefined) return null;
  return {
    title,
    text: failure?.message ?? WHAT_NOW[state] ?? '',
    offersDemo: failure?.fault === 'no-model',
    leadsToSettings: failure !== null && IN_SETTINGS.has(failure.fault),
  };
}
