/** A script, as every shell that may be /bin/sh reads it. What they read differently is no script. */
export type Script = readonly Step[];

/** One pipeline, and the operator between it and the next. */
export interface Step {
  readonly pipeline: readonly Command[];
  readonly joint: '&&' | '||' | ';' | '&' | null;
}

export type Command =
  | Simple
  /** `( … )` has a folder and variables of its own; `{ … }`, loops and choices have not. */
  | { readonly kind: 'subshell' | 'group'; readonly body: Script; readonly redirects: readonly Redirect[] }
  /** Conditions and branches, in the order of the text. */
  | { readonly kind: 'choice'; readonly parts: readonly Script[]; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: 'loop';
      /** The variable and words of `for`; null for `while` and `until`. */
      readonly over: { readonly name: string; readonly words: readonly Word[] } | null;
      readonly parts: readonly Script[];
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: 'case';
      readonly word: Word;
      readonly patterns: readonly Word[];
      readonly parts: readonly Script[];
      readonly redirects: readonly Redirect[];
    };

export interface Simple {
  readonly kind: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly start: number;
  readonly end: number;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export interface Word {
  readonly parts: readonly Part[];
  readonly start: number;
  readonly end: number;
}

export type Part =
  | { readonly kind: 'text'; readonly value: string; readonly quoted: boolean }
  /** `*`, `?`, `[…]`, as written. */
  | { readonly kind: 'glob'; readonly value: string }
  /** `~` or `~name`, at the beginning. */
  | { readonly kind: 'tilde'; readonly user: string }
  /** `{a,b}` stands for several words in one shell and for itself in another. */
  | { readonly kind: 'brace'; readonly value: string; readonly choices: readonly string[] }
  /** `instead` is the word behind an operator: `${x:-word}`. */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly operator: string;
      readonly instead: readonly Part[];
      readonly quoted: boolean;
    }
  | { readonly kind: 'command'; readonly body: Script; readonly quoted: boolean; readonly isFile: boolean }
  /** `$((…))` over numbers and names. */
  | { readonly kind: 'number' };

export interface Redirect {
  readonly operator: '<' | '>' | '>>' | '>|' | '<>' | '<&' | '>&' | '<<' | '<<<';
  readonly fd: number | null;
  /** The file or descriptor; for a here-document, its body. */
  readonly target: Word;
  readonly start: number;
  readonly end: number;
}

/** Where it stops being understood, and why: “a quote without an end”. */
export class Unread extends Error {
  readonly at: number;
  readonly why: string;
  constructor(at: number, why: string) {
    super(why);
    this.at = at;
    this.why = why;
  }
}
