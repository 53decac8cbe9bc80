import type { SecretsBefore } from '#contract/vocabulary/calls.js';
import type { Notice } from '#contract/window/notices.js';
import type { Redactor } from '../domain/ports/redactor.js';
import type { UndoStore } from '../domain/ports/workspace/undo-store.js';
import { bytesInTheClear, forgetOutput } from '../journal/outputs/outputs-in-the-clear.js';
import type { SqliteJournal } from '../journal/writing/sqlite-journal.js';
import { done, nothing, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';

interface Parts {
  readonly journal: SqliteJournal;
  readonly undo: UndoStore;
  readonly redactor: Redactor;
  readonly dataDir: string;
  /** It is not offered any more. */
  readonly onOver: () => void;
}

/** Null where what is there is evidence, and stays as it is. */
async function goThrough({ journal, undo, redactor, dataDir }: Parts, erase: boolean): Promise<SecretsBefore | null> {
  const found = { calls: 0, places: 0, outputs: 0, outputBytes: 0 };
  const seen = new Set<string>();
  for (let after: number | null = 0; after !== null;) {
    const part = await journal.lookThrough(redactor, after);
    if (part === null) break;
    if (erase && !journal.eraseSecrets(part.calls)) return null;
    found.calls += part.calls.length;
    for (const { places } of part.calls) found.places += places;
    for (const { sha256 } of part.outputs) {
      const bytes = seen.has(sha256) ? 0 : await bytesInTheClear(dataDir, sha256, redactor);
      seen.add(sha256);
      if (bytes === 0) continue;
      found.outputs += 1;
      found.outputBytes += bytes;
      if (erase) await forgetOutput(dataDir, sha256);
    }
    after = part.next;
  }
  const undoBytes = await undo.inTheClear(erase);
  if (erase) {
    // In small steps, so that the window is not kept waiting.
    while (journal.mergeSearchWords()) await new Promise((resolve) => setImmediate(resolve));
    journal.forgetBefore();
  }
  return { ...found, undoBytes };
}

const EVIDENCE = refuse(
  'unavailable',
  'This history is not as it was signed, or its key is not there. What is evidence is not erased: verify it first.',
);

export const fromBeforeChannels = (parts: Parts) =>
  ({
    'before.get': async () => {
      const before = parts.journal.fromBefore;
      return done(before === null ? null : { calls: before.calls, until: before.until });
    },
    'before.lookThrough': async () => {
      const found = await goThrough(parts, false);
      return found === null ? EVIDENCE : done(found);
    },
    'before.erase': async () => {
      const erased = await goThrough(parts, true);
      if (erased === null) return EVIDENCE;
      parts.onOver();
      return done(erased);
    },
    'before.keep': async () => {
      parts.journal.forgetBefore();
      parts.onOver();
      return nothing;
    },
  }) satisfies Partial<Handlers>;

/** At start, where there is something to offer. */
export const FROM_BEFORE: Notice = {
  id: 'from-before',
  severity: 'info',
  title: 'Older history may hold secrets in the clear',
  text: 'Calls of before were recorded as they came. History offers to look through them, and to erase what looks like a secret.',
  details: null,
  dismissible: true,
};
