import {
  Ban,
  Check,
  Circle,
  CircleSlash,
  LoaderCircle,
  type LucideIcon,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
  X,
} from 'lucide-react';
import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import type { Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { CallDisplayState } from '#contract/vocabulary/lifecycle.js';
import './marks.css';

const ICONS: Readonly<Record<CallDisplayState, LucideIcon>> = {
  pending: Circle,
  executing: LoaderCircle,
  completed: Check,
  failed: X,
  denied: Ban,
  cancelled: CircleSlash,
};

export interface StatusMarkProps {
  readonly state: CallDisplayState;
  /** Shows the word beside the sign. */
  readonly withWord?: boolean;
  /** Replaces the word: “Waiting for you”. */
  readonly word?: string;
}

export function StatusMark({ state, withWord = false, word }: StatusMarkProps) {
  const Icon = ICONS[state];
  const said = word ?? DISPLAY_WORDS[state];
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

/** The mark of the confinement while a command ran; `said` has it in a sentence. */
export function ConfinementMark({ confinement, said }: { readonly confinement: Confinement; readonly said: string }) {
  return (
    <span className={`gh-mark gh-confinement gh-confinement-${confinement}`} title={said}>
      {confinement}
    </span>
  );
}
