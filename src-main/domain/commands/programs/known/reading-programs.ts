import { type KnownOptions, onlyKnown } from '../options.js';
import {
  effect,
  sameForNames,
  hasOption,
  type KnownOutput,
  LISTS_FILES,
  type ParsedArguments,
  PRINTS_NUMBER,
  type Program,
  type ProgramTable,
} from '../program.js';

const TAKES_LINES: KnownOptions = {
  letters: 'qvz',
  valued: 'nc',
  long: 'lines= bytes= quiet silent verbose zero-terminated',
  numbers: true,
};

/** Reads what it is given, whatever the options. */
const reads = (options?: KnownOptions, more: Partial<Program> = {}): Program => ({
  nature: 'reads',
  anyOption: true,
  ...(options === undefined ? {} : { options }),
  ...more,
});

const FILTER = { words: 0 };
const PASSES_ON: KnownOutput = { kind: 'listed-input' };
const number = (when: (given: ParsedArguments) => boolean): KnownOutput => ({ ...PRINTS_NUMBER, when });
/** Without these, names that begin with a dot are left out. */
const inSight = (given: ParsedArguments): boolean =>
  !hasOption(given, 'hidden', '.', 'u', 'uu', 'uuu', 'H', 'I', 'unrestricted');

const SEARCHES =
  'ignore-case invert-match word-regexp line-regexp count color? colour? files-with-matches files-without-match max-count= ' +
  'only-matching quiet silent no-messages line-number with-filename no-filename null after-context= before-context= context= ' +
  'extended-regexp fixed-strings basic-regexp perl-regexp regexp= recursive dereference-recursive include= exclude= exclude-dir= text binary-files= byte-offset';

const GREP: Program = {
  nature: 'reads',
  anyOption: true,
  options: { letters: 'ivwxcLloqshHnbEFGPrRazUZ', valued: 'emABC', long: SEARCHES, numbers: true },
  more: 'e:text regexp:text f:reads file:reads include:pattern exclude:text exclude-dir:text m:value A:value B:value C:value d:value D:value color:value',
  operands: ['text', 'reads'],
  prints: [
    { kind: 'number', when: (given) => hasOption(given, 'c') && given.operands.length <= 2 },
    LISTS_FILES,
    PASSES_ON,
  ],
  filter: {
    words: 1,
    options: {
      letters: 'ivwxcoqshnbEFGPaz',
      valued: 'mABC',
      long: 'ignore-case invert-match word-regexp line-regexp count color? colour? max-count= only-matching quiet silent line-number after-context= before-context= context= extended-regexp fixed-strings basic-regexp perl-regexp text',
      numbers: true,
    },
  },
  readsBelow: (given) => hasOption(given, 'r', 'R', 'recursive', 'dereference-recursive'),
};

const SHOWS_SUMS = reads();
const SHOWS_NUMBERS: Partial<Program> = { operands: ['text'], more: 's:text separator:text f:text format:text' };

