import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent, ModelUsage } from '../../domain/ports/conversation/model.js';

/** Reads one answer in its protocol's words. Throws a `BrokenAnswer` at what the protocol does not allow. */
export interface AnswerReader {
  read(event: JsonObject, name: string): readonly ModelEvent[];
  /** Why it ended; null until the closing word came. */
  readonly closed: ClosingWhy | null;
  readonly usage: ModelUsage | null;
}

export type ClosingWhy = Extract<ModelEvent, { readonly type: 'ended' }>['why'];

/**
 * Thrown where an answer broke off. What came is kept; nothing of it runs. The message goes on after “The answer broke
 * off: ”.
 */
export class BrokenAnswer extends Error {}

/** Readers for the fields of an event: a value of another type counts as absent. */
export const objectIn = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Reads a server's own error words for display: one line, not long. */
export const saidIn = (error: unknown): string => {
  const said = typeof error === 'string' ? error : textIn(objectIn(error)['message']);
  return said.replace(/\s+/gu, ' ').trim().slice(0, 300);
};
