import { type KnownOptions, onlyKnown } from './options.js';

/** What reads what comes in and shows some of it: harmless options, files to read included. */
export const FILTERS: Readonly<Record<string, KnownOptions>> = {
  head: { letters: 'qvz', valued: 'nc', long: 'lines= bytes= quiet silent verbose zero-terminated', numbers: true },
  tail: { letters: 'qvz', valued: 'nc', long: 'lines= bytes= quiet silent verbose zero-terminated', numbers: true },
  wc: { letters: 'clmwL', long: 'bytes chars lines words max-line-length' },
  // `-o` writes, `-T` and `--compress-program` do more.
  sort: {
    letters: 'bcCdfghiMnRrsuVz',
    valued: 'kt',
    long: 'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort check? key= field-separator= stable unique zero-terminated',
  },
  // A second file is one that is written.
  uniq: {
    letters: 'cdDiuz',
    valued: 'fsw',
    long: 'count repeated ignore-case unique zero-terminated skip-fields= skip-chars= check-chars=',
    operand: (_, index) => index === 0,
  },
  cut: {
    letters: 'nsz',
    valued: 'bcdf',
    long: 'bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated',
  },
  tr: { letters: 'cCdst', long: 'complement delete squeeze-repeats truncate-set1' },
  nl: { valued: 'bdfhinsvw' },
  rev: {},
  tac: {},
  // Modules are files, and the environment is nobody’s business.
  jq: {
    letters: 'rcnseSMCaj',
    long: 'raw-output compact-output null-input slurp exit-status sort-keys monochrome-output color-output ascii-output join-output raw-input tab',
    operand: (operand) =>
      !/\b(?:import|include|env|ENV|input_filename|modulemeta|getpath|debug|stderr)\b/u.test(operand),
  },
};

/** How many words that are no options each takes where it reads nothing but what comes in. */
const OPERANDS: Readonly<Record<string, number>> = { tr: 2, jq: 1, grep: 1, egrep: 1, fgrep: 1 };
const GREP: KnownOptions = {
  letters: 'ivwxcoqshnbEFGPaz',
  valued: 'mABC',
  long: 'ignore-case invert-match word-regexp line-regexp count color? colour? max-count= only-matching quiet silent line-number after-context= before-context= context= extended-regexp fixed-strings basic-regexp perl-regexp text',
  numbers: true,
};
const AT_THE_END: Readonly<Record<string, KnownOptions>> = {
  ...FILTERS,
  cat: { letters: 'AbeEnstTuv' },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
};

/**
 * At the end of a pipe, these read what comes in, show some of it, and touch nothing else: a rule for what stands before
 * them is not hindered by them.
 */
export function isPureFilter(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  const known = Object.hasOwn(AT_THE_END, program) ? AT_THE_END[program] : undefined;
  if (known === undefined) return false;
  const most = Object.hasOwn(OPERANDS, program) ? (OPERANDS[program] ?? 0) : 0;
  return onlyKnown(args, {
    ...known,
    operand: (operand, index) => index < most && operand !== '-' && known.operand?.(operand, index) !== false,
  });
}
