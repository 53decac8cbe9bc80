import type { Asker } from '../call/asker.js';
import type { AttributedText, FileContent, GivenText } from '../policy/given-texts.js';

/** The texts that models were given, as the journal has them. */
export interface GivenTextLog {
  /**
   * The texts that this asker was given in a workspace, the oldest first; none where a day went by without a call, and
   * for the person.
   */
  listGivenTo(asker: Asker, workspace: string): readonly GivenText[];
  /**
   * The text of a call's result, as a model gets it; null where that is our own words, and for what is not on record.
   */
  findSaidText(callId: string): { readonly text: AttributedText; readonly workspace: string } | null;
  /** Whether one of these files, from the folder, was written by a call that may have written somebody else's words. */
  hasWrittenForeign(workspace: string, paths: readonly string[]): boolean;
  /** Whether a call that may have written somebody else's words left these very bytes in a file, wherever that was. */
  isForeignContent(content: FileContent): boolean;
  /** Whether there is such content of this size. */
  hasForeignSize(size: number): boolean;
  /** Whether the person said “I trust what is written in this folder.” */
  isTrusted(workspace: string): boolean;
}

/**
 * Reads what a file holds, where `isWanted` says so of its size. Null where it doesn't, for an empty file, and for what
 * is no file that can be read.
 */
export type ReadFileContent = (
  root: string,
  relative: string,
  isWanted: (size: number) => boolean,
) => Promise<FileContent | null>;

/** Tells which files Git ignores in a folder. */
export interface GitIgnored {
  isIgnored(root: string, relative: string): Promise<boolean>;
  /** Whether it lies in a repository of its own inside the folder. */
  isInOtherRepository(root: string, relative: string): Promise<boolean>;
  /** Whether any of these names is the name of an ignored file; not one that the list itself spells out. */
  hasIgnoredName(root: string, relatives: readonly string[]): Promise<boolean>;
}
