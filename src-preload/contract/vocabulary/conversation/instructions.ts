/** A file of a folder that tells a model how to work there. Its text counts as the person's once they accepted this very one. */
export type InstructionFile = { readonly path: string } & (
  | { readonly state: 'absent' }
  /** The file is there and can't be used: why, in words. */
  | { readonly state: 'unusable'; readonly problem: string }
  /** `text` is without secrets; `digest` is of all of it. */
  | { readonly state: 'not-seen' | 'accepted'; readonly text: string; readonly digest: string }
  /** Changed since it was accepted; `before` is the accepted text. */
  | { readonly state: 'changed'; readonly text: string; readonly digest: string; readonly before: string }
);
