import type { Json } from '#contract/vocabulary/json.js';
import { redactJson } from '../../domain/text/redact.js';

/** Takes secrets and personal data out, and says how many it took. */
export type Redact = <T extends Json>(value: T) => { readonly value: T; readonly count: number };

/** Redacts values that are kept for audit, found by search, or leave the machine. */
export const redactForRecord: Redact = (value) => redactJson(value, { emails: true });
