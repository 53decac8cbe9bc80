import type { RiskLevel } from '../../vocabulary/calls.js';
import Type from 'typebox';
import type { JsonObject } from '../../vocabulary/json.js';
import { byHand, channel, closed, id, nothing } from '../channel.js';

/** The domain package that is served, as the Tools page shows it. */
export interface DomainView {
  /** The folder it was read from. */
  readonly folder: string;
  /** Null as long as nothing of that folder could be taken. */
  readonly taken: TakenDomainView | null;
  /** Problems in the folder as it is now: file, line and reason. A package that was taken before stays in force. */
  readonly problems: readonly string[];
  /** The package in the folder that waits for approval; null where none does. */
  readonly waits: { readonly domainId: string; readonly words: string } | null;
}

/** The package that would be accepted, beside the one that was. */
export interface DomainReview {
  /** The digest of all that would be accepted: acceptance names it. */
  readonly digest: string;
  readonly domainId: string;
  readonly version: string;
  /** Null where nothing of this folder was ever accepted. */
  readonly from: string | null;
  /** The package's digest, as the settings accept one in advance. */
  readonly packageDigest: string;
  readonly tools: readonly DomainToolChange[];
  readonly files: readonly DomainFileChange[];
  /** The reach of workers by the policies, before and after; null where that stays. */
  readonly reach: { readonly before: string; readonly after: string } | null;
}

export interface DomainToolChange {
  readonly id: string;
  readonly change: 'new' | 'changed' | 'gone';
  readonly accepted: JsonObject | null;
  readonly offered: JsonObject | null;
}

/** Null before: it is new; null after: it is gone. What is no text, or too long to be drawn, is told by its digest. */
export interface DomainFileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface TakenDomainView {
  readonly domainId: string;
  readonly version: string;
  readonly tools: readonly DomainToolView[];
  readonly workers: readonly DomainWorkerView[];
  readonly policies: DomainPoliciesView;
  /** The changes of this version; null for the first that was taken. */
  readonly change: DomainChangeView | null;
}

export interface DomainToolView {
  readonly id: string;
  readonly name: string;
  readonly asks: boolean;
  readonly risk: RiskLevel;
  readonly securityLevel: string | null;
  readonly timeoutSec: number;
  /** How many of its calls run side by side. */
  readonly places: number;
  /** Where it runs: a worker of the gateway’s, or an address. */
  readonly worker: string | null;
  readonly address: string | null;
  /** Enforced for a worker of the gateway’s, a claim for one elsewhere. */
  readonly egress: readonly string[];
}

export interface DomainWorkerView {
  readonly name: string;
  readonly kind: 'service_worker' | 'job_worker';
  readonly tools: readonly string[];
  readonly running: 'stopped' | 'starting' | 'running' | 'waiting' | 'failed';
  readonly healthy: boolean | null;
  readonly restarts: number;
  readonly problem: string | null;
  /** The isolation that holds it here. */
  readonly isolation: string;
  /** Parts of that isolation that this computer does not have. */
  readonly lacking: readonly string[];
  readonly secrets: readonly { readonly name: string; readonly given: boolean }[];
  /** The end of what it wrote. */
  readonly log: string;
}

export interface DomainPoliciesView {
  readonly global: number;
  readonly defaultTimeoutSec: number;
  readonly maxWaiting: number;
  readonly maxWaitSec: number;
  readonly egress: readonly string[];
  readonly logLevel: string;
}

export interface DomainChangeView {
  readonly from: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

export const DOMAIN_CHANNELS = {
  /** Null where no package is named. */
  'domain.get': channel<DomainView | null>()(nothing),
  'domain.review': byHand<DomainReview>()(nothing),
  /** Accepts the package that was shown, by its digest. */
  'domain.accept': byHand<null>()(Type.Object({ digest: id }, closed)),
} as const;
