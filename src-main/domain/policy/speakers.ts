import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Rule } from '#contract/vocabulary/rules.js';
import { type Asker, isOwnAct, nameOf } from '../call/asker.js';
import { cancelledByUser, disabledByMode, disabledByPolicy } from '../call/failures.js';
import { clientAccess, clientBlocked } from './client-rules.js';
import { means, type ToolIdentity } from '../tool/tool-identity.js';
import { reaches, type ToolSeen, unknownTool } from './door-tools.js';

/** What is known of a call by now: rules that need more keep silent. */
export type CallSeen =
  | { readonly seen: 'nothing' }
  /** Which tool it names, and that one where there is one. */
  | {
      readonly seen: 'name';
      readonly name: string;
      readonly tool: ToolSeen | null;
      readonly defined: ToolIdentity | null;
    }
  /** Its arguments and paths, too: `wish` is why the tool itself wants it asked. */
  | { readonly seen: 'whole'; readonly name: string; readonly tool: ToolSeen; readonly wish: string | null };

/** What is in force where a call is asked for, and what was said to it so far. */
export interface RulesInForce {
  readonly config: Config;
  readonly place: 'open' | 'no-workspace' | 'no-roots';
  /** The person revoked the token or the name that it came with. */
  readonly revoked: boolean;
  /** What the person's yeses in advance say of it; null as long as they were not looked at. */
  readonly confirmation: ConfirmationSaid | null;
  /** The person said yes to this very call. */
  readonly approved: boolean;
}

export type ConfirmationSaid =
  | { readonly kind: 'run'; readonly id: Rule['id']; readonly words: string }
  /** `words`: why one that would have covered it does not. */
  | { readonly kind: 'ask'; readonly words: string | null };

/** What one rule says of a call. */
export type Opinion =
  | (Rule & { readonly kind: 'run'; readonly words: string })
  /** `answeredBy`: who may answer it, the person in any case but where nobody may. */
  | (Rule & {
      readonly kind: 'ask';
      readonly words: string;
      readonly answeredBy: 'confirmation' | 'person' | 'nobody';
    })
  /** `unlisted`: whatever its arguments, so that no door offers it. */
  | (Rule & { readonly kind: 'deny'; readonly failure: Failure; readonly unlisted: boolean });

type Speaker = (asker: Asker, call: CallSeen, rules: RulesInForce) => Opinion | null;

const workspace: Speaker = (_asker, _call, { place }) => {
  switch (place) {
    case 'open':
      return null;
    case 'no-workspace':
      return { kind: 'deny', layer: 'workspace', id: 'workspace.none', failure: noWorkspace, unlisted: false };
    case 'no-roots':
      return { kind: 'deny', layer: 'workspace', id: 'workspace.roots', failure: noRoots, unlisted: false };
  }
};

const noWorkspace: Failure = {
  code: 'Disabled',
  message: 'No workspace is open in Gatehouse. Open one, then ask again.',
};

const noRoots: Failure = {
  code: 'Disabled',
  message:
    'No folder that tools may touch can be used (tools.sandbox.allowed_roots). Gatehouse says why in its window.',
};

const revoked: Speaker = (_asker, _call, { revoked: isRevoked }) =>
  isRevoked ? { kind: 'deny', layer: 'agent', id: 'agent.revoked', failure: cancelledByUser, unlisted: false } : null;

const blocked: Speaker = (asker, _call, { config }) =>
  clientAccess(config, asker) === 'blocked'
    ? { kind: 'deny', layer: 'agent', id: 'agent.blocked', failure: clientBlocked(nameOf(asker)), unlisted: false }
    : null;

/** An agent that the person wants to be asked about is asked about whatever else would let its calls run. */
const agentAsks: Speaker = (asker, call, { config }) => {
  if (call.seen !== 'whole' || clientAccess(config, asker) !== 'ask') return null;
  const words = `You want to be asked about every call of ${nameOf(asker)}.`;
  return { kind: 'ask', layer: 'agent', id: 'agent.ask', words, answeredBy: 'person' };
};

/** Rules that the person made for those who ask do not bind what they do themselves. */
const settings =
  (speaks: (call: CallSeen, config: Config) => Opinion | null): Speaker =>
  (asker, call, { config }) =>
    isOwnAct(asker) ? null : speaks(call, config);

const mode = settings((_call, { tools }) => {
  const rule = { layer: 'settings', id: 'settings.mode' } as const;
  switch (tools.mode) {
    case 'enabled':
      return null;
    case 'disabled':
      return { kind: 'deny', ...rule, failure: disabledByMode, unlisted: true };
    case 'parse_only':
      return { kind: 'ask', ...rule, words: ONLY_RESULTS, answeredBy: 'nobody' };
  }
});

const ONLY_RESULTS = 'Tools only wait for results here (tools.mode = "parse_only").';

const approval = settings((_call, { tools }) =>
  tools.approval.enabled
    ? null
    : { kind: 'deny', layer: 'settings', id: 'settings.approval', failure: disabledByPolicy, unlisted: false },
);

