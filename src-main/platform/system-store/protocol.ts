export type StoreRequest =
  | { readonly id: number; readonly op: 'get'; readonly name: string }
  | { readonly id: number; readonly op: 'set'; readonly name: string; readonly value: string };

export type StoreAnswer =
  | { readonly id: number; readonly ok: true; readonly value: string | null }
  | { readonly id: number; readonly ok: false; readonly reason: string };
