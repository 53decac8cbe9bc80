import type { KnownOptions } from '../options.js';

/** Options that choose what is shown and how: common to log, show and diff. */
const SHOWING =
  'all branches? tags? remotes? oneline stat? graph decorate? no-decorate patch no-patch name-only name-status numstat ' +
  'shortstat summary cached staged color? no-color word-diff? no-ext-diff no-textconv follow reverse merges no-merges ' +
  'first-parent since= after= until= before= author= committer= grep= invert-grep regexp-ignore-case max-count= skip= ' +
  'format= pretty? date= relative-date abbrev-commit abbrev? no-abbrev-commit unified= minimal patience histogram ' +
  'ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol check exit-code quiet diff-filter= ' +
  'find-renames? no-renames raw text binary full-index left-right cherry-pick cherry-mark topo-order date-order ' +
  'author-date-order parents children function-context merge-base no-prefix relative? no-relative compact-summary dirstat?';
const SHOWING_LETTERS = 'pusqzwbRMCiEFPactrgm';

/** Checking a signature starts gpg, or what the settings name instead. */
const asksForSignature = (value: string): boolean => value.includes('%G');

const showing: KnownOptions = {
  letters: SHOWING_LETTERS,
  valued: 'nSGLU',
  long: SHOWING,
  numbers: true,
  refusesValue: asksForSignature,
};

/** The short name of a remote, never an address or a path: some of these run programs. */
const remoteNames = (operand: string, index: number): boolean => index > 0 || /^[\w][\w.-]*$/u.test(operand);
/** A refspec that begins with `+` overwrites. */
const plainRef = (operand: string): boolean => /^[\w@][\w./@-]*$/u.test(operand);

/**
 * Known options by subcommand; `checkout` takes files, too, and throws away what was changed in them. A subcommand that
 * is not here is covered only by a rule that says every word of it.
 */
export const GIT_OPTIONS: Readonly<Record<string, KnownOptions>> = {
  log: showing,
  show: showing,
  diff: showing,
  shortlog: { letters: 'nsec', long: `numbered summary email committer ${SHOWING}`, refusesValue: asksForSignature },
  status: {
    letters: 'sbvzu',
    joined: 'u',
    long: 'short branch show-stash porcelain? long verbose untracked-files? ignored? ahead-behind no-ahead-behind renames no-renames find-renames? column? no-column',
  },
  blame: {
    letters: 'bltfnseapcwMC',
    valued: 'L',
    long: 'root show-stats porcelain line-porcelain incremental show-name show-number show-email date= since=',
  },
  'rev-parse': {
    long: 'short? verify quiet abbrev-ref? symbolic-full-name show-toplevel show-prefix show-cdup is-inside-work-tree git-dir absolute-git-dir all branches? tags? remotes?',
    letters: 'q',
  },
  'rev-list': showing,
  'ls-files': {
    letters: 'cdmoiszutvfk',
    valued: 'x',
    long: 'cached deleted modified others ignored stage directory no-empty-directory unmerged killed exclude= exclude-standard error-unmatch full-name abbrev? deduplicate eol',
  },
  'ls-tree': { letters: 'drtlz', long: 'long name-only name-status full-name full-tree abbrev?' },
  'cat-file': { letters: 'tsep' },
  describe: {
    long: 'all tags contains long always abbrev= match= exclude= first-parent dirty? broken? exact-match candidates=',
  },
  // `-O` opens what it finds in a program of one's choice.
  grep: {
    letters: 'aIirwvhHEGPFnlLzcopWqe',
    valued: 'eABCm',
    long: 'cached untracked no-index recursive text ignore-case invert-match word-regexp full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches files-without-match null only-matching count color? no-color break heading show-function function-context after-context= before-context= context= max-count= and or not all-match quiet max-depth= threads=',
  },
  branch: {
    letters: 'arvq',
    long: 'all remotes list show-current verbose abbrev? no-abbrev contains? no-contains? merged? no-merged? sort= points-at= format= column? no-column color? no-color ignore-case quiet',
    operand: plainRef,
    refusesValue: asksForSignature,
  },
  tag: {
    letters: 'ln',
    long: 'list sort= contains? no-contains? merged? no-merged? points-at= format= column? no-column ignore-case color?',
    operand: plainRef,
    refusesValue: asksForSignature,
  },
  remote: { letters: 'v', long: 'verbose', operand: (operand) => operand === 'show' },
  stash: {
    letters: 'pqu',
    long: 'quiet include-untracked stat patch',
    operand: (operand) => /^(?:list|show|push|stash@|\d)/u.test(operand),
  },
  reflog: { ...showing, operand: (operand) => !/^(?:expire|delete|drop)$/u.test(operand) },
  add: {
    letters: 'AunvfN',
    long: 'all update dry-run verbose force intent-to-add ignore-removal no-all no-ignore-removal ignore-errors ignore-missing',
  },
  // Never `--amend`, which rewrites what is there, nor what takes the message from a file or a program.
  commit: {
    letters: 'aqvns',
    valued: 'm',
    long: 'all message= quiet verbose signoff no-signoff allow-empty allow-empty-message dry-run short porcelain long null status no-status only include no-edit no-gpg-sign',
  },
  switch: {
    letters: 'qtd',
    valued: 'c',
    long: 'create= quiet track? no-track detach guess no-guess',
    operand: plainRef,
  },
  mv: { letters: 'vnk', long: 'verbose dry-run' },
  fetch: {
    letters: 'apqvtn',
    long: 'all prune prune-tags quiet verbose tags no-tags depth= deepen= unshallow dry-run jobs= progress no-progress no-recurse-submodules',
    operand: (operand, index) => (index === 0 ? remoteNames(operand, index) : plainRef(operand)),
  },
  pull: {
    letters: 'qv',
    long: 'quiet verbose ff ff-only no-rebase no-edit tags no-tags stat no-stat depth= progress no-progress no-recurse-submodules',
    operand: (operand, index) => (index === 0 ? remoteNames(operand, index) : plainRef(operand)),
  },
  'ls-remote': { letters: 'htq', long: 'heads tags refs quiet exit-code sort=', operand: remoteNames },
};
