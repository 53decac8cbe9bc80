import { useEffect, useMemo, useState } from 'react';
import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import { countFoldedInCall, NOTHING_OPENED } from '../call/folded-in-call.js';
import { currentRisk, type SheetState } from './sheet-state.js';
import { nameSheet } from './sheet-progress.js';
import type { SheetHandle } from './use-sheet.js';
import { useUnchanged } from '../../../ui/form/use-unchanged.js';

/** The time for which the second question about calls of High risk is shown. */
const SECOND_QUESTION_MS = 10_000;

export interface SheetAnswers {
  /** Whether the sheet may be approved; false while it has not been unchanged long enough, too. */
  readonly mayApprove: boolean;
  /** Whether it has been unchanged for so long that it may be answered. */
  readonly stood: boolean;
  /** The second question before an approval, and by which of the ways it was asked; null while there is none. */
  readonly askedAgain: SecondQuestion | null;
  readonly approveAll: () => void;
  readonly approveWithRule: (rule: RuleWanted) => void;
  readonly approveSelected: () => void;
  readonly denyAll: () => void;
  /** Back to the first question; false where there is none to go back to. */
  readonly back: () => boolean;
}

type AnswerScope = 'all' | 'selected' | 'rule';

export interface SecondQuestion {
  readonly about: AnswerScope;
  readonly high: readonly ApprovalCall[];
  /** Calls that were not drawn in full: so many characters. */
  readonly folded: readonly ApprovalCall[];
  readonly characters: number;
}

interface OpenSecondQuestion {
  readonly of: string;
  readonly by: Pick<SheetState, 'network' | 'selected' | 'opened'>;
  readonly about: AnswerScope;
}

/** The person's activity on the sheet. */
interface SheetActivity {
  readonly isEditing: boolean;
  readonly isMakingRule: boolean;
}

/**
 * The ways to answer a sheet whole. Whatever covers a call of High risk that nobody chose by itself asks twice, and so does
 * whatever covers a part that was not drawn.
 */
export function useAnswers(
  request: ApprovalRequest,
  sheet: SheetHandle,
  { isEditing, isMakingRule }: SheetActivity,
): SheetAnswers {
  const [asked, setAsked] = useState<OpenSecondQuestion | null>(null);
  const { selected, network, opened } = sheet.state;
  // Grants, choices and opened parts belong to what was asked about: after any change of them that begins anew.
  const isSame = asked?.by.network === network && asked.by.selected === selected && asked.by.opened === opened;
  const about = asked?.of === request.digest && isSame ? asked.about : null;
  const isAsked = about !== null;
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = window.setTimeout(() => setAsked(null), SECOND_QUESTION_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  const stood = useUnchanged(`${nameSheet(request)} ${request.digest} ${about ?? ''} ${isMakingRule}`);
  const mayApprove = stood && !isEditing && !sheet.sending;
  const parts = useMemo(
    () =>
      request.calls.map((call) => ({
        call,
        characters: countFoldedInCall(call, opened.get(call.callId) ?? NOTHING_OPENED),
      })),
    [request.calls, opened],
  );

  /** Finds the calls that a way would approve without their having been chosen singly, or drawn. */
  const unsure = (what: AnswerScope): SecondQuestion => {
    const covered = parts.filter(({ call }) => what !== 'selected' || selected.has(call.callId));
    const folded = covered.filter(({ characters }) => characters > 0);
    return {
      about: what,
      high:
        what === 'selected'
          ? []
          : covered.flatMap(({ call }) => (currentRisk(sheet.state, call) === 'high' ? [call] : [])),
      folded: folded.map(({ call }) => call),
      characters: folded.reduce((sum, { characters }) => sum + characters, 0),
    };
  };

  /** Asks a second time about what is not sure; true once it may be approved. */
  const isAskedAbout = (what: AnswerScope): boolean => {
    if (!mayApprove) return false;
    const { high, folded } = unsure(what);
    if ((high.length === 0 && folded.length === 0) || about === what) return true;
    setAsked({ of: request.digest, by: { network, selected, opened }, about: what });
    return false;
  };

  return {
    mayApprove,
    stood,
    askedAgain: about === null ? null : unsure(about),
    approveAll: () => {
      if (isAskedAbout('all')) sheet.decide({ kind: 'approve-all' });
    },
    approveWithRule: (rule) => {
      if (isAskedAbout('rule')) sheet.decide({ kind: 'approve-all' }, rule);
    },
    approveSelected: () => {
      if (selected.size > 0 && isAskedAbout('selected'))
        sheet.decide({ kind: 'approve-selected', callIds: [...selected] });
    },
    denyAll: () => sheet.decide({ kind: 'deny-all' }),
    back: () => {
      setAsked(null);
      return isAsked;
    },
  };
}
