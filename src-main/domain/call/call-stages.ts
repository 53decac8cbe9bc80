import type { RiskLevel } from '#contract/vocabulary/calls.js';
import { type AllowedNetwork, NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Asker } from './asker.js';
import type { DoorContext } from './door-context.js';
import type { CallOptions } from './call-options.js';
import type { Judgement } from './judgement.js';
import type { CommitReceipt, DeferredWrite } from '../ports/journal.js';
import type { UnattendedWrites } from '../policy/unattended.js';
import type { Grant } from './journal-events.js';
import type { ToolTerms } from '../tool/terms.js';
import type { RuleCommand, Tool } from '../tool/tool.js';

/**
 * A call's stages, each holding what the one before it proved. The brands can't be written outside this file, so a
 * function that asks for an `ExecutingCall` can't be given one that was not validated, granted and journaled.
 */
declare const validated: unique symbol;
declare const authorized: unique symbol;
declare const executing: unique symbol;

export interface DeclaredCall {
  readonly callId: string;
  readonly batchId: string;
  readonly index: number;
  readonly requestId: string | null;
  readonly toolName: string;
  readonly asker: Asker;
  /** The arguments as they came. */
  readonly rawArguments: Json;
  /** Present where it came by `call_tool`, which names the tool. */
  readonly through?: true;
  /** The options that its program asks for besides; left out: none. */
  readonly wanted?: CallOptions;
  readonly pocket?: DoorContext;
  /** The number of texts that its asker's model had been given when it came; left out: all that it was given by now. */
  readonly heard?: number;
}

export interface ValidatedCall extends DeclaredCall, ValidationFacts {
  readonly [validated]: true;
}

export interface AuthorizedCall extends ValidatedCall {
  readonly [authorized]: true;
  readonly grant: Grant;
}

/**
 * The network that the person allowed a call. Only their own yes to this very call opens it: a rule, or a yes given in
 * advance, never does, whatever it lists.
 */
export function getAllowedNetwork({ grant }: Pick<AuthorizedCall, 'grant'>): AllowedNetwork {
  const network = grant.judgement?.terms.gets.network;
  if (grant.by !== 'person' || network?.by !== 'person') return NOTHING_ALLOWED;
  return network.reach === 'any' ? 'any' : network.hosts;
}

/**
 * Whether the call may write to `.git`. That is opened for a command that is not Git by the person's own yes to this
 * very call, too, and by nothing else.
 */
export const mayWriteGit = ({ grant }: Pick<AuthorizedCall, 'grant'>): boolean =>
  grant.by === 'person' && grant.capabilities.includes('git.write');

const READ_CAPABILITY = 'read:';

/** Names a hidden path that a call may read, as a capability of a grant. */
export const buildReadCapability = (path: string): string => `${READ_CAPABILITY}${path}`;

/**
 * Lists the paths of this machine, or hidden in its folder, that a call may read by the person's yes to this very call,
 * or by a rule of theirs.
 */
export function listReadablePaths({ grant }: Pick<AuthorizedCall, 'grant'>): readonly string[] {
  if (grant.by !== 'person') return grant.by === 'standing-confirmation' ? (grant.readable ?? []) : [];
  return grant.capabilities.flatMap((each) =>
    each.startsWith(READ_CAPABILITY) ? [each.slice(READ_CAPABILITY.length)] : [],
  );
}

/**
 * How much of the machine a call sees. A call that lacked something when nobody was asked is confined as it was then,
 * but for the paths that the person lets it read.
 */
export const resolveVisibility = ({ grant }: Pick<AuthorizedCall, 'grant'>): 'folder' | 'machine' =>
  grant.by === 'person' && grant.judgement?.mayRead === undefined ? 'machine' : 'folder';

/**
 * Whether the caller may get secrets in the result: by the person's own yes to this very call, too. The record has none
 * all the same.
 */
export const mayRevealSecrets = ({ grant }: Pick<AuthorizedCall, 'grant'>): boolean =>
  grant.by === 'person' && grant.capabilities.includes(SECRETS_REVEALED);

export const SECRETS_REVEALED = 'secrets.reveal';

