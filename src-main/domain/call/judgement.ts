import type { Taint } from '../policy/taint.js';
import type { Unattended } from '../policy/unattended.js';
import type { NeededHosts } from '#contract/vocabulary/network.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { formatTerms } from '../tool/term-words.js';
import { areSameTerms, type ToolTerms } from '../tool/terms.js';

/**
 * The values that a call was judged on. It is made when the call is planned, bound to what is granted, kept with it in
 * the journal and part of what a sheet's digest covers. The facts are compared with it at every border: planned, asked,
 * decided, started, and each attempt. A call for which it no longer holds does not run.
 */
export interface Judgement {
  readonly terms: JudgedTerms;
  /** The tool's own reason to be asked about, in words; null where it has none. */
  readonly wish: string | null;
  /** Files of secrets that it would be given values of, as they were asked for; left out where there are none. */
  readonly secrets?: readonly string[];
  /** Paths outside the folder that a command names; left out where there are none. */
  readonly outside?: readonly string[];
  /**
   * Paths that were hidden from it when it ran unasked, and that it failed for: the person may let it read these. Left
   * out where there are none.
   */
  readonly mayRead?: readonly string[];
  /** The words of that; left out likewise. */
  readonly lacked?: string;
  /** Paths outside the folder that the person's settings let it read, asked or not; left out where there are none. */
  readonly readable?: readonly string[];
  /** The hosts that it was found to need: these may be allowed. Left out where none were found. */
  readonly needs?: NeededHosts;
  /** Present where it names hosts that can't be told. */
  readonly unknownHosts?: true;
  /**
   * Whether the person's settings may let it run unasked, as it was found; null for a call that is neither edit nor
   * command.
   */
  readonly unasked: Unattended | null;
  /** The taint: texts that its asker's model has read and that count against it; left out where there are none. */
  readonly taint?: Taint;
  /**
   * Present where it runs without the network that the settings give: it is known to need none, and text that was read
   * counts against one.
   */
  readonly offline?: true;
  /** Every path that was judged. A tool that runs reaches no other, and each only where it led then. */
  readonly files: readonly JudgedFile[];
  /**
   * The files that a person saw it change: the SHA-256 of what was there, null for nothing. By canonical path. A tool
   * may then change these files from that, and nothing else. Null where there was nobody to see it, or no file to show.
   */
  readonly shown: Readonly<Record<string, string | null>> | null;
}

/** The terms that can be compared again at once, without waiting for anything. */
export interface JudgedTerms {
  /** Digest of the tool's id, version, nature and schemas, and of what the person accepted of it. */
  readonly definition: string;
  readonly roots: readonly JudgedRoot[];
  /** Digest of the settings that the call runs by. */
  readonly settings: string;
  readonly policy: JudgedPolicy;
  /** The terms that the call gets. */
  readonly gets: ToolTerms;
}

export interface JudgedRoot {
  readonly path: string;
  /** The identity of the folder (device and inode), whatever it is called. */
  readonly is: string;
}

export type JudgedPolicy =
  | { readonly verdict: 'run' | 'ask'; readonly rule: string }
  | { readonly verdict: 'deny'; readonly rule: string; readonly failure: Failure };

export interface JudgedFile {
  readonly asked: string;
  /** Canonical and absolute. */
  readonly path: string;
  readonly root: string;
  /** The path from the root, forward slashes. */
  readonly relative: string;
  readonly isControlFile: boolean;
  /** The state of the path. Null for a call that only reads: it is given what is there when it runs. */
  readonly standing: PathState | null;
}

/** The state of a path and the folders above it. */
export interface PathState {
  /** The innermost folder above it that was there, from the root ('' is the root). */
  readonly folder: string;
  /** The identity of that folder. */
  readonly folderIs: string;
  /** The identities of the folders that led there, the root first and that one last. */
  readonly above: readonly string[];
  /** The file at the path itself: which one, how large and when last changed; null: nothing. */
  readonly file: string | null;
}

/**
 * Finds what no longer holds of the judged terms, as the failure that ends the call; null where all of it does.
 * `byPerson`: a person said yes to this call.
 */
export function findChangedTerms(judged: JudgedTerms, now: JudgedTerms, byPerson: boolean): Failure | null {
  if (now.policy.verdict === 'deny') return now.policy.failure;
  if (judged.definition !== now.definition)
    return undecidedFailure('the tool is another one than when this was judged');
  // A call that touches no folder runs also where none is open.
  const anywhere = judged.gets.paths === 'none' && judged.roots.length === 0 && now.roots.length === 0;
  const moved =
    (now.roots.length === 0 && !anywhere) ||
    judged.roots.length !== now.roots.length ||
    judged.roots.some((root, at) => !isSameRoot(root, now.roots[at]));
  if (moved) return movedRootsFailure('the folders that tools may touch are others than when this was judged');
  if (!areSameTerms(judged.gets, now.gets)) return changedTermsFailure(judged.gets, now.gets);
  // A person's yes to the call outweighs which rule made it ask.
  const samePolicy = judged.policy.verdict === now.policy.verdict && judged.policy.rule === now.policy.rule;
  if (!byPerson && !samePolicy) return undecidedFailure('the rule that allowed it no longer applies');
  return judged.settings === now.settings
    ? null
    : undecidedFailure('the settings it runs by changed after it was judged');
}

const isSameRoot = (one: JudgedRoot, other: JudgedRoot | undefined): boolean =>
  one.path === other?.path && one.is === other.is;

function changedTermsFailure(judged: ToolTerms, now: ToolTerms): Failure {
  const was = formatTerms(judged);
  const is = formatTerms(now);
  const both = was === '' || is === '' || was === is ? '' : ` Approved: ${was}. Now: ${is}.`;
  return {
    code: 'NoDecision',
    message:
      `This did not run: ${NATURE_WORDS[now.nature].gets} changed after it was approved.${both} ` +
      'Request it again for a new decision.',
  };
}

/** The failure of a call that changed so that nobody decided on what it would be now. */
export const undecidedFailure = (why: string): Failure => ({
  code: 'NoDecision',
  message: `This did not run: ${why}. Request it again for a new decision.`,
});

const movedRootsFailure = (why: string): Failure => ({
  code: 'SandboxViolation',
  attempted: '.',
  message: `This did not run: ${why}. Request it again for a new decision.`,
});

/** The failure of a path that leads elsewhere than when it was judged. */
export const movedPathFailure = (
  asked: string,
  why = 'it leads somewhere else now than when this was judged',
): Failure => ({
  code: 'SandboxViolation',
  attempted: asked,
  message: `The path “${asked}” is refused: ${why}. Request it again for a new decision.`,
});

/** The failure of a change to a file that is not as it was judged. */
export const changedFileFailure = (asked: string, why: string): Failure => ({
  code: 'StaleFile',
  file: asked,
  message: `“${asked}” was not changed: ${why}. Read it again, then ask again.`,
});
