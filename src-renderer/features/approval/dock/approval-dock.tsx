import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { useApp, useStatus } from '../../../store/app.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { nameSheet } from '../sheet/sheet-progress.js';
import { ApprovalSheet } from '../sheet/approval-sheet.js';
import { useAsker } from '../sheet/use-asker.js';
import { useSheetProgress } from '../sheet/use-sheet-progress.js';
import { useDockFocus } from './use-dock-focus.js';
import { useQuiet } from './use-quiet.js';
import { useNoticeLines } from './use-notice-lines.js';
import { WaitingList } from './waiting-list.js';
import './dock.css';

/** So long it is said whom the person denied something. */
const DENIED_MS = 5000;

const NONE: readonly ApprovalRequest[] = [];

/** Where the window asks: beside the page, which stays usable. One sheet is shown; the person may choose another. */
export function ApprovalDock({ first }: { readonly first: ReactNode }) {
  // Recovery comes before anything new, and a question of the app is above the sheet.
  const asked = useApp((state) => (state.app.recovery === null ? state.app.approvals : NONE));
  // A paused agent's requests wait with it, and come back with it.
  const { paused } = useStatus();
  const approvals =
    paused.length === 0 ? asked : asked.filter((request) => !paused.includes(buildPauseKey(request) ?? ''));
  const covered = useApp((state) => state.app.question !== null);
  // A question about a folder stands before the sheet, which stays.
  const isFirst = useApp(({ app }) => app.recovery === null && app.folderQuestions.length > 0);
  const [chosen, setChosen] = useState<string | null>(null);
  const wanted = useApp((state) => state.sheetWanted);
  const [seen, setSeen] = useState(wanted);
  if (wanted !== seen) {
    setSeen(wanted);
    if (wanted !== null) setChosen(wanted.batchId);
  }
  const whole = useRef<HTMLElement>(null);
  const list = useRef<HTMLElement>(null);
  const said = useRef<HTMLOutputElement>(null);
  const { told, tell, wasTakenBack } = useNoticeLines();
  const shown = approvals.find(({ batchId }) => batchId === chosen) ?? approvals[0] ?? null;
  const asker = useAsker(shown);
  // The sheet that is being read stays, whatever comes or goes beside it.
  if (shown !== null && shown.batchId !== chosen) setChosen(shown.batchId);

  // The person asked for it: the focus goes there even where it stood already.
  useEffect(() => {
    if (wanted !== null) list.current?.focus();
  }, [wanted]);

  const begun = useSheetProgress(asked, shown, {
    onUnsent: (callIds) =>
      tell(
        `${wasTakenBack(callIds) ? 'The call was taken back' : 'The call no longer waits'}. Your reason was not sent.`,
      ),
    onGone: (why) => tell(why),
  });
  const name = shown === null ? null : nameSheet(shown);
  const isQuiet = useQuiet({ shown: name, waiting: new Set(approvals.map(nameSheet)), whole });
  const onLeave = useDockFocus({
    shown: name,
    whole,
    list,
    said,
    covered,
    onLeft: () => {
      if (shown === null) return;
      const calls = counted(shown.calls.length, 'call');
      tell(`${asker.short} requests approval for ${calls}. Press Ctrl+J to review.`, { sheet: nameSheet(shown) });
    },
  });

  // An asker is announced no longer than they ask.
  const lines = told.filter(({ sheet }) => sheet === null || sheet === name);
  return (
    <>
      <output ref={said} className="gh-told" tabIndex={-1}>
        {lines.map(({ id, text }) => (
          <span key={id} className="gh-told-line">
            <Visible text={text} />
          </span>
        ))}
      </output>
      {shown === null && !isFirst ? null : (
        <div className="gh-dock">
          {isFirst ? first : null}
          {shown === null ? null : (
            <ApprovalSheet
              key={name}
              request={shown}
              begun={begun}
              whole={whole}
              list={list}
              isQuiet={isQuiet}
              onDenied={() => tell(`Denied · ${asker.short}`, { forMs: DENIED_MS })}
              onLeave={onLeave}
              waiting={<WaitingList approvals={approvals} shown={shown} onShow={setChosen} />}
            />
          )}
        </div>
      )}
    </>
  );
}
