import {
  Ban,
  Check,
  Circle,
  CircleSlash,
  LoaderCircle,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
  X,
} from 'lucide-react';
import type { Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { CallDisplayState } from '#contract/vocabulary/lifecycle.js';
import './marks.css';

const STATES = {
  pending: { Icon: Circle, word: 'Pending' },
  executing: { Icon: LoaderCircle, word: 'Running' },
  completed: { Icon: Check, word: 'Completed' },
  failed: { Icon: X, word: 'Failed' },
  denied: { Icon: Ban, word: 'Denied' },
  cancelled: { Icon: CircleSlash, word: 'Cancelled' },
} as const satisfies Record<CallDisplayState, unknown>;

export const stateWord = (state: CallDisplayState): string => STATES[state].word;

export interface StatusMarkProps {
  readonly state: CallDisplayState;
  /** Shows the word beside the sign. */
  readonly withWord?: boolean;
  /** Replaces the word: “Waiting for you”. */
  readonly word?: string;
}

export function StatusMark({ state, withWord = false, word }: StatusMarkProps) {
  const { Icon, word: standard } = STATES[state];
  const said = word ?? standard;
  return (
    <span className={`gh-mark gh-state-${state}`} {...(withWord ? {} : { title: said })}>
      <Icon aria-hidden />
      <span className={withWord ? undefined : 'sr-only'}>{said}</span>
    </span>
  );
}

const RISKS = {
  low: { Icon: ShieldCheck, word: 'Low risk' },
  medium: { Icon: ShieldAlert, word: 'Medium risk' },
  high: { Icon: TriangleAlert, word: 'High risk' },
} as const satisfies Record<RiskLevel, unknown>;

export function RiskMark({ risk, withWord = true }: { readonly risk: RiskLevel; readonly withWord?: boolean }) {
  const { Icon, word } = RISKS[risk];
  return (
    <span className={`gh-mark gh-risk-${risk}`} {...(withWord ? {} : { title: word })}>
      <Icon aria-hidden />
      <span className={withWord ? undefined : 'sr-only'}>{word}</span>
    </span>
  );
}

/** What was in force while a command ran; `said` has it in a sentence. */
export function ConfinementMark({ confinement, said }: { readonly confinement: Confinement; readonly said: string }) {
  return (
    <span className={`gh-mark gh-confinement gh-confinement-${confinement}`} title={said}>
      {confinement}
    </span>
  );
}
