import { buildTerm, type TermChip } from './term-chips.js';

/** The kinds of tools. Code that has to tell tools apart asks for the nature, and never for a tool by its name. */
export const NATURES = ['reads', 'files', 'command', 'remote'] as const;
export type Nature = (typeof NATURES)[number];

/** How much of what it does can be taken back, as a tool of each nature may say it: never of what happens elsewhere. */
interface UndoExtents {
  readonly reads: 'whole';
  readonly files: 'whole';
  readonly command: 'partly' | 'never';
  readonly remote: 'never';
}
export type UndoExtentOf<N extends Nature> = UndoExtents[N];

interface NatureWords<N extends Nature> {
  /** The chip of an approval sheet for how much can be undone. */
  readonly undo: Readonly<Record<UndoExtentOf<N>, TermChip>>;
  /** The capabilities that it gets, as the subject of a sentence. */
  readonly gets: string;
  /** The truth about its effects where it ran and its result could not be recorded. */
  readonly unrecorded: string;
  /** Gatehouse stopped while it ran. */
  readonly interrupted: string;
  /** The addition to “may have run”, after a crash; null where its process says it. */
  readonly afterCrash: string | null;
  /** The warning where it was stopped and nobody knows how far it came; null where nothing is left of it. */
  readonly unknownEnd: string | null;
  /** The timeline's words where its failure leaves nothing behind; null where something may stay. */
  readonly rolledBack: string | null;
}

/** The only words there are for what a call does by its nature: on sheets, in results, after a crash. */
export const NATURE_WORDS: { readonly [N in Nature]: NatureWords<N> } = {
  reads: {
    undo: { whole: buildTerm('undo', 'Only reads') },
    gets: 'what it gets',
    unrecorded: 'The call ran, but its result could not be recorded; it only read, and changed nothing.',
    interrupted: 'Gatehouse stopped while this call ran. It only read, and changed nothing.',
    afterCrash: 'It only reads.',
    unknownEnd: null,
    rolledBack: 'Nothing was changed',
  },
  files: {
    undo: { whole: buildTerm('undo', 'Can be undone', { detail: 'File by file, in History.' }) },
    gets: 'what it gets',
    unrecorded: 'The call ran, but its result could not be recorded; its changes were undone.',
    interrupted: 'Gatehouse stopped while this call ran. What it had changed was undone.',
    afterCrash: 'What it had changed was undone.',
    unknownEnd: null,
    rolledBack: 'Its file changes were rolled back',
  },
  command: {
    undo: {
      partly: buildTerm('undo', 'Changes in this folder can be undone (files up to 1 MB)', {
        detail: 'Nothing else it does can be undone. Files that can make other programs run code are put aside.',
      }),
      never: buildTerm('undo', 'Can’t be undone'),
    },
    gets: 'what a command gets',
    unrecorded: 'The command ran, but its result could not be recorded; what it did stays done.',
    interrupted: 'Gatehouse stopped while this command ran. It may have had effects; it was not run again.',
    afterCrash: null,
    unknownEnd: null,
    rolledBack: null,
  },
  remote: {
    undo: { never: buildTerm('undo', 'Runs elsewhere, can’t be undone') },
    gets: 'what it gets',
    unrecorded: 'The call ran elsewhere, but its result could not be recorded; what it did there stays done.',
    interrupted: 'Gatehouse stopped while this call ran elsewhere. It may have had an effect; it was not sent again.',
    afterCrash: 'It ran elsewhere, and may have had an effect there.',
    unknownEnd: 'It ran elsewhere, and may have had an effect there.',
    rolledBack: null,
  },
};

/** A tool of others whose program is started on this computer. */
const STARTED_HERE = buildTerm('undo', 'Can’t be undone');

/** Words how much of a call can be undone, for its approval sheet. */
export function buildUndoTerm<N extends Nature>(nature: N, takesBack: UndoExtentOf<N>, startedHere: boolean): TermChip {
  return nature === 'remote' && startedHere ? STARTED_HERE : NATURE_WORDS[nature].undo[takesBack];
}
