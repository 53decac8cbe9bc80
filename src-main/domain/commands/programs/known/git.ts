import {
  onlyWith,
  resets,
  branches,
  configures,
  cleans,
  pushes,
  stashes,
  LEADS_ELSEWHERE,
  remotes,
  remoteNeeds,
  submoduleNeeds,
  hides,
  hosts,
  REWRITES,
} from './git-effects.js';
import { GIT_OPTIONS } from './git-options.js';
import {
  showsAll,
  showsChanges,
  showsFound,
  showsObjects,
  showsPatches,
  showsStaged,
  showsStash,
} from './git-shows.js';
import {
  effect,
  sameForNames,
  hasOption,
  LISTS_FILES,
  onlyOptions,
  PRINTS_NUMBER,
  type Program,
  type ProgramTable,
} from '../program.js';

const looks = (verb: string, more: Partial<Program> = {}): Program => ({
  nature: 'reads',
  ...(GIT_OPTIONS[verb] === undefined ? {} : { options: GIT_OPTIONS[verb] }),
  operands: ['reads'],
  ...more,
});
const works = (verb: string, more: Partial<Program> = {}): Program => ({ ...looks(verb, more), nature: 'edits' });
const rewrites = (words: string, more: Partial<Program> = {}): Program => ({
  nature: 'edits',
  effects: [effect(REWRITES, words)],
  ...more,
});

const SHOWS =
  'output:writes ext-diff:program textconv!reads format:text pretty:text author:text committer:text grep:text since:text until:text ' +
  'after:text before:text date:text S:text G:text L:reads i!reads color-words!reads no-color!reads no-pager!reads show-signature:program ' +
  'inter-hunk-context:value word-diff-regex:text src-prefix:text dst-prefix:text glob:text exclude:text stdin!reads boundary!reads ' +
  'show-pulls!reads simplify-by-decoration!reads count!reads no-index!reads no-notes!reads notes!reads diff-merges:value cc!reads c!reads m!reads ' +
  'color-moved!reads ws-error-highlight:text submodule!reads ignore-submodules!reads pickaxe-regex!reads pickaxe-all!reads encoding:value expand-tabs!reads break-rewrites!reads find-copies!reads B!reads O:reads D!reads Z!reads';

const RUNS_PROGRAMS = [effect('unseen-program', 'runs programs that Git’s settings name')];

const THROWS_AWAY = 'throws away uncommitted changes';

