import { useEffect, useState } from 'react';
import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import { riskNow, type SheetState } from './sheet-state.js';
import { nameOf } from './begun-sheets.js';
import type { Sheet } from './use-sheet.js';
import { useStood } from '../../../ui/form/use-stood.js';

/** So long the second question about what is of High risk stands. */
const ASKED_AGAIN_MS = 10_000;

export interface Answers {
  /** What is on the sheet may be approved; false while it has not stood long enough, too. */
  readonly mayApprove: boolean;
  /** It has not changed for so long that it may be answered. */
  readonly stood: boolean;
  /** What is of High risk and would be approved, while that is asked about a second time; else null. */
  readonly askedAgain: readonly ApprovalCall[] | null;
  /** The same, for what makes a rule of the one call. */
  readonly ruleAskedAgain: boolean;
  readonly approveAll: () => void;
  readonly approveWithRule: (rule: RuleWanted) => void;
  readonly approveSelected: () => void;
  readonly denyAll: () => void;
  /** Back to the first question; false where there is none to go back to. */
  readonly back: () => boolean;
}

type About = 'all' | 'rule';

interface Asked {
  readonly of: string;
  readonly network: SheetState['network'];
  readonly about: About;
}

/** What the person is at on the sheet. */
interface Doing {
  readonly isEditing: boolean;
  readonly isMakingRule: boolean;
}

/** The ways to answer a sheet whole. Whatever covers a call of High risk that nobody chose by itself asks twice. */
export function useAnswers(request: ApprovalRequest, sheet: Sheet, { isEditing, isMakingRule }: Doing): Answers {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { selected, network } = sheet.state;
  // What is allowed besides is part of what was asked about: after any change of it that begins anew.
  const about = asked?.of === request.digest && asked.network === network ? asked.about : null;
  const isAsked = about !== null;
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = window.setTimeout(() => setAsked(null), ASKED_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  const stood = useStood(`${nameOf(request)} ${request.digest} ${about ?? ''} ${isMakingRule}`);
  const mayApprove = stood && !isEditing && !sheet.sending;
  const high = request.calls.filter((call) => riskNow(sheet.state, call) === 'high');

  /** What is of High risk is asked about first; true once it may be approved. */
  const isAskedAbout = (what: About): boolean => {
    if (!mayApprove) return false;
    if (high.length === 0 || about === what) return true;
    setAsked({ of: request.digest, network, about: what });
    return false;
  };

  return {
    mayApprove,
    stood,
    askedAgain: about === 'all' ? high : null,
    ruleAskedAgain: about === 'rule',
    approveAll: () => {
      if (isAskedAbout('all')) sheet.decide({ kind: 'approve-all' });
    },
    approveWithRule: (rule) => {
      if (isAskedAbout('rule')) sheet.decide({ kind: 'approve-all' }, rule);
    },
    approveSelected: () => {
      if (mayApprove && selected.size > 0) sheet.decide({ kind: 'approve-selected', callIds: [...selected] });
    },
    denyAll: () => sheet.decide({ kind: 'deny-all' }),
    back: () => {
      setAsked(null);
      return isAsked;
    },
  };
}
