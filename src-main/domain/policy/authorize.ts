import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import type { ToolPolicy } from '#contract/vocabulary/tools/tools.js';
import { type Asker, isOwnAct } from '../call/asker.js';
import { type KnownCall, type Opinion, type RulesInForce, POLICY_RULES } from './policy-rules.js';
import { type ModeVerdict, judgeByMode, type Unattended } from './unattended.js';

/** The verdict on a call: run, ask or deny, by which rule of which layer, in the words that people see. */
export type Verdict =
  | (DecidingRule & { readonly kind: 'run'; readonly words: string })
  | (DecidingRule & {
      readonly kind: 'ask';
      readonly words: string;
      /** Parse-only mode asks the person for a result, and no yes makes the call run. */
      readonly for: 'decision' | 'result';
      /** Whether a yes in advance could have answered it. */
      readonly confirmable: boolean;
    })
  | (DecidingRule & { readonly kind: 'deny'; readonly words: string; readonly failure: Failure });

/**
 * Whether this asker's call may run: the one place where that is said. Pure and total. Every layer speaks, and the
 * strictest word stands; among equals, the first. Only what asks can be answered, and only by those whom the asking
 * rule lets answer it. What the person's modes (`sandbox`, `collect`) let run is answered where a yes in advance could
 * have done it, and nowhere else.
 */
export function authorize(asker: Asker, call: KnownCall, rules: RulesInForce): Verdict {
  const mode = call.seen === 'whole' ? judgeByMode(call.unasked, rules.config) : null;
  return strictestVerdict(collectOpinions(asker, call, rules), asker, rules, mode);
}

const collectOpinions = (asker: Asker, call: KnownCall, rules: RulesInForce): readonly Opinion[] =>
  POLICY_RULES.flatMap((speaks) => speaks(asker, call, rules) ?? []);

export function strictestVerdict(
  said: readonly Opinion[],
  asker: Asker,
  rules: RulesInForce,
  mode: ModeVerdict | null = null,
): Verdict {
  const denial = said.find((opinion) => opinion.kind === 'deny');
  if (denial !== undefined) {
    const { layer, id, failure } = denial;
    return { kind: 'deny', layer, id, words: failure.message, failure: { ...failure, rule: { layer, id } } };
  }
  const asks = said.filter((opinion) => opinion.kind === 'ask');
  const open = asks.find((ask) => !isAnswered(ask, asker, rules, mode));
  if (open !== undefined) {
    const { layer, id, words, answeredBy } = open;
    const asked = {
      for: answeredBy === 'nobody' ? 'result' : 'decision',
      confirmable: answeredBy !== 'person' && answeredBy !== 'nobody',
    } as const;
    const { confirmation } = rules;
    if (asked.confirmable && confirmation?.kind === 'ask' && confirmation.words !== null)
      return { kind: 'ask', layer: 'confirmation', id: 'confirmation:lapsed', words: confirmation.words, ...asked };
    return answeredBy === 'confirmation' && mode !== null
      ? { kind: 'ask', layer: mode.layer, id: mode.id, words: mode.words, ...asked }
      : { kind: 'ask', layer, id, words, ...asked };
  }
  if (isOwnAct(asker)) return { kind: 'run', layer: 'person', id: 'person.act', words: 'Requested by you.' };
  if (asks.length === 0) {
    const { layer, id, words } = said.find((opinion) => opinion.kind === 'run') ?? NO_OPINION;
    return { kind: 'run', layer, id, words };
  }
  const { approved, confirmation } = rules;
  if (!approved && confirmation?.kind === 'run')
    return { kind: 'run', layer: 'confirmation', id: confirmation.id, words: confirmation.words };
  if (!approved && mode?.kind === 'run') return { ...mode, kind: 'run' };
  return { kind: 'run', layer: 'person', id: 'person.decision', words: 'Approved by you.' };
}

/** Verdict on a call that no rule has looked at yet. */
const NO_OPINION = { layer: 'door', id: 'door.open', words: 'No rule is against it so far.' } as const;

function isAnswered(
  { answeredBy }: Extract<Opinion, { kind: 'ask' }>,
  asker: Asker,
  { approved, confirmation }: RulesInForce,
  mode: ModeVerdict | null,
): boolean {
  switch (answeredBy) {
    case 'nobody':
      return false;
    case 'person':
    case 'other-confirmation':
      return approved || isOwnAct(asker);
    case 'foreign-confirmation':
      return approved || isOwnAct(asker) || (confirmation?.kind === 'run' && confirmation.foreign);
    case 'confirmation':
      return approved || isOwnAct(asker) || confirmation?.kind === 'run' || mode?.kind === 'run';
  }
}

/** Whether a door lists it: not what would be denied whatever its arguments. Asked for all the same, that says why. */
export const isOffered = (asker: Asker, call: KnownCall, rules: RulesInForce): boolean =>
  collectOpinions(asker, call, rules).every((opinion) => opinion.kind !== 'deny' || !opinion.unlisted);

/**
 * A verdict as the Tools page shows it: what happens to this tool, and why. What the person's modes let run of its calls
 * hangs on each call: `could` is one that nothing is against.
 */
export function policyInForce(
  asker: Asker,
  call: KnownCall,
  rules: RulesInForce,
  could: Unattended | null = null,
): { readonly policy: ToolPolicy; readonly reason: string } {
  const { kind, words } = authorize(asker, call, rules);
  if (kind !== 'ask' || call.seen !== 'whole') return { policy: kind === 'run' ? 'allow' : kind, reason: words };
  const some = authorize(asker, { ...call, unasked: could }, rules);
  return { policy: kind, reason: some.kind === 'run' ? `${some.words} Calls that can’t be undone ask.` : words };
}