export const GIT_VERBS: ProgramTable = {
  shortlog: looks('shortlog', { more: SHOWS }),
  'rev-list': looks('rev-list', { more: SHOWS, prints: [PRINTS_NUMBER] }),
  ...Object.fromEntries(
    'log whatchanged'.split(' ').map((verb) => [verb, looks(verb, { more: SHOWS, showsTracked: showsPatches })]),
  ),
  ...Object.fromEntries(
    'show diff'
      .split(' ')
      .map((verb) => [verb, looks(verb, { more: SHOWS, showsTracked: showsChanges, prints: [LISTS_FILES] })]),
  ),
  ...sameForNames('diff-tree diff-index diff-files', looks('diff', { more: SHOWS, showsTracked: showsPatches })),
  'range-diff': looks('diff', { more: SHOWS, showsTracked: showsChanges }),
  status: looks('status', { more: 'untracked-files!reads', showsTracked: showsStaged }),
  blame: looks('blame', { more: 'L:text contents:reads ignore-rev:value ignore-revs-file:reads w!reads e!reads' }),
  'rev-parse': looks('rev-parse', {
    operands: ['text'],
    prints: [
      {
        kind: 'number',
        when: ({ operands: [only, ...more], options }) =>
          only === 'HEAD' && more.length === 0 && onlyOptions(options, 'short', 'verify', 'q', 'quiet'),
      },
    ],
  }),
  'ls-files': looks('ls-files', {
    prints: [{ kind: 'files-matched' }],
    operands: ['pattern'],
    more: 'x:text exclude:text exclude-from:reads X:reads with-tree:value',
  }),
  'ls-tree': looks('ls-tree', { more: 'r!reads name-only!reads format:text' }),
  'cat-file': looks('cat-file', {
    more: 'batch!reads batch-check!reads textconv! filters!',
    showsTracked: showsObjects,
  }),
  describe: looks('describe', { operands: ['value'] }),
  grep: looks('grep', {
    prints: [LISTS_FILES],
    showsTracked: showsFound,
    readsBelow: (given) => hasOption(given, 'no-index', 'untracked'),
    operands: ['text', 'reads'],
    more: 'O:program open-files-in-pager:program e:text f:reads ext-grep! textconv! A:value B:value C:value m:value max-count:value and!reads or!reads not!reads W!reads p!reads E!reads',
  }),
  ...sameForNames(
    'show-ref for-each-ref merge-base name-rev check-ignore check-attr count-objects cherry version show-branch verify-pack get-tar-commit-id var ls-remote-helper',
    {
      nature: 'reads',
      anyOption: true,
      more: 'format:text sort:value',
      operands: ['value'],
    } satisfies Program,
  ),
  ...sameForNames('fsck', { nature: 'edits', anyOption: true } satisfies Program),
  branch: looks('branch', {
    editsWith: (given) =>
      given.operands.length > 0 &&
      !hasOption(given, 'list', 'l', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at', 'show-current'),
    findEffects: branches,
    operands: ['value'],
    more: 'd! delete! D! m! move! M! c! copy! C! f! force! u! set-upstream-to! t! track! unset-upstream! edit-description! l!reads',
  }),
  tag: looks('tag', {
    editsWith: (given) =>
      given.operands.length > 0 &&
      !hasOption(given, 'list', 'l', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at', 'v', 'verify'),
    operands: ['value'],
    more: 'a! annotate! s:program sign! m:text message:text F:reads file:reads d! delete! f! force! v!',
    findEffects: (given) => onlyWith(REWRITES, 'deletes or moves a tag', 'd', 'delete', 'f', 'force')(given),
  }),
  remote: looks('remote', {
    editsWith: ({ operands: [verb] }) => verb !== undefined && verb !== 'show' && verb !== 'get-url',
    operands: ['value'],
    findEffects: remotes,
    needs: remoteNeeds,
  }),
  stash: looks('stash', {
    editsWith: ({ operands: [verb] }) => verb !== 'list' && verb !== 'show',
    operands: ['value', 'value'],
    findEffects: stashes,
    showsTracked: showsStash,
    more: 'm:text message:text k! keep-index! S! staged! a! all! u! include-untracked! index!',
  }),
  reflog: looks('reflog', {
    showsTracked: showsPatches,
    operands: ['value'],
    more: SHOWS,
    findEffects: ({ operands: [verb] }) =>
      /^(?:expire|delete|drop)$/u.test(verb ?? '') ? [effect(REWRITES, 'forgets commits that are nowhere else')] : [],
  }),
  config: {
    nature: 'reads',
    anyOption: true,
    operands: ['text'],
    findEffects: configures,
    more: 'f:reads file:reads blob:value get:text type:value default:text',
  },
  add: works('add', {
    operands: ['reads'],
    more: 'p! patch! i! interactive! e! edit! all!reads u! pathspec-from-file:reads chmod:value',
  }),
  commit: works('commit', {
    operands: ['reads'],
    more: 'm:text message:text F:reads file:reads amend! c:value C:value reuse-message:value fixup:value squash:value author:text date:text t:reads template:reads no-verify! n! S:program gpg-sign! trailer:text p! patch! e! edit! no-edit! cleanup:value no-gpg-sign! i! o! only! include! z!',
    findEffects: (given) => onlyWith(REWRITES, 'rewrites the last commit', 'amend')(given),
  }),
  mv: works('mv', { operands: ['changes'], last: 'writes' }),
  rm: works('rm', { operands: ['deletes'], more: 'cached! r! f! q! n! force! dry-run! ignore-unmatch! quiet!' }),
  checkout: works('checkout', {
    operands: ['reads'],
    more: 'b:value B:value f! force! p! patch! orphan:value t! track! q! quiet! ours! theirs! m! merge! d! detach! conflict:value l!',
    warns: ({ all }) => (all.includes('--') || all.includes('.') ? [THROWS_AWAY] : []),
    findEffects: (given) => [
      ...onlyWith(REWRITES, 'throws away uncommitted changes', 'f', 'force')(given),
      ...onlyWith(REWRITES, 'moves or overwrites a branch', 'B')(given),
    ],
  }),
  switch: works('switch', {
    operands: ['value'],
    more: 'C:value force-create:value f! force! discard-changes! orphan:value d! detach! m! merge! t!',
    findEffects: (given) => [
      ...onlyWith(REWRITES, 'throws away uncommitted changes', 'f', 'force', 'discard-changes')(given),
      ...onlyWith(REWRITES, 'moves or overwrites a branch', 'C', 'force-create')(given),
    ],
  }),
  restore: works('restore', {
    warns: (given) => (hasOption(given, 'S', 'staged') && !hasOption(given, 'W', 'worktree') ? [] : [THROWS_AWAY]),
    operands: ['changes'],
    more: 's:value source:value S! staged! W! worktree! p! patch! q! ours! theirs! m!',
  }),
  reset: works('reset', {
    operands: ['value'],
    findEffects: resets,
    more: 'hard! soft! mixed! merge! keep! q! quiet! p! patch! N!',
  }),
  clean: works('clean', {
    findEffects: cleans,
    operands: ['reads'],
    more: 'n!reads dry-run!reads f! force! d! x! X! q! i! e:text exclude:text',
  }),
  ...sameForNames(
    'merge',
    works('merge', {
      operands: ['value'],
      more: 'no-ff! ff! ff-only! squash! no-commit! abort! continue! quit! m:text s:program strategy:program X:value no-edit! e! edit! F:reads q! quiet! v! S:program gpg-sign:program allow-unrelated-histories! no-verify! stat! no-stat! commit!',
    }),
  ),
  ...sameForNames(
    'cherry-pick revert',
    works('', {
      operands: ['value'],
      more: 'n! no-commit! x! m:value mainline:value s! signoff! abort! continue! quit! skip! no-edit! e! edit! S:program strategy:program X:value allow-empty! ff!',
    }),
  ),
  init: works('', {
    operands: ['writes'],
    more: 'q! quiet! bare! b:value initial-branch:value template:program separate-git-dir:writes shared! object-format:value',
    findEffects: (given) =>
      onlyWith('control-file', 'moves the repository of this folder elsewhere', 'separate-git-dir')(given),
  }),
  worktree: works('', {
    operands: ['value', 'writes'],
    more: 'b:value B:value f! force! detach! d! lock! porcelain!reads v!reads n!',
    findEffects: (given) => onlyWith(REWRITES, 'moves a branch; commits may be left behind', 'B')(given),
  }),
  apply: works('', {
    takesPatches: () => true,
    operands: ['reads'],
    more: 'check!reads stat!reads R! reverse! 3! 3way! index! cached! p:value directory:value unsafe-paths:writes reject! whitespace:value numstat!reads summary!reads v! verbose! exclude:text include:text',
  }),
  ...sameForNames(
    'am',
    works('', {
      takesPatches: (given) => !hasOption(given, 'abort', 'continue', 'skip', 'quit'),
      operands: ['reads'],
      more: '3! abort! continue! skip! s! signoff! q!',
    }),
  ),
  'format-patch': works('', {
    showsTracked: showsAll,
    operands: ['value'],
    more: 'o:writes output-directory:writes stdout!reads n! k! s! signoff! numbered! cover-letter! subject-prefix:text v:value to:text cc:text signature-file:reads output:writes',
  }),
  archive: works('', {
    showsTracked: showsAll,
    operands: ['value', 'reads'],
    more: 'o:writes output:writes format:value prefix:text remote:host exec:program l!reads',
  }),
  bundle: works('', { operands: ['value', 'writes', 'value'] }),
  notes: works('', { operands: ['value'], more: 'm:text F:reads f! ref:value' }),
  gc: works('', {
    more: 'prune:value aggressive! auto! q! quiet!',
    findEffects: (given) => onlyWith(REWRITES, 'forgets commits that are nowhere else', 'prune')(given),
  }),
  repack: works('', {
    operands: ['value'],
    more: 'a! A! d! f! F! l! n! q! quiet! b! i! k! keep-unreachable! cruft! cruft-expiration:value m! g:value geometric:value window:value depth:value',
    findEffects: (given) =>
      (hasOption(given, 'a') && hasOption(given, 'd') && !hasOption(given, 'k', 'keep-unreachable')) ||
      hasOption(given, 'cruft-expiration')
        ? [effect(REWRITES, 'forgets commits that are nowhere else')]
        : [],
  }),
  ...sameForNames('pack-refs commit-graph maintenance update-server-info', works('', { operands: ['value'] })),
  ...sameForNames(
    'read-tree write-tree commit-tree hash-object mktag mktree sparse-checkout rerere',
    works('', { operands: ['reads'], more: 'm:text w! stdin!reads' }),
  ),
  'update-index': works('', {
    operands: ['reads'],
    findEffects: hides,
    more: 'add! remove! force-remove! refresh! really-refresh! cacheinfo! index-info! stdin!reads z!reads q! chmod:value again! g! assume-unchanged! no-assume-unchanged! skip-worktree! no-skip-worktree! fsmonitor-valid! no-fsmonitor-valid!',
  }),
  bisect: works('', {
    operands: ['value'],
    findEffects: ({ operands: [verb] }) => (verb === 'run' ? [effect('notice', 'runs a command at each step')] : []),
  }),
  'update-ref': rewrites('moves branches by hand; commits may be left behind'),
  'symbolic-ref': {
    nature: 'reads',
    operands: ['value'],
    options: { letters: 'q', long: 'short quiet' },
    findEffects: ({ operands, ...given }) =>
      operands.length > 1 || hasOption({ operands, ...given }, 'd', 'delete')
        ? [effect(REWRITES, 'moves a branch by hand')]
        : [],
  },
  rebase: rewrites('rewrites commits', {
    more: 'x:shell exec:shell i! onto:value abort! continue! skip! s:program X:value autosquash! autostash! r!',
  }),
  'filter-branch': rewrites('rewrites every commit', {
    more: 'tree-filter:shell index-filter:shell msg-filter:shell env-filter:shell commit-filter:shell parent-filter:shell tag-name-filter:shell setup:shell f! d:writes',
  }),
  ...sameForNames(
    'filter-repo fast-import replace prune prune-packed',
    rewrites('rewrites history, or forgets commits that are nowhere else'),
  ),
  push: works('', {
    findEffects: pushes,
    operands: ['value'],
    needs: hosts('push'),
    more: 'u! set-upstream! f! force! force-with-lease! tags! all! mirror! d! delete! n! dry-run! receive-pack:shell exec:shell repo:value o:text push-option:text no-verify! q! v! follow-tags! atomic! prune!',
  }),
  fetch: works('fetch', {
    operands: ['value'],
    needs: hosts('fetch'),
    more: 'upload-pack:shell f! force! depth:value refmap:text shallow-since:text filter:value j:value',
  }),
  pull: works('pull', {
    operands: ['value'],
    needs: hosts('fetch'),
    more: 'upload-pack:shell rebase! r! f! force! autostash! s:program X:value',
    findEffects: (given) =>
      onlyWith(REWRITES, 'rewrites commits that were not pushed', 'rebase', 'r', 'f', 'force')(given),
  }),
  clone: works('', {
    operands: ['address', 'writes'],
    more: 'u:shell upload-pack:shell c:program config:program template:program b:value branch:value depth:value o:value origin:value j:value reference:reads recursive! recurse-submodules! q! v! bare! mirror! n! single-branch! filter:value separate-git-dir:writes',
  }),
  'ls-remote': {
    ...looks('ls-remote', { operands: ['value'], needs: hosts('fetch'), more: 'upload-pack:shell exec:shell' }),
    nature: 'edits',
  },
  submodule: works('', {
    warns: ({ operands: [verb] }) => (verb === 'foreach' ? ['runs a command in each submodule'] : []),
    operands: ['value'],
    findEffects: ({ operands: [verb] }) => (verb === 'set-url' ? [effect('host', LEADS_ELSEWHERE)] : []),
    needs: submoduleNeeds,
  }),
  lfs: works('', { operands: ['value'], needs: hosts('fetch', 1) }),
  ...sameForNames('send-email imap-send', {
    nature: 'edits',
    effects: [effect('publishes', 'sends mail')],
    needs: () => ['?'],
  } satisfies Program),
  ...sameForNames('request-pull', { nature: 'edits', needs: hosts('fetch') } satisfies Program),
  ...sameForNames('svn p4 cvsimport cvsexportcommit remote-http remote-https instaweb daemon http-backend shell', {
    nature: 'runs',
    needs: () => ['?'],
  } satisfies Program),
  ...sameForNames('difftool mergetool gui citool gitk credential', {
    nature: 'runs',
    effects: RUNS_PROGRAMS,
  } satisfies Program),
  help: { nature: 'edits', operands: ['value'] },
};
