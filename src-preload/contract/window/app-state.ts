import type { AppEventBody, AppSnapshot } from './app-events.js';
import type { WorkingConversation } from './conversation/conversation.js';
import type { CallSummary } from '../vocabulary/calls.js';

/** How many settled calls stay in the snapshot; older ones are in the history. */
const MAX_SETTLED_CALLS = 200;

/** The one way state changes, used by main for its snapshot and by the renderer for its copy of it. */
export function applyEvent(state: AppSnapshot, event: AppEventBody): Omit<AppSnapshot, 'seq'> {
  switch (event.type) {
    case 'status':
      return { ...state, status: event.status };
    case 'workspace':
      return {
        ...state,
        workspace: event.workspace,
        workspaces: event.workspaces,
        recentWorkspaces: event.recentWorkspaces,
      };
    case 'call':
      return { ...state, calls: updateCall(state.calls, event.call) };
    case 'approval':
      return { ...state, approvals: upsert(state.approvals, event.approval, (approval) => approval.batchId) };
    case 'approval-gone':
      return { ...state, approvals: state.approvals.filter((approval) => approval.batchId !== event.batchId) };
    case 'notice':
      return { ...state, notices: upsert(state.notices, event.notice, (notice) => notice.id) };
    case 'notice-gone':
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.id) };
    case 'recovery':
      return { ...state, recovery: event.recovery };
    case 'question':
      return { ...state, question: event.question };
    case 'folder-questions':
      return { ...state, folderQuestions: event.questions };
    case 'working':
      return { ...state, working: updateWorking(state.working, event.working) };
    case 'conversation-gone':
      return { ...state, working: state.working.filter(({ id }) => id !== event.id) };
    // Streams are not state: the terminal and the router listen to these themselves.
    case 'output':
    case 'conversation':
    case 'message':
    case 'message-piece':
    case 'given-back':
    case 'waiting-for-input':
    case 'taken-back':
    case 'settings-changed':
    case 'sources-changed':
    case 'domain-changed':
    case 'navigate':
      return state;
  }
}

function upsert<T>(list: readonly T[], item: T, key: (item: T) => string): readonly T[] {
  const at = list.findIndex((existing) => key(existing) === key(item));
  return at === -1 ? [...list, item] : list.with(at, item);
}

/** Updates the working conversations. An idle one that has nothing to tell is not kept. */
function updateWorking(all: readonly WorkingConversation[], now: WorkingConversation): readonly WorkingConversation[] {
  const silent = now.doing.kind === 'idle' && now.next === null && !now.canContinue && now.context === null;
  return silent ? all.filter(({ id }) => id !== now.id) : upsert(all, now, ({ id }) => id);
}

export const isSettled = (call: CallSummary): boolean => call.outcome !== null;

/**
 * Whether a call waits for the person, or for its place. One that was only received waits for its folder, which is a
 * question of its own, or for the answer about unfinished work.
 */
export const isPending = ({ display, state }: CallSummary): boolean => display === 'pending' && state !== 'DECLARED';

function updateCall(calls: readonly CallSummary[], call: CallSummary): readonly CallSummary[] {
  const next = upsert(calls, call, (each) => each.callId);
  let excess = next.filter(isSettled).length - MAX_SETTLED_CALLS;
  if (excess <= 0) return next;
  return next.filter((each) => !(isSettled(each) && excess-- > 0));
}
