import { joinSomeNames } from '../../domain/policy/taint.js';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';

const OF_CONVERSATION = 'conversation:';
const OF_TEXTS: ReadonlySet<JournalEvent['type']> = new Set(['text-given', 'texts-forgotten', 'folder-trusted']);

/** Shows in the window which texts models were given, updated with each event that is recorded of it. */
export function showGiven(journal: SqliteJournal, front: Front, gate: ComposedGate): void {
  const show = (): void =>
    front.status.update({
      given: journal.given.all().map(({ to, workspace, texts }) => {
        const privates = texts.filter(({ isPrivate }) => isPrivate).map(({ name }) => name);
        const words = joinSomeNames(texts.map(({ name }) => name));
        return { to, workspace, words, privates: privates.length === 0 ? null : joinSomeNames(privates) };
      }),
      trustedFolders: journal.given.trusted,
    });
  show();
  journal.onCommit((events) => {
    if (!events.some(({ type }) => OF_TEXTS.has(type))) return;
    show();
    // What stands on a sheet is what is so now.
    void gate.desk.refresh();
  });
}

/** `fold`: results of a conversation stand in one line from then on. */
export function givenChannels(
  journal: SqliteJournal,
  fold: (conversation: string, callIds: readonly string[]) => void,
) {
  const record = (event: JournalEvent) => {
    try {
      journal.append([event]);
      return nothing;
    } catch (error) {
      if (error instanceof JournalUnavailableError) return refuse('unavailable', error.message);
      throw error;
    }
  };
  return {
    'given.forget': async ({ to, workspace }) => {
      // What is sent anew with each request is not forgotten.
      if (to.startsWith(OF_CONVERSATION)) {
        const id = to.slice(OF_CONVERSATION.length);
        fold(id, journal.given.stillSent.unfolded(id));
      }
      return record({ type: 'texts-forgotten', to, workspace, by: 'person' });
    },
    'given.trustFolder': async ({ workspace, trusted }) => record({ type: 'folder-trusted', workspace, trusted }),
  } satisfies Partial<Handlers>;
}
