export type RememberScope = 'session' | 'workspace' | 'always';

export type Decision =
  | { readonly kind: 'approve-all' }
  | { readonly kind: 'approve-selected'; readonly callIds: readonly string[] }
  | { readonly kind: 'deny-all' };
