import Type from 'typebox';
import type { HookRun, HookTime } from '../vocabulary/hooks.js';
import { byHand, channel, closed, id, nothing } from './channel.js';

/** A hook that its settings keep from being one. */
export interface RefusedHook {
  readonly name: string;
  /** Null where that can't be told. */
  readonly when: HookTime | null;
  readonly tools: readonly string[];
  readonly onFailure: 'deny' | 'ignore';
  readonly file: string;
  readonly line: number | null;
  readonly reason: string;
}

/** Words the consequence until it is mended: calls that a hook was to judge do not run unjudged. */
export function describeConsequence({
  when,
  tools,
  onFailure,
}: Pick<RefusedHook, 'when' | 'tools' | 'onFailure'>): string {
  if (when === 'after') return 'It doesn’t run until this is fixed. Your other hooks go on.';
  if (onFailure === 'ignore') return 'Until this is fixed, calls go on without it.';
  const which = tools.includes('*') ? 'every call is' : `calls to ${tools.join(', ')} are`;
  return `Until this is fixed, ${which} denied.`;
}

/** A run as the page lists it. */
export interface PastHookRun {
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly run: HookRun;
}

/** A file of a hook’s command that lies in an open folder, where tools may change it. */
export interface HookFile {
  readonly path: string;
  readonly state: 'accepted' | 'changed' | 'missing';
  /** The digest of the present content: a yes is for it. */
  readonly digest: string | null;
}

/** Why what a hook runs may be another tomorrow, though none of its accepted files changed. */
export interface UnpinnedHook {
  /** Plain sentences. */
  readonly reasons: readonly string[];
  /** The digest that a yes is for, while its calls ask; null where nothing asks. */
  readonly asks: string | null;
}

export interface HookView {
  readonly name: string;
  readonly when: HookTime;
  readonly tools: readonly string[];
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
  /** Null for what runs after calls. */
  readonly onFailure: 'deny' | 'ignore' | null;
  readonly files: readonly HookFile[];
  readonly notPinned: UnpinnedHook | null;
  /** The newest first. */
  readonly runs: readonly PastHookRun[];
  readonly ran: number;
  readonly failed: number;
}

export interface HooksView {
  /** Where relative paths of their commands begin. */
  readonly folder: string;
  readonly hooks: readonly HookView[];
  readonly refused: readonly RefusedHook[];
}

/** A hook's answer on a call that is over: nothing was run, asked or recorded for it. */
export interface HookTestResult {
  readonly run: HookRun;
  /** The text that it was given on its standard input. */
  readonly given: string;
  /** The end of what it wrote on its standard error. */
  readonly said: string;
}

export const HOOK_CHANNELS = {
  'hooks.list': channel<HooksView>()(nothing),
  /** Runs one hook with a call from history, and that call not. */
  'hooks.try': byHand<HookTestResult>()(Type.Object({ name: id, callId: id }, closed)),
  /** Accepts a changed file that the person reviewed: this is the hook from now on. */
  'hooks.acceptFile': byHand<HooksView>()(
    Type.Object({ name: id, path: Type.String({ maxLength: 4096 }), digest: id }, closed),
  ),
  /** The person knows that tools may change what it runs, and lets it judge all the same. */
  'hooks.acceptNotPinned': byHand<HooksView>()(Type.Object({ name: id, digest: id }, closed)),
} as const;
