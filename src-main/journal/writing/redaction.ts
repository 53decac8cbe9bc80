import type { Json } from '#contract/vocabulary/json.js';
import { redactJson } from '../../domain/text/redact.js';

/** Takes secrets and personal data out, and says how many it took. */
export type Redact = <T extends Json>(value: T) => { readonly value: T; readonly count: number };

/** For what is kept for audit, found by search, or leaves the machine. */
export const redactForRecord: Redact = (value) => redactJson(value, { emails: true });
