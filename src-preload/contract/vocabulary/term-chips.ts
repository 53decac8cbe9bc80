/** A chip for one of the terms on which a call would run, in two or three words. */
export interface TermChip {
  readonly about: 'sandbox' | 'network' | 'secrets' | 'undo';
  readonly words: string;
  /** A further sentence, where the words need it. */
  readonly detail: string | null;
  /** Less holds the call than the person may expect. */
  readonly warns: boolean;
}

export const buildTerm = (
  about: TermChip['about'],
  words: string,
  { detail = null, warns = false }: Partial<Pick<TermChip, 'detail' | 'warns'>> = {},
): TermChip => ({ about, words, detail, warns });
