/**
 * A patch in LP1 (Line Patch v1), parsed. A patch is sections, a section is operations on one file, and every operation
 * keeps its line in the patch, so that what goes wrong can be pointed at.
 */
export interface Patch {
  readonly sections: readonly PatchSection[];
}

export interface PatchSection {
  /** The path as written, unquoted. The sandbox says which file it means. */
  readonly path: string;
  readonly line: number;
  readonly operations: readonly PatchOperation[];
}

export type MatchKind = 'R' | 'I' | 'P' | 'E';

export type PatchOperation =
  | {
      readonly kind: MatchKind;
      readonly line: number;
      /** The number of the match that is meant, from 1; null: there must be exactly one. */
      readonly occurrence: number | null;
      readonly find: readonly string[];
      /** Empty for `E`. */
      readonly replacement: readonly string[];
    }
  | { readonly kind: 'T' | 'B'; readonly line: number; readonly added: readonly string[] }
  | { readonly kind: 'N'; readonly line: number; readonly finalNewline: boolean };

/** A problem of the patch, and in which of its lines (from 1) it is. */
export interface PatchProblem {
  readonly line: number;
  readonly problem: string;
}

export type ParseResult =
  { readonly ok: true; readonly patch: Patch } | { readonly ok: false; readonly error: PatchProblem };

export type ApplyResult =
  { readonly ok: true; readonly file: PatchedFile | null } | { readonly ok: false; readonly error: PatchProblem };

/** A file while a patch works on it: between two sections it may stay in this form. */
export interface PatchedFile {
  readonly lines: readonly string[];
  readonly finalNewline: boolean;
  readonly newline: '\n' | '\r\n';
  /** Whether the patch creates the file. Such a file ends with a newline unless `N -` said otherwise. */
  readonly created: boolean;
  /** Whether `N -` was said while the file was being created. */
  readonly refusedFinalNewline: boolean;
}