/** Programs that only read and show. */
export const READING_PROGRAMS: ProgramTable = {
  ls: reads(
    {
      letters: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
      valued: 'ITw',
      long: 'all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group human-readable si dereference hide= indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= zero',
    },
    { prints: [{ kind: 'files' }] },
  ),
  ...sameForNames('dir vdir', reads()),
  cat: reads(
    {
      letters: 'AbeEnstTuv',
      long: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    },
    {
      filter: { words: 0, options: { letters: 'AbeEnstTuv' } },
      prints: [{ kind: 'input', when: ({ operands }) => operands.length === 0 }],
    },
  ),
  ...sameForNames(
    'head tail',
    reads(TAKES_LINES, { filter: FILTER, prints: [PASSES_ON], more: 'n:value lines:value c:value bytes:value' }),
  ),
  wc: reads(
    { letters: 'clmwL', long: 'bytes chars lines words max-line-length' },
    { filter: FILTER, prints: [number(({ operands }) => operands.length === 0)] },
  ),
  // `-o` writes, `-T` and `--compress-program` do more.
  sort: {
    nature: 'reads',
    options: {
      letters: 'bcCdfghiMnRrsuVz',
      valued: 'kt',
      long: 'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort check? key= field-separator= stable unique zero-terminated',
    },
    more: 'o:writes output:writes T:writes temporary-directory:writes compress-program:program files0-from:reads random-source:reads k:text t:text key:text field-separator:text S:value buffer-size:value parallel:value batch-size:value m!reads merge!reads debug!reads',
    filter: FILTER,
    prints: [PASSES_ON],
  },
  // A second file is one that is written.
  uniq: {
    nature: 'reads',
    options: {
      letters: 'cdDiuz',
      valued: 'fsw',
      long: 'count repeated ignore-case unique zero-terminated skip-fields= skip-chars= check-chars=',
      operand: (_, index) => index === 0,
    },
    more: 'all-repeated!reads group!reads',
    operands: ['reads', 'writes'],
    filter: FILTER,
    prints: [PASSES_ON],
  },
  cut: reads(
    {
      letters: 'nsz',
      valued: 'bcdf',
      long: 'bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated',
    },
    { filter: FILTER, more: 'd:text delimiter:text output-delimiter:text f:value b:value c:value fields:value' },
  ),
  tr: reads(
    { letters: 'cCdst', long: 'complement delete squeeze-repeats truncate-set1' },
    { filter: { words: 2 }, operands: ['text'] },
  ),
  nl: reads({ valued: 'bdfhinsvw' }, { filter: FILTER, more: 's:text d:text b:text' }),
  rev: reads({}, { filter: FILTER }),
  tac: reads({}, { filter: FILTER, more: 's:text separator:text' }),
  // Modules are files, and the environment is nobody’s business.
  jq: {
    nature: 'reads',
    options: {
      letters: 'rcnseSMCaj',
      long: 'raw-output compact-output null-input slurp exit-status sort-keys monochrome-output color-output ascii-output join-output raw-input tab',
      operand: (operand) =>
        !/\b(?:import|include|env|ENV|input_filename|modulemeta|getpath|debug|stderr)\b/u.test(operand),
    },
    more: 'f:script from-file:script L:folder arg:text argjson:text slurpfile:reads rawfile:reads indent:value args!reads jsonargs!reads e!reads exit-status!reads stream!reads seq!reads R!reads V!reads h!reads version!reads help!reads unbuffered!reads',
    operands: ['text', 'reads'],
    findEffects: ({ operands: [program] }) =>
      /\b(?:env|ENV|input_filename)\b|\b(?:import|include)\s*"/u.test(program ?? '')
        ? [effect('notice', 'reads more than its input')]
        : [],
    filter: { words: 1 },
  },
  ...sameForNames('grep egrep fgrep zgrep', GREP),
  rg: {
    nature: 'reads',
    options: {
      letters: 'ivwxclnNsSuFPUopHI0aL.',
      valued: 'etTgmABCMj',
      long: `smart-case case-sensitive hidden no-ignore no-ignore-vcs glob= iglob= type= type-not= type-list files multiline heading no-heading column json stats vimgrep trim sort= max-depth= max-columns= follow unrestricted no-line-number no-filename threads= passthru pcre2 ${SEARCHES}`,
    },
    more: 'pre:program hostname-bin:program z! search-zip! f:reads file:reads ignore-file:reads e:text regexp:text g:pattern glob:pattern iglob:pattern t:value T:value type-add:value r:text replace:text',
    operands: ['text', 'reads'],
    prints: [
      { kind: 'files-in-sight', when: (given) => LISTS_FILES.when?.(given) === true && inSight(given) },
      LISTS_FILES,
    ],
    readsBelow: (given) => hasOption(given, 'hidden', '.', 'u', 'uu', 'uuu', 'unrestricted', 'no-ignore'),
  },
  ...sameForNames('ag ack', {
    nature: 'reads',
    options: {
      letters: 'ilnrwcovQsS',
      valued: 'ABCmG',
      long: 'ignore-case literal hidden nocolor color count files-with-matches',
    },
    more: 'pager:program ackrc:program G:pattern',
    operands: ['text', 'reads'],
    readsBelow: (given: Parameters<NonNullable<Program['readsBelow']>>[0]) =>
      hasOption(given, 'hidden', 'u', 'unrestricted'),
  } satisfies Program),
  ...sameForNames('fd fdfind', {
    nature: 'reads',
    options: {
      letters: 'HIuasgFilLp0q1',
      valued: 'dteESc',
      long: 'hidden no-ignore absolute-path glob fixed-strings ignore-case list-details follow full-path print0 max-depth= type= extension= exclude= size= changed-within= changed-before= color= max-results= min-depth= base-directory= quiet',
    },
    more: 'x:program exec:program X:program exec-batch:program e:value extension:value E:text exclude:text',
    operands: ['pattern', 'reads'],
    prints: [{ kind: 'files-in-sight', when: inSight }, { kind: 'files' }],
  } satisfies Program),
  find: {
    nature: 'reads',
    grammar: 'find',
    options: {
      oneDash: true,
      long: 'name= iname= path= ipath= wholename= regex= iregex= type= maxdepth= mindepth= size= mtime= mmin= atime= amin= ctime= cmin= newer= perm= user= group= links= empty readable writable executable not and or a o prune print print0 ls xdev mount depth daystart L H P true false quit follow',
    },
  },
  tree: { nature: 'reads', anyOption: true, more: 'o:writes I:text P:pattern L:value fromfile:reads' },
  ...sameForNames('less more most bat batcat', {
    nature: 'edits',
    options: { letters: 'niSRFXNpAP', long: 'plain color= style= paging= line-range= language= number' },
    more: 'o:writes O:writes log-file:writes LOG-FILE:writes k:program lesskey-file:program pager:program P:text r:value l:value',
  } satisfies Program),
  ...sameForNames('sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum cksum sum shasum', SHOWS_SUMS),
  ...sameForNames(
    'diff cmp comm colordiff',
    reads(undefined, { more: 'I:text x:text exclude:text L:text label:text' }),
  ),
  ...sameForNames('od hexdump hd readelf addr2line', reads()),
  ...sameForNames('strings nm objdump size', reads(undefined, { more: 'plugin:program' })),
  // A second file is one that is written.
  xxd: { nature: 'reads', anyOption: true, operands: ['reads', 'writes'], more: 'l:value s:value c:value g:value' },
  ...sameForNames('base64 base32 basenc', reads(undefined, { more: 'w:value wrap:value' })),
  ...sameForNames(
    'stat du df basename dirname realpath readlink namei',
    reads(undefined, {
      more: 'c:text format:text printf:text s:text suffix:text exclude:text threshold:value d:value',
    }),
  ),
  file: { nature: 'reads', anyOption: true, more: 'C! compile! m:reads magic-file:reads F:text f:reads' },
  ...sameForNames(
    'column fold fmt pr paste join expand unexpand look tsort shuf csplit',
    reads(undefined, { more: 's:text d:text t:text separator:text o:writes output:writes f:writes prefix:writes' }),
  ),
  ...sameForNames('zcat bzcat xzcat zstdcat gzcat zless', reads()),
  ...sameForNames('nproc whoami uname arch', reads(undefined, { operands: ['value'], prints: [PRINTS_NUMBER] })),
  id: reads(undefined, {
    operands: ['value'],
    prints: [{ kind: 'number', when: (given) => hasOption(given, 'u', 'g') && !hasOption(given, 'n') }],
  }),
  ...sameForNames(
    'groups uptime free tty locale getconf lscpu lsblk lsmod lspci vmstat iostat users who w last cal logname tput ncal',
    reads(undefined, { operands: ['value'] }),
  ),
  ...sameForNames('ps pstree top htop', reads(undefined, { operands: ['value'], more: 'o:text' })),
  ...sameForNames('pgrep pidof', reads(undefined, { operands: ['value'], more: 'o:text', prints: [PRINTS_NUMBER] })),
  lsof: reads(undefined, { operands: ['value'], more: 'o:text', prints: [number((given) => hasOption(given, 't'))] }),
  hostname: {
    nature: 'reads',
    prints: [PRINTS_NUMBER],
    options: { letters: 'fsidAI' },
    operands: ['value'],
    findEffects: ({ operands }) => (operands.length > 0 ? [effect('system', 'changes the name of this machine')] : []),
  },
  date: {
    nature: 'reads',
    options: { letters: 'uRI', valued: 'dr', long: 'utc date= iso-8601? rfc-3339= universal rfc-email' },
    more: 's:value set:value d:text date:text r:reads reference:reads f:reads file:reads',
    operands: ['text'],
    prints: [
      {
        kind: 'number',
        operands: /^\+(?:%[sYmdHMSjNyuVU]|[-_:T])+$/u,
        when: ({ operands: [only, ...others] }) => typeof only === 'string' && others.length === 0,
      },
    ],
    findEffects: (given) =>
      hasOption(given, 's', 'set') || given.operands.some((operand) => operand !== null && !operand.startsWith('+'))
        ? [effect('system', 'sets the clock of this machine')]
        : [],
  },
  ...sameForNames('which whereis whatis apropos', reads(undefined, { operands: ['value'] })),
  printenv: reads(undefined, { operands: ['value'] }),
  ...sameForNames('seq expr', reads(undefined, { ...SHOWS_NUMBERS, prints: [PRINTS_NUMBER] })),
  ...sameForNames('factor numfmt', reads(undefined, SHOWS_NUMBERS)),
  ...sameForNames(
    'sleep usleep',
    reads(undefined, { operands: ['value'], prints: [PRINTS_NUMBER], servesNobody: true }),
  ),
  cloc: reads(undefined, {
    more: `vcs:shell extract-with:shell o:writes ${'out report-file write-lang-def write-lang-def-incl-dup categorized counted found ignored'.replaceAll(/\S+/gu, '$&:writes')}`,
  }),
  ...sameForNames('scc tokei', reads(undefined, { more: 'o:writes output:writes' })),
  yq: {
    nature: 'reads',
    options: {
      letters: 'rMCneP',
      long: 'raw-output no-colors colors null-input exit-status prettyPrint output-format= input-format=',
      valued: 'op',
    },
    more: 'i! inplace! s! split-exp! from-file:script',
    operands: ['text', 'reads'],
    findEffects: ({ operands: [program] }) =>
      /\b(?:env|envsubst|strenv|load\w*|eval)\b/u.test(program ?? '')
        ? [effect('notice', 'reads more than its input')]
        : [],
  },
  xmllint: {
    nature: 'reads',
    options: { long: 'noout format xpath= nonet' },
    more: 'o:writes output:writes xpath:text path:value',
  },
};

/**
 * Whether a command, at the end of a pipe, reads what comes in, shows some of it, and touches nothing else: a rule for
 * what stands before such a filter is not hindered by it.
 */
export function isPureFilter(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  const known = Object.hasOwn(READING_PROGRAMS, program) ? READING_PROGRAMS[program] : undefined;
  if (known?.filter === undefined) return false;
  const { words: most, options = known.options } = known.filter;
  return onlyKnown(args, {
    ...options,
    operand: (operand, index) => index < most && operand !== '-' && options?.operand?.(operand, index) !== false,
  });
}
