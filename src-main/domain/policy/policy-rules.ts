import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import { type Asker, isOwnAct, nameAsker } from '../call/asker.js';
import { CANCELLED_BY_PERSON, DISABLED_BY_MODE, DISABLED_BY_POLICY, NOT_PERMITTED } from '../call/failures.js';
import { clientAccess, blockedClientFailure } from './client-rules.js';
import { appliesToTool, matchesEntry, type ToolIdentity } from '../tool/tool-identity.js';
import { canReachTool, type JudgedTool, unknownToolFailure } from './judged-tool.js';
import { hasAllThreeRisks, type Taint, taintWords } from './taint.js';
import type { Unattended } from './unattended.js';

/** The stages of what is known of a call: rules that need more keep silent. */
export type KnownCall =
  | { readonly seen: 'nothing' }
  /** The call names a tool: `tool` is that one, where there is one. */
  | {
      readonly seen: 'name';
      readonly name: string;
      readonly tool: JudgedTool | null;
      readonly defined: ToolIdentity | null;
      /** Why no tool goes by it although there is one. */
      readonly absent?: Failure | null;
    }
  /**
   * Arguments and paths are known, too: `wish` is why the tool itself wants it asked, `unasked` what the person's
   * settings may let run all the same, `taint` what its asker's model has read that is against it (left out: nothing),
   * `lacked` that it failed unasked without `mayRead`, in words.
   */
  | {
      readonly seen: 'whole';
      readonly name: string;
      readonly tool: JudgedTool;
      readonly wish: string | null;
      readonly unasked: Unattended | null;
      readonly taint?: Taint;
      readonly lacked?: string;
      readonly mayRead?: readonly string[];
    };

/** The rules in force where a call is asked for, and what was said to it so far. */
export interface RulesInForce {
  readonly config: Config;
  readonly place: 'open' | 'closed' | 'no-workspace' | 'no-roots';
  /** The person revoked the token or the name that it came with. */
  readonly revoked: boolean;
  /** The answer of the person's standing confirmations; null as long as they were not checked. */
  readonly confirmation: ConfirmationVerdict | null;
  /** The person said yes to this very call. */
  readonly approved: boolean;
}

export type ConfirmationVerdict =
  /** `foreign`: it holds also after text that the person did not write; `readable`: what it shows besides the folder. */
  | {
      readonly kind: 'run';
      readonly id: DecidingRule['id'];
      readonly words: string;
      readonly foreign: boolean;
      readonly readable?: readonly string[] | undefined;
    }
  /** `words`: why one that would have covered it does not; `unlessRead`: one that text which was read is against. */
  | { readonly kind: 'ask'; readonly words: string | null; readonly unlessRead?: string | undefined };

/** The opinion of one rule on a call. */
export type Opinion =
  | (DecidingRule & { readonly kind: 'run'; readonly words: string })
  /**
   * `answeredBy`: who may answer it, the person in any case but where nobody may. `other-confirmation`: none that there
   * is, and one could be made.
   */
  | (DecidingRule & {
      readonly kind: 'ask';
      readonly words: string;
      readonly answeredBy: 'confirmation' | 'foreign-confirmation' | 'other-confirmation' | 'person' | 'nobody';
    })
  /** `unlisted`: whatever its arguments, so that no door offers it. */
  | (DecidingRule & { readonly kind: 'deny'; readonly failure: Failure; readonly unlisted: boolean });

type PolicyRule = (asker: Asker, call: KnownCall, rules: RulesInForce) => Opinion | null;

const workspace: PolicyRule = (_asker, _call, { place }) => {
  switch (place) {
    case 'open':
      return null;
    case 'closed':
      return { kind: 'deny', layer: 'workspace', id: 'workspace.closed', failure: NOT_PERMITTED, unlisted: false };
    case 'no-workspace':
      return { kind: 'deny', layer: 'workspace', id: 'workspace.none', failure: noWorkspace, unlisted: false };
    case 'no-roots':
      return { kind: 'deny', layer: 'workspace', id: 'workspace.roots', failure: noRoots, unlisted: false };
  }
};

const noWorkspace: Failure = {
  code: 'Disabled',
  message: 'No folder is open in Gatehouse. Open one, then try again.',
};

const noRoots: Failure = {
  code: 'Disabled',
  message: 'None of the folders that tools may use can be opened. Gatehouse shows why.',
};

const revoked: PolicyRule = (_asker, _call, { revoked: isRevoked }) =>
  isRevoked
    ? { kind: 'deny', layer: 'agent', id: 'agent.revoked', failure: CANCELLED_BY_PERSON, unlisted: false }
    : null;

