import { formatCount } from '../../ui/text/format.js';

/** The unit of a number; for bytes the person chooses it. */
export type Unit =
  | 'bytes'
  | 's'
  | 'ms'
  | 'days'
  | 'calls'
  | 'entries'
  | 'files'
  | 'folders'
  | 'processes'
  | 'requests'
  | 'sessions'
  | 'tokens'
  | 'tools'
  | 'versions'
  | 'MB a minute';

export const SIZES = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;
export type SizeUnit = keyof typeof SIZES;

/** The largest unit that it is a whole number of. */
export const chooseSize = (bytes: number): SizeUnit =>
  (['GB', 'MB', 'KB'] as const).find((size) => bytes !== 0 && bytes % SIZES[size] === 0) ?? 'B';

export interface NumberBounds {
  readonly minimum: number | null;
  readonly isMore: boolean;
  readonly maximum: number | null;
}

type ReadNumber = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly problem: string };

/** A number as a person types it, in `factor` of what is kept; main checks it against the schema once more. */
export function readNumber(text: string, { minimum, isMore, maximum }: NumberBounds, factor = 1): ReadNumber {
  const typed = Number(text.replaceAll(/[\s_]/gu, ''));
  if (text.trim() === '' || !Number.isFinite(typed)) return { ok: false, problem: 'Enter a number.' };
  const value = factor === 1 ? typed : Math.round(typed * factor);
  if (minimum !== null && isMore && value <= minimum)
    return { ok: false, problem: `Must be more than ${formatCount(minimum)}.` };
  if (minimum !== null && value < minimum)
    return { ok: false, problem: `Must be ${formatCount(minimum / factor)} or more.` };
  if (maximum !== null && value > maximum)
    return { ok: false, problem: `Must be ${formatCount(maximum / factor)} or less.` };
  return { ok: true, value };
}
