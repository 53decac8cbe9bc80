import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';

/** The verdict of the hooks before a call: nothing, or more of a question than it was. No hook can make it less. */
export type HookVerdict =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'ask'; readonly rule: DecidingRule; readonly words: string }
  | { readonly kind: 'deny'; readonly failure: Failure };

/** A run with what the person's settings make of it where it failed. `changed`: its file is another than they accepted. */
export interface JudgedRun {
  readonly run: HookRun;
  readonly onFailure: 'deny' | 'ignore';
  readonly changed?: string;
}

/** The strictest word stands; among equals, the first. */
export function strictestHookVerdict(runs: readonly JudgedRun[]): HookVerdict {
  const said = runs.map(verdictOfRun);
  return said.find(({ kind }) => kind === 'deny') ?? said.find(({ kind }) => kind === 'ask') ?? NOTHING;
}

const NOTHING: HookVerdict = { kind: 'nothing' };

function verdictOfRun({ run, onFailure, changed }: JudgedRun): HookVerdict {
  const { name } = run;
  const rule: DecidingRule = { layer: 'policy', id: `hook:${name}` };
  // What defines it lies where tools may write: neither its yes nor its no is the person's before they looked.
  if (changed !== undefined) return { kind: 'ask', rule, words: changed };
  if ('failed' in run)
    return onFailure === 'ignore'
      ? NOTHING
      : denied(
          rule,
          `The hook “${name}” could not judge this call, so it was denied. The user can see why in Gatehouse.`,
        );
  const why = run.reason === null ? '' : `: ${run.reason}`;
  switch (run.decision) {
    case 'allow':
      return NOTHING;
    case 'ask':
      return { kind: 'ask', rule, words: `The hook “${name}” asks you to decide${why === '' ? '.' : why}` };
    case 'deny':
      return denied(rule, `The hook “${name}” denied this call${why === '' ? '.' : why}`);
  }
}

const denied = (rule: DecidingRule, message: string): HookVerdict => ({
  kind: 'deny',
  failure: { code: 'NotPermitted', message, rule },
});