const blocked: PolicyRule = (asker, _call, { config }) =>
  clientAccess(config, asker) === 'blocked'
    ? {
        kind: 'deny',
        layer: 'agent',
        id: 'agent.blocked',
        failure: blockedClientFailure(nameAsker(asker)),
        unlisted: false,
      }
    : null;

/** An agent that the person wants to be asked about is asked about whatever else would let its calls run. */
const agentAsks: PolicyRule = (asker, call, { config }) => {
  if (call.seen !== 'whole' || clientAccess(config, asker) !== 'ask') return null;
  const words = `You review every call from ${nameAsker(asker)}.`;
  return { kind: 'ask', layer: 'agent', id: 'agent.ask', words, answeredBy: 'person' };
};

/** Rules that the person made for those who ask do not bind what they do themselves. */
const settings =
  (speaks: (call: KnownCall, config: Config) => Opinion | null): PolicyRule =>
  (asker, call, { config }) =>
    isOwnAct(asker) ? null : speaks(call, config);

const mode = settings((_call, { tools }) => {
  const rule = { layer: 'settings', id: 'settings.mode' } as const;
  switch (tools.mode) {
    case 'enabled':
      return null;
    case 'disabled':
      return { kind: 'deny', ...rule, failure: DISABLED_BY_MODE, unlisted: true };
    case 'parse_only':
      return { kind: 'ask', ...rule, words: ONLY_RESULTS, answeredBy: 'nobody' };
  }
});

const ONLY_RESULTS = 'Parse only: nothing runs, and you give each result.';

const approval = settings((_call, { tools }) =>
  tools.approval.enabled
    ? null
    : { kind: 'deny', layer: 'settings', id: 'settings.approval', failure: DISABLED_BY_POLICY, unlisted: false },
);

/**
 * Denies tools beyond the asker's reach. Comes before the denylist: a list that names a tool must not tell an asker
 * that there is one.
 */
const beyondReach: PolicyRule = (asker, call) =>
  call.seen !== 'nothing' && call.tool !== null && !isDefined(call) && !canReachTool(asker, call.tool)
    ? denyUnknownTool(call.name)
    : null;

const denylist = settings((call, { tools }) => {
  const entry = call.seen === 'nothing' ? undefined : findEntry(tools.approval.denylist, call, appliesToTool);
  if (call.seen === 'nothing' || entry === undefined) return null;
  const message = `${listedAs(call.name, entry)} is turned off. Only the user can turn it on, in Gatehouse.`;
  const failure: Failure = { code: 'Denylisted', message };
  return { kind: 'deny', layer: 'settings', id: 'settings.denylist', failure, unlisted: true };
});

const existence: PolicyRule = (_asker, call) =>
  call.seen === 'nothing' || call.tool !== null || isDefined(call)
    ? null
    : denyUnknownTool(call.name, call.seen === 'name' ? call.absent : null);

/**
 * Whether the call means a tool that the person defined in their configuration: it counts as known where tools only
 * wait for results.
 */
const isDefined = (call: KnownCall): boolean => call.seen === 'name' && call.defined !== null;

/** Finds the entry by which a list means a call's tool; undefined where none does. */
function findEntry(
  list: readonly string[],
  call: Exclude<KnownCall, { seen: 'nothing' }>,
  isMeant: typeof matchesEntry = matchesEntry,
): string | undefined {
  const { name } = call;
  const known = call.tool ?? (call.seen === 'name' ? call.defined : null);
  const tool: ToolIdentity = { name: known?.name ?? name, id: known?.id ?? null, version: known?.version ?? null };
  return list.find((entry) => isMeant(entry, tool));
}

const listedAs = (name: string, entry: string): string => (entry === name ? name : `${name} (as ${entry})`);

const denyUnknownTool = (name: string, absent: Failure | null = null): Opinion => ({
  kind: 'deny',
  layer: 'door',
  id: 'door.tools',
  failure: absent ?? unknownToolFailure(name),
  unlisted: true,
});

/** Not even for the person: what would run is not what they accepted. */
const stopped: PolicyRule = (_asker, call) =>
  call.seen === 'nothing' || call.tool === null || call.tool.stopped === undefined
    ? null
    : { kind: 'deny', layer: 'tool', id: 'tool.changed', failure: call.tool.stopped, unlisted: false };