/**
 * The words that a rule lets run, where one does: not the text that was asked for, but the words that were read of it.
 */
export const getRuleCommand = ({ grant }: Pick<AuthorizedCall, 'grant'>): RuleCommand | null =>
  grant.by === 'standing-confirmation' && grant.runs !== undefined
    ? { runs: grant.runs, leastConfinement: grant.leastConfinement ?? 'confined' }
    : null;

/**
 * Whether every change must be undoable: nobody was asked, since it can be undone, so a change that can't be is not
 * made.
 */
export const mustBeUndoable = ({ grant }: Pick<AuthorizedCall, 'grant'>): boolean =>
  grant.by === 'policy' && (grant.from.id === 'settings.collect' || grant.from.id === 'settings.sandbox');

/**
 * The paths that a command which nobody was asked about may write to, as it was judged; null where somebody said yes,
 * or a rule did.
 */
export function getUnaskedWrites({ grant }: Pick<AuthorizedCall, 'grant'>): UnattendedWrites | null {
  if (!mustBeUndoable({ grant })) return null;
  const unasked = grant.judgement?.unasked;
  // A call that was not judged may write to nothing.
  return unasked?.what === 'command' ? unasked.writes : { writes: 'nothing', deletes: [] };
}

/** Lists the capabilities of a grant: those that the tool declares, and the network where the settings open it. */
export const listCapabilities = ({ tool, judgement }: ValidatedCall): readonly string[] => [
  ...tool.declaration.requiredCapabilities,
  ...(isOpenedBySettings(judgement.terms.gets) ? ['network.settings'] : []),
];

/**
 * Whether the settings open the network. A tool that runs elsewhere opens nothing of this machine, and a process that
 * nothing confines needs no opening.
 */
const isOpenedBySettings = ({ process, network }: ToolTerms): boolean =>
  process?.held === 'confined' && network.by === 'settings';

export interface ExecutingCall extends AuthorizedCall {
  readonly [executing]: true;
  readonly attempt: number;
}

/** The facts that validation found out; only the planner has all of them. */
export interface ValidationFacts {
  readonly tool: Tool<unknown>;
  readonly arguments: JsonObject;
  /** The tool's own parse of the arguments: the single parse boundary (FR-REG-02). */
  readonly parsed: unknown;
  /**
   * The tool's understanding of the arguments here, for every later question about this call; only the tool looks into
   * it.
   */
  readonly understood: unknown;
  readonly summary: string;
  readonly risk: RiskLevel;
  readonly timeoutMs: number;
  readonly judgement: Judgement;
}

export const toValidatedCall = (call: DeclaredCall, facts: ValidationFacts): ValidatedCall =>
  ({ ...call, ...facts }) as ValidatedCall;

/** The understanding of the call when it was planned before; null where it was not. */
export const getEarlierUnderstanding = (call: DeclaredCall): unknown =>
  (call as Partial<ValidatedCall>).understood ?? null;

/** The call's facts from when it was planned before, where it is of the same tool with the same arguments; else null. */
export function getEarlierParse(call: DeclaredCall, tool: Tool<unknown>): Pick<ValidatedCall, 'parsed'> | null {
  const before = call as Partial<ValidatedCall>;
  return before.tool === tool && before.arguments === call.rawArguments ? { parsed: before.parsed } : null;
}

/** The same call, judged on more than before, or anew. */
export const withJudgement = (call: ValidatedCall, judgement: Judgement): ValidatedCall => ({ ...call, judgement });

export const toAuthorizedCall = (call: ValidatedCall, grant: Grant): AuthorizedCall =>
  ({ ...call, grant }) as AuthorizedCall;

/** Makes the executing call. The proof is not looked into: that it exists is what counts. */
export const toExecutingCall = (
  call: AuthorizedCall,
  attempt: number,
  _proof: CommitReceipt | DeferredWrite,
): ExecutingCall => ({ ...call, attempt }) as ExecutingCall;

/** Whether the call only reads, here: a request to another program is an act. */
export const isReadOnlyCall = ({ tool }: ValidatedCall): boolean => tool.declaration.nature === 'reads';
