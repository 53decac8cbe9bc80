import type { ApprovalRequest } from '#contract/window/approvals.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { useAsker } from '../sheet/use-asker.js';

export interface WaitingListProps {
  readonly approvals: readonly ApprovalRequest[];
  readonly shown: ApprovalRequest;
  readonly onShow: (batchId: string) => void;
}

/** The waiting requests, by who asks. Always there, so that nothing moves when more comes. */
export function WaitingList({ approvals, shown, onShow }: WaitingListProps) {
  return (
    <ul className="gh-waiting" aria-label="Waiting">
      {groupByAsker(approvals).map((request) => (
        <li key={request.batchId}>
          <button
            type="button"
            className="gh-waiting-one"
            {...(request.batchId === shown.batchId ? { 'aria-current': true } : {})}
            onClick={() => onShow(request.batchId)}
          >
            <Asker request={request} />, {counted(request.calls.length + request.behind.length, 'call')}
          </button>
        </li>
      ))}
    </ul>
  );
}

const Asker = ({ request }: { readonly request: ApprovalRequest }) => <Visible text={useAsker(request).short} />;

/** Groups requests by asker, each group where the first of its requests was. */
function groupByAsker(approvals: readonly ApprovalRequest[]): readonly ApprovalRequest[] {
  const groups = Map.groupBy(approvals, ({ door, session, client, agent }) =>
    JSON.stringify([door, door === 'conversation' ? session : (agent ?? client)]),
  );
  return [...groups.values()].flat();
}