const onlyAllowlist = settings((call, { tools: { mode: toolsMode, approval: policy } }) => {
  // Where tools only wait for results nothing runs, and a list of what may has nothing to say.
  if (
    call.seen !== 'whole' ||
    toolsMode === 'parse_only' ||
    policy.mode !== 'deny' ||
    findEntry(policy.allowlist, call) !== undefined
  )
    return null;
  const message = `Only tools on the allowlist may run, and ${call.name} isn’t on it.`;
  const failure: Failure = { code: 'Denylisted', message };
  return { kind: 'deny', layer: 'settings', id: 'settings.only-allowlist', failure, unlisted: false };
});

/** A control file makes other programs run something: no yes in advance reaches that far. */
const wish: PolicyRule = (_asker, call) =>
  call.seen === 'whole' && call.wish !== null
    ? { kind: 'ask', layer: 'tool', id: 'tool.wish', words: call.wish, answeredBy: 'person' }
    : null;

/** What a rule lets it read is lacked no more. A file that is hidden in the folder no rule shows. */
const missingAccess: PolicyRule = (_asker, call, { confirmation }) => {
  if (call.seen !== 'whole' || call.lacked === undefined) return null;
  const { lacked: words, mayRead = [] } = call;
  const shown = confirmation?.kind === 'run' ? (confirmation.readable ?? []) : [];
  if (mayRead.every((path) => shown.some((place) => path === place || path.startsWith(`${place}/`)))) return null;
  const answeredBy = mayRead.every(isOutside) ? 'other-confirmation' : 'person';
  return { kind: 'ask', layer: 'tool', id: 'tool.lacked', words, answeredBy };
};

/** Whether a place that was hidden from a command lies outside its folder, so that a rule can let it read that. */
export const isOutside = (place: string): boolean => /^[/~]/u.test(place);

/** Text that the person did not write may have asked for it: nothing that leaves runs for a yes that was given before. */
const taint: PolicyRule = (_asker, call, { confirmation }) => {
  if (call.seen !== 'whole' || call.taint === undefined) return null;
  const rule = { layer: 'agent', id: hasAllThreeRisks(call.taint) ? 'agent.three' : 'agent.tainted' } as const;
  const answeredBy = hasAllThreeRisks(call.taint) ? 'person' : 'foreign-confirmation';
  const other = confirmation?.kind === 'ask' ? confirmation.unlessRead : undefined;
  const words = [taintWords(call.taint), ...(other === undefined ? [] : [`${other} doesn’t hold after that.`])].join(
    ' ',
  );
  return { kind: 'ask', ...rule, words, answeredBy };
};

const alwaysAsks: PolicyRule = (_asker, call) =>
  call.seen === 'whole' && call.tool.requiresApproval
    ? {
        kind: 'ask',
        layer: 'tool',
        id: 'tool.approval',
        words: 'No rule covers this call.',
        answeredBy: 'confirmation',
      }
    : null;

const sideEffects = settings((call, { tools: { approval: policy } }) => {
  if (call.seen !== 'whole' || policy.mode !== 'prompt' || !policy.prompt_side_effects) return null;
  if (!call.tool.sideEffecting || findEntry(policy.allowlist, call) !== undefined) return null;
  // Whether it asks was read with its package, which the person took.
  if (call.tool.ofDomain === true) return null;
  const words = 'You review changes before they’re made.';
  return { kind: 'ask', layer: 'settings', id: 'settings.side-effects', words, answeredBy: 'confirmation' };
});

/** Why it runs where nothing is against it. */
const runsUncontested = settings((call, { tools: { approval: policy } }) => {
  if (call.seen !== 'whole') return null;
  const run = (id: DecidingRule['id'], words: string): Opinion => ({ kind: 'run', layer: 'settings', id, words });
  const entry = findEntry(policy.allowlist, call);
  if (entry !== undefined) return run('settings.allowlist', `${listedAs(call.name, entry)} is on the allowlist.`);
  if (policy.mode === 'auto') return run('settings.auto', 'Calls run without asking unless a rule denies them.');
  if (call.tool.ofDomain === true)
    return run('settings.domain', 'Its package, which you loaded, says that it needs no approval.');
  return call.tool.sideEffecting
    ? run('settings.no-prompts', 'Changes run without your review.')
    : run('settings.reads', `${call.name} only reads.`);
});

/**
 * Every rule, in the order in which their words are preferred (FR-APR-05, FR-VAL-02): first what holds for every call,
 * then what is known by its name, then what its arguments tell; an agent that is to be asked about comes last, as
 * anything else says more.
 */
export const POLICY_RULES: readonly PolicyRule[] = [
  workspace,
  revoked,
  blocked,
  mode,
  approval,
  beyondReach,
  denylist,
  existence,
  stopped,
  onlyAllowlist,
  wish,
  missingAccess,
  taint,
  alwaysAsks,
  sideEffects,
  agentAsks,
  runsUncontested,
];
