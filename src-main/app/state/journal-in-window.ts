import type { AppEventBody } from '#contract/window/app-events.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { NoticeBoard } from './notice-board.js';
import type { StatusLine } from './status-line.js';

/** A closed gate is said at once, and that it opened again. */
export function followHealth(journal: Journal, status: StatusLine, notices: NoticeBoard): void {
  journal.onHealthChange(() => {
    const { state, problem } = journal.health;
    status.update({ journal: { state, problem } });
    if (state === 'ok') return notices.take('journal-failed');
    notices.show({
      id: 'journal-failed',
      severity: 'error',
      title: 'Nothing runs: the journal can’t be written',
      text: `${problem ?? 'Writing failed.'} Nothing recorded so far is lost. Gatehouse keeps trying and continues as soon as writing works.`,
      details: null,
      dismissible: false,
    });
  });
}

/** Shows in the window what was under way when the app stopped, before anything of it is decided. */
export function showUnsettled(journal: Journal, publish: (event: AppEventBody) => void): void {
  for (const batch of journal.openBatches()) {
    for (const each of batch.calls) if (!each.settled) publish({ type: 'call', call: each.call.summary });
  }
}
