import type { Asker } from '../call/asker.js';
import type { GivenText, SaidText } from '../policy/given.js';

/** What models were given, as the journal has it. */
export interface TextsGiven {
  /** The oldest first; nothing where a day went by without a call, and for the person. */
  to(asker: Asker, workspace: string): readonly GivenText[];
  /** What a model is given that is given what a call said; null where that is our own words, and for what is not on record. */
  said(callId: string): { readonly text: SaidText; readonly workspace: string } | null;
  /** Whether one of these files, from the folder, was written by a call that may have written what somebody else said. */
  wroteForeign(workspace: string, paths: readonly string[]): boolean;
  /** “I trust what is written in this folder.” */
  trusts(workspace: string): boolean;
}

/** What Git ignores in a folder. */
export interface GitIgnored {
  isIgnored(root: string, relative: string): Promise<boolean>;
  /** Whether it lies in a repository of its own inside the folder. */
  isOfAnother(root: string, relative: string): Promise<boolean>;
  /** Whether any of these names is one of something that is ignored; not one that the list itself spells out. */
  namesIgnored(root: string, relatives: readonly string[]): Promise<boolean>;
}
