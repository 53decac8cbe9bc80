/** A script, as every shell that may be /bin/sh reads it. What they read differently is no script. */
export type ShellScript = readonly PipelineStep[];

/** One pipeline, and the operator between it and the next. */
export interface PipelineStep {
  readonly pipeline: readonly ShellCommand[];
  readonly joint: '&&' | '||' | ';' | '&' | null;
}

export type ShellCommand =
  | SimpleCommand
  /** `( … )` has a folder and variables of its own; `{ … }`, loops and choices have not. */
  | { readonly kind: 'subshell' | 'group'; readonly body: ShellScript; readonly redirects: readonly Redirection[] }
  /** Conditions and branches, in the order of the text. */
  | { readonly kind: 'choice'; readonly parts: readonly ShellScript[]; readonly redirects: readonly Redirection[] }
  | {
      readonly kind: 'loop';
      /** The variable and words of `for`; null for `while` and `until`. */
      readonly over: { readonly name: string; readonly words: readonly ShellWord[] } | null;
      readonly parts: readonly ShellScript[];
      readonly redirects: readonly Redirection[];
    }
  | {
      readonly kind: 'case';
      readonly word: ShellWord;
      readonly patterns: readonly ShellWord[];
      readonly parts: readonly ShellScript[];
      readonly redirects: readonly Redirection[];
    };

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirection[];
  readonly start: number;
  readonly end: number;
}

export interface Assignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellWord {
  readonly parts: readonly WordPart[];
  readonly start: number;
  readonly end: number;
}

export type WordPart =
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
      readonly instead: readonly WordPart[];
      readonly quoted: boolean;
    }
  | { readonly kind: 'command'; readonly body: ShellScript; readonly quoted: boolean; readonly isFile: boolean }
  /** `$((…))` over numbers and these names: some shells compute what a name holds once more, and run what is in it. */
  | { readonly kind: 'number'; readonly names: readonly string[] };

export interface Redirection {
  readonly operator: '<' | '>' | '>>' | '>|' | '<>' | '<&' | '>&' | '<<' | '<<<';
  readonly fd: number | null;
  /** The file or descriptor; for a here-document, its body. */
  readonly target: ShellWord;
  readonly start: number;
  readonly end: number;
}

/** Where it stops being understood, and why: “a quote without an end”. */
export class UnreadableScript extends Error {
  readonly at: number;
  readonly why: string;
  constructor(at: number, why: string) {
    super(why);
    this.at = at;
    this.why = why;
  }
}
