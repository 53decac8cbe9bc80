/** What a tool is. Whoever has to tell tools apart asks this, and never for one by its name. */
export const NATURES = ['reads', 'files', 'command', 'remote'] as const;
export type Nature = (typeof NATURES)[number];

/** How much of what it does can be taken back, as a tool of each nature may say it: never of what happens elsewhere. */
interface TakenBack {
  readonly reads: 'whole';
  readonly files: 'whole';
  readonly command: 'partly' | 'never';
  readonly remote: 'never';
}
export type TakesBackOf<N extends Nature> = TakenBack[N];

interface NatureWords<N extends Nature> {
  /** On the sheet, before it is approved: what can be undone of it. */
  readonly undo: Readonly<Record<TakesBackOf<N>, string>>;
  /** What it gets, as the subject of a sentence. */
  readonly gets: string;
  /** It ran, and its result could not be recorded: what is true of what it did. */
  readonly unrecorded: string;
  /** Gatehouse stopped while it ran. */
  readonly interrupted: string;
  /** Beside “may have run”, after a crash; null where its process says it. */
  readonly afterCrash: string | null;
  /** It was stopped, and nobody knows how far it came; null where nothing is left of it. */
  readonly unknownEnd: string | null;
  /** Where it fails, nothing of it stays. */
  readonly leavesNothing: boolean;
}

/** The only words there are for what a call does by its nature: on sheets, in results, after a crash. */
export const NATURE_WORDS: { readonly [N in Nature]: NatureWords<N> } = {
  reads: {
    undo: { whole: 'It only reads, so there is nothing to undo.' },
    gets: 'what it gets',
    unrecorded: 'The call ran, but its result could not be recorded; it only read, and changed nothing.',
    interrupted: 'Gatehouse stopped while this call ran. It only read, and changed nothing.',
    afterCrash: 'It only reads.',
    unknownEnd: null,
    leavesNothing: true,
  },
  files: {
    undo: { whole: 'Can be undone afterwards, file by file.' },
    gets: 'what it gets',
    unrecorded: 'The call ran, but its result could not be recorded; its changes were undone.',
    interrupted: 'Gatehouse stopped while this call ran. What it had changed was undone.',
    afterCrash: 'What it had changed was undone.',
    unknownEnd: null,
    leavesNothing: true,
  },
  command: {
    undo: {
      partly:
        'What it changes in the workspace can be undone where a copy could be kept; anything else it does can’t be.',
      never: 'What it does can’t be undone here.',
    },
    gets: 'what a command gets',
    unrecorded: 'The command ran, but its result could not be recorded; what it did stays done.',
    interrupted: 'Gatehouse stopped while this command ran. It may have had effects; it was not run again.',
    afterCrash: null,
    unknownEnd: null,
    leavesNothing: false,
  },
  remote: {
    undo: { never: 'It runs elsewhere. What it does there can’t be undone here.' },
    gets: 'what it gets',
    unrecorded: 'The call ran elsewhere, but its result could not be recorded; what it did there stays done.',
    interrupted: 'Gatehouse stopped while this call ran elsewhere. It may have had an effect; it was not sent again.',
    afterCrash: 'It ran elsewhere, and may have had an effect there.',
    unknownEnd: 'It ran elsewhere, and may have had an effect there.',
    leavesNothing: false,
  },
};

/** What of a call can be undone, as the sheet says it. */
export function undoWords<N extends Nature>(nature: N, takesBack: TakesBackOf<N>): string {
  return NATURE_WORDS[nature].undo[takesBack];
}
