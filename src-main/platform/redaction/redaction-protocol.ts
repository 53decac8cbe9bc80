import type { Json } from '#contract/vocabulary/json.js';

export type RedactionRequest =
  | { readonly kind: 'know'; readonly values: readonly string[] }
  | { readonly kind: 'find'; readonly id: number; readonly text: string }
  | { readonly kind: 'json'; readonly id: number; readonly value: Json };

export type RedactionAnswer =
  | { readonly kind: 'found'; readonly id: number; readonly places: Uint32Array }
  | { readonly kind: 'json'; readonly id: number; readonly value: Json; readonly count: number };
