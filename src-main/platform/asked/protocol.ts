/** What a thread or a process can be asked: a function of plain values for each question. */
export type Functions<Service> = { readonly [Name in keyof Service]: (...args: never[]) => unknown };

export interface AskedQuestion {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type AskedAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly kind: string; readonly message: string };
