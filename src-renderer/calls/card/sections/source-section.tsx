import type { CallDetail } from '#contract/vocabulary/calls.js';
import { goTo } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';

const WAYS: Partial<Readonly<Record<NonNullable<CallDetail['code']>, string>>> = {
  ToolChanged: 'Review',
  SourceUnavailable: 'Look at',
};

/** Remarks on a call that a source answered, or did not: its warnings, and the way to its obstacle. */
export function SourceSection({ detail: { code, toolId, warnings } }: { readonly detail: CallDetail }) {
  const way = code === null ? undefined : WAYS[code];
  const source = toolId?.slice(0, toolId.indexOf('.')) ?? '';
  return (
    <>
      {way === undefined || source === '' ? null : (
        <p>
          <Button size="small" onClick={() => goTo('tools', `source:${source}`)}>
            {way} {source}…
          </Button>
        </p>
      )}
      {warnings.length === 0 ? null : (
        <NoticeBox severity="warning" title={counted(warnings.length, 'warning')} news={false}>
          {warnings.map((warning) => (
            <p key={warning}>
              <Visible text={warning} />
            </p>
          ))}
        </NoticeBox>
      )}
    </>
  );
}
