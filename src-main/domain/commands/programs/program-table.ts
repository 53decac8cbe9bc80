import { FILES } from './known/files.js';
import { GIT_VERBS } from './known/git.js';
import { LANGUAGES } from './known/languages.js';
import { READING_PROGRAMS } from './known/reading-programs.js';
import { NETWORK } from './known/network.js';
import { PACKAGES } from './known/packages.js';
import type { Program, ProgramTable, ArgumentRole } from './program.js';
import { SHELLS_OWN } from './known/shell-builtins.js';
import { STARTERS } from './known/starters.js';
import { SYSTEM } from './known/system.js';

const GIT: Program = {
  nature: 'runs',
  isGit: true,
  settings: (words) => (words.includes('config') ? ['.git/config', '.git/config.worktree'] : []),
  verbs: GIT_VERBS,
  strict: true,
  more: 'C:folder c:setting git-dir:program work-tree:program exec-path:program config-env:program namespace:value no-pager!reads P!reads p! paginate! no-optional-locks!reads literal-pathspecs!reads glob-pathspecs!reads no-replace-objects!reads bare!reads version!reads help!reads v!reads h!reads',
};

/** Package managers: whatever they are told, what they run is in a registry or in settings of a folder. */
const PACKAGE_MANAGERS: ProgramTable = Object.fromEntries(
  Object.entries(PACKAGES).map(([name, program]) => [name, { finds: true, ...program }]),
);

/** The one table: each program once. */
const TABLE: ReadonlyMap<string, Program> = new Map(
  [
    SYSTEM,
    NETWORK,
    PACKAGE_MANAGERS,
    LANGUAGES,
    FILES,
    READING_PROGRAMS,
    STARTERS,
    SHELLS_OWN,
    { git: GIT } satisfies ProgramTable,
  ].flatMap((room) => Object.entries(room)),
);

export interface NamedProgram {
  readonly program: Program;
  /**
   * Whether it is called exactly so. A name that is only alike may be another program, and is not taken for one that
   * reads.
   */
  readonly exactly: boolean;
}

/** Finds the program of a name in a command: as it is, in small letters, and without the number of a version. */
export function findProgram(name: string): NamedProgram | undefined {
  const exact = TABLE.get(name);
  if (exact !== undefined) return { program: exact, exactly: true };
  const bare = name.toLowerCase().replace(/\.exe$/u, '');
  const alike =
    TABLE.get(bare) ?? TABLE.get(bare.replace(/^(mkfs|fsck)\..*$/u, '$1')) ?? TABLE.get(bare.replace(/[\d.-]+$/u, ''));
  return alike === undefined ? undefined : { program: alike, exactly: false };
}

export interface KnownOption {
  /** The meaning of its value; null where it has none. */
  readonly role: ArgumentRole | 'setting' | null;
  /** Whether the program does more than read with it. */
  readonly edits: boolean;
}

const PARSED_OPTIONS = new WeakMap<Program, ReadonlyMap<string, KnownOption>>();

/** Parses what an entry says of options besides the harmless ones. */
export function programOptions(program: Program): ReadonlyMap<string, KnownOption> {
  const known = PARSED_OPTIONS.get(program);
  if (known !== undefined) return known;
  const options = new Map<string, KnownOption>();
  for (const entry of (program.more ?? '').split(' ').filter((each) => each !== '')) {
    const [, name = '', sign = '', what = ''] = /^([^:!]+)([:!])(.*)$/u.exec(entry) ?? [];
    options.set(
      name,
      sign === ':' ? { role: what as ArgumentRole, edits: false } : { role: null, edits: what !== 'reads' },
    );
  }
  PARSED_OPTIONS.set(program, options);
  return options;
}