/** Before the denylist: a list that names a tool must not tell an asker that there is one. */
const beyondReach: Speaker = (asker, call) =>
  call.seen !== 'nothing' && call.tool !== null && !isDefined(call) && !reaches(asker, call.tool)
    ? unknown(call.name)
    : null;

const denylist = settings((call, { tools }) => {
  const entry = call.seen === 'nothing' ? undefined : entryFor(tools.approval.denylist, call);
  if (call.seen === 'nothing' || entry === undefined) return null;
  const message = `${listedAs(call.name, entry)} is on the denylist (tools.approval.denylist). Only the person can take it off.`;
  const failure: Failure = { code: 'Denylisted', message };
  return { kind: 'deny', layer: 'settings', id: 'settings.denylist', failure, unlisted: true };
});

const existence: Speaker = (_asker, call) =>
  call.seen === 'nothing' || call.tool !== null || isDefined(call) ? null : unknown(call.name);

/** What the person defined in their configuration counts as known where tools only wait for results. */
const isDefined = (call: CallSeen): boolean => call.seen === 'name' && call.defined !== null;

/** By what a list means a call's tool; undefined where it does not. */
function entryFor(list: readonly string[], call: Exclude<CallSeen, { seen: 'nothing' }>): string | undefined {
  const { name } = call;
  const known = call.tool ?? (call.seen === 'name' ? call.defined : null);
  const tool: ToolIdentity = { name, id: known?.id ?? null, version: known?.version ?? null };
  return list.find((entry) => means(entry, tool));
}

const listedAs = (name: string, entry: string): string => (entry === name ? name : `${name} (as ${entry})`);

const unknown = (name: string): Opinion => ({
  kind: 'deny',
  layer: 'door',
  id: 'door.tools',
  failure: unknownTool(name),
  unlisted: true,
});

const onlyAllowlist = settings((call, { tools: { mode: toolsMode, approval: policy } }) => {
  // Where tools only wait for results nothing runs, and a list of what may has nothing to say.
  if (
    call.seen !== 'whole' ||
    toolsMode === 'parse_only' ||
    policy.mode !== 'deny' ||
    entryFor(policy.allowlist, call) !== undefined
  )
    return null;
  const message = `Only tools on the allowlist may run (tools.approval.mode = "deny"), and ${call.name} is not on it.`;
  const failure: Failure = { code: 'Denylisted', message };
  return { kind: 'deny', layer: 'settings', id: 'settings.only-allowlist', failure, unlisted: false };
});

/** A control file makes other programs run something: no yes in advance reaches that far. */
const wish: Speaker = (_asker, call) =>
  call.seen === 'whole' && call.wish !== null
    ? { kind: 'ask', layer: 'tool', id: 'tool.wish', words: call.wish, answeredBy: 'person' }
    : null;

const alwaysAsks: Speaker = (_asker, call) =>
  call.seen === 'whole' && call.tool.requiresApproval
    ? {
        kind: 'ask',
        layer: 'tool',
        id: 'tool.approval',
        words: `${call.name} always asks.`,
        answeredBy: 'confirmation',
      }
    : null;

const sideEffects = settings((call, { tools: { approval: policy } }) => {
  if (call.seen !== 'whole' || policy.mode !== 'prompt' || !policy.prompt_side_effects) return null;
  if (!call.tool.sideEffecting || entryFor(policy.allowlist, call) !== undefined) return null;
  const words = `${call.name} changes things, and changes ask (tools.approval.prompt_side_effects).`;
  return { kind: 'ask', layer: 'settings', id: 'settings.side-effects', words, answeredBy: 'confirmation' };
});

/** Why it runs where nothing is against it. */
const lets = settings((call, { tools: { approval: policy } }) => {
  if (call.seen !== 'whole') return null;
  const run = (id: Rule['id'], words: string): Opinion => ({ kind: 'run', layer: 'settings', id, words });
  const entry = entryFor(policy.allowlist, call);
  if (entry !== undefined) return run('settings.allowlist', `${listedAs(call.name, entry)} is on the allowlist.`);
  if (policy.mode === 'auto') return run('settings.auto', 'Calls run unless denied (tools.approval.mode = "auto").');
  return call.tool.sideEffecting
    ? run('settings.no-prompts', 'Changes need no asking (tools.approval.prompt_side_effects = false).')
    : run('settings.reads', `${call.name} only reads.`);
});

/**
 * All who have a say, in the order in which their words are preferred (FR-APR-05, FR-VAL-02): what holds for every call, then what is
 * known by its name, then what its arguments tell; an agent that is to be asked about comes last, as anything else says more.
 */
export const SPEAKERS: readonly Speaker[] = [
  workspace,
  revoked,
  blocked,
  mode,
  approval,
  beyondReach,
  denylist,
  existence,
  onlyAllowlist,
  wish,
  alwaysAsks,
  sideEffects,
  agentAsks,
  lets,
];
