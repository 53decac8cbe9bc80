import type { Tainted } from '../policy/taint.js';
import type { Unasked } from '../policy/unasked.js';
import type { NeededHosts } from '#contract/vocabulary/network.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { termsInFull } from '../tool/term-words.js';
import { sameTerms, type ToolTerms } from '../tool/terms.js';

/**
 * What a call was judged on. It is made when the call is planned, bound to what is granted, kept with it in the journal
 * and part of what a sheet's digest covers. What runs is looked at again against it at every border: planned, asked,
 * decided, started, and each attempt. What is no longer so does not run.
 */
export interface Judgement {
  readonly terms: JudgedTerms;
  /** What the tool itself found to make it ask, in words; null where it found nothing. */
  readonly wish: string | null;
  /** Files of secrets that it would be given values of, as they were asked for; left out where there are none. */
  readonly secrets?: readonly string[];
  /** What a command names outside the folder; left out where there is nothing. */
  readonly outside?: readonly string[];
  /** What was hidden from it when it ran unasked, and it failed for: the person may let it read these. Left out where nothing was. */
  readonly mayRead?: readonly string[];
  /** What the person's settings let it read outside the folder, asked or not; left out where nothing. */
  readonly readable?: readonly string[];
  /** What it was found to need of the network: of hosts, these may be allowed it. Left out where nothing was found. */
  readonly needs?: NeededHosts;
  /** It names hosts that can't be told. Left out where it does not. */
  readonly unknownHosts?: true;
  /** Whether the person's settings may let it run unasked, as it was found; null for what is neither edit nor command. */
  readonly unasked: Unasked | null;
  /** What its asker's model has read that is against it; left out where nothing is. */
  readonly taint?: Tainted;
  /** It runs without the network that the settings give: it is known to need none, and text that was read is against one. Left out else. */
  readonly offline?: true;
  /** Every path that was judged. A tool that runs reaches no other, and each only where it led then. */
  readonly files: readonly JudgedFile[];
  /**
   * What a person saw of the files it changes: the SHA-256 of what was there, null for nothing. By canonical path. A tool
   * may then change these files from that, and nothing else. Null where there was nobody to see it, or no file to show.
   */
  readonly shown: Readonly<Record<string, string | null>> | null;
}

/** What can be looked at again at once, without waiting for anything. */
export interface JudgedTerms {
  /** Digest of the tool's id, version, nature and schemas, and of what the person accepted of it. */
  readonly definition: string;
  readonly roots: readonly JudgedRoot[];
  /** Digest of the settings that the call runs by. */
  readonly settings: string;
  readonly policy: JudgedPolicy;
  /** What it gets. */
  readonly gets: ToolTerms;
}

export interface JudgedRoot {
  readonly path: string;
  /** Which folder it was (device and inode), whatever it is called. */
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
  /** From the root, forward slashes. */
  readonly relative: string;
  readonly isControlFile: boolean;
  /** Null for what only reads: it is given what stands there when it runs. */
  readonly standing: Standing | null;
}

/** What stood at a path and above it. */
export interface Standing {
  /** The innermost folder above it that was there, from the root ('' is the root). */
  readonly folder: string;
  /** Which folder that was. */
  readonly folderIs: string;
  /** Which folders led there, the root first and that one last. */
  readonly above: readonly string[];
  /** What stood at the path itself: which file, how large and when last changed; null: nothing. */
  readonly file: string | null;
}

/** What is no longer as it was judged, as the failure that ends the call; null where all of it is. `byPerson`: a person said yes to this call. */
export function changedTerms(judged: JudgedTerms, now: JudgedTerms, byPerson: boolean): Failure | null {
  if (now.policy.verdict === 'deny') return now.policy.failure;
  if (judged.definition !== now.definition) return undecided('the tool is another one than when this was judged');
  // What touches none of them runs also where none is open.
  const anywhere = judged.gets.paths === 'none' && judged.roots.length === 0 && now.roots.length === 0;
  const moved =
    (now.roots.length === 0 && !anywhere) ||
    judged.roots.length !== now.roots.length ||
    judged.roots.some((root, at) => !sameRoot(root, now.roots[at]));
  if (moved) return led('the folders that tools may touch are others than when this was judged');
  if (!sameTerms(judged.gets, now.gets)) return getsOther(judged.gets, now.gets);
  // A person's yes to the call outweighs which rule made it ask.
  const samePolicy = judged.policy.verdict === now.policy.verdict && judged.policy.rule === now.policy.rule;
  if (!byPerson && !samePolicy) return undecided('the rule that allowed it no longer applies');
  return judged.settings === now.settings ? null : undecided('the settings it runs by changed after it was judged');
}

const sameRoot = (one: JudgedRoot, other: JudgedRoot | undefined): boolean =>
  one.path === other?.path && one.is === other.is;

function getsOther(judged: ToolTerms, now: ToolTerms): Failure {
  const was = termsInFull(judged);
  const is = termsInFull(now);
  const both = was === '' || is === '' || was === is ? '' : ` Approved: ${was}. Now: ${is}.`;
  return {
    code: 'NoDecision',
    message:
      `This did not run: ${NATURE_WORDS[now.nature].gets} changed after it was approved.${both} ` +
      'Request it again for a new decision.',
  };
}

/** Nobody decided on what it would be now. */
export const undecided = (why: string): Failure => ({
  code: 'NoDecision',
  message: `This did not run: ${why}. Request it again for a new decision.`,
});

const led = (why: string): Failure => ({
  code: 'SandboxViolation',
  attempted: '.',
  message: `This did not run: ${why}. Request it again for a new decision.`,
});

/** The path leads elsewhere than when it was judged. */
export const elsewhere = (asked: string, why = 'it leads somewhere else now than when this was judged'): Failure => ({
  code: 'SandboxViolation',
  attempted: asked,
  message: `The path “${asked}” is refused: ${why}. Request it again for a new decision.`,
});

/** What would be changed is not what was judged. */
export const notAsJudged = (asked: string, why: string): Failure => ({
  code: 'StaleFile',
  file: asked,
  message: `“${asked}” was not changed: ${why}. Read it again, then ask again.`,
});
