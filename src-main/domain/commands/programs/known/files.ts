import {
  type Effect,
  effect,
  sameForNames,
  type ParsedArguments,
  hasOption,
  onlyOptions,
  type Program,
  type ProgramTable,
} from '../program.js';

const edits = (known: Partial<Program> = {}): Program => ({ nature: 'edits', anyOption: true, ...known });

/** Where `-` or nothing is the archive it goes to the output. */
const archives = (given: ParsedArguments): string | null => given.options.get('f') ?? given.options.get('file') ?? null;

/** Programs that change files, by their names. */
export const FILES: ProgramTable = {
  rm: edits({
    operands: ['deletes'],
    tells: (given) => (hasOption(given, 'r', 'R', 'recursive', 'f', 'force') ? [] : ['deletes …']),
    warns: (given) =>
      hasOption(given, 'r', 'R', 'recursive')
        ? ['deletes … and everything in it']
        : hasOption(given, 'f', 'force')
          ? ['deletes … without asking']
          : [],
  }),
  ...sameForNames('rmdir unlink', edits({ operands: ['deletes'], tells: () => ['deletes …'] })),
  shred: edits({
    operands: ['deletes'],
    effects: [effect('deletes-for-good', 'destroys … so that nothing can be restored')],
  }),
  truncate: edits({
    warns: () => ['cuts off …'],
    operands: ['changes'],
    more: 's:value size:value r:reads reference:reads',
  }),
  mv: edits({
    tells: () => ['moves or renames …, overwriting what is there'],
    operands: ['deletes'],
    last: 'writes',
    more: 't:writes target-directory:writes S:text suffix:text',
  }),
  ...sameForNames(
    'cp',
    edits({
      tells: () => ['copies …, overwriting what is there'],
      readsBelow: (given) => hasOption(given, 'r', 'R', 'a', 'recursive', 'archive'),
      operands: ['reads'],
      last: 'writes',
      more: 't:writes target-directory:writes S:text suffix:text',
    }),
  ),
  install: edits({
    operands: ['reads'],
    last: 'writes',
    more: 't:writes target-directory:writes m:text mode:text o:value g:value',
    findEffects: (given) => modeEffects(given.options.has('m') ? given.options.get('m') : given.options.get('mode')),
  }),
  ln: edits({
    tells: () => ['makes a link: …'],
    operands: ['reads'],
    last: 'writes',
    more: 't:writes target-directory:writes',
  }),
  link: edits({ operands: ['reads', 'writes'] }),
  mkdir: edits({ operands: ['writes'], more: 'm:text mode:text' }),
  ...sameForNames('mkfifo', edits({ operands: ['writes'], more: 'm:text mode:text' })),
  mknod: edits({ operands: ['writes', 'value'], effects: [effect('system', 'makes a device or a pipe: …')] }),
  touch: edits({ operands: ['writes'], more: 'd:text date:text t:value r:reads reference:reads' }),
  tee: edits({ operands: ['writes'], tells: () => ['writes to …'] }),
  sponge: edits({ operands: ['changes'] }),
  chmod: edits({
    operands: ['text', 'changes'],
    more: 'reference:reads',
    tells: (given) => (hasOption(given, 'R', 'recursive') ? [] : [changesMode(given)]),
    warns: (given) => (hasOption(given, 'R', 'recursive') ? [`${changesMode(given)} and everything in it`] : []),
    findEffects: ({ operands: [mode] }) => suidEffects(mode ?? ''),
  }),
  ...sameForNames(
    'chown chgrp',
    edits({ operands: ['text', 'changes'], effects: [effect('system', 'gives … to another owner')] }),
  ),
  ...sameForNames(
    'chattr setfacl',
    edits({ operands: ['text', 'changes'], effects: [effect('system', 'changes permissions of …')] }),
  ),
  setcap: edits({
    operands: ['text', 'changes'],
    effects: [effect('privilege', 'gives a program rights of the system: …')],
  }),
  dd: edits({ grammar: 'dd' }),
  split: edits({ operands: ['reads', 'writes'], more: 'filter:shell b:value l:value n:value a:value C:value' }),
  csplit: edits({ operands: ['reads', 'text'], more: 'f:writes prefix:writes' }),
  patch: edits({
    operands: ['changes', 'reads'],
    more: 'i:reads input:reads o:writes output:writes d:folder directory:folder r:writes reject-file:writes p:value',
  }),
  ...sameForNames('gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz', {
    nature: 'edits',
    anyOption: true,
    operands: ['changes'],
    more: 'o:writes',
  } satisfies Program),
  tar: {
    nature: 'edits',
    bareLetters: true,
    options: {
      letters: 'cxtrvzjJahpkmOuSPUW',
      long: 'create extract get list verbose gzip bzip2 xz zstd auto-compress keep-old-files to-stdout preserve-permissions no-same-owner',
      valued: 'fCTXb',
    },
    more: 'f:archive file:archive C:folder directory:folder T:reads files-from:reads X:reads exclude-from:reads exclude:text strip-components:value transform:code xform:code I:shell F:shell to-command:shell use-compress-program:shell info-script:shell new-volume-script:shell rmt-command:shell rsh-command:shell checkpoint-action:program b:value one-top-level:writes',
    operands: ['reads'],
    readsBelow: (given) => hasOption(given, 'c', 'create', 'r', 'u', 'append'),
    findEffects: (given) => [
      ...(hasOption(given, 'P', 'absolute-names')
        ? [effect('outside', 'writes to wherever the archive says, outside this folder too')]
        : []),
      ...(hasOption(given, 'remove-files') ? [effect('deletes-for-good', 'deletes what it packs')] : []),
      ...(/:/u.test(archives(given) ?? '') ? [effect('host', 'reads or writes an archive on another machine')] : []),
    ],
  },
  ...sameForNames(
    'unzip 7z 7za unrar ar cpio',
    edits({ operands: ['reads'], more: 'd:writes o:writes x:text P:text p:text F:reads I:reads' }),
  ),
  zip: edits({
    readsBelow: (given) => hasOption(given, 'r', 'recurse-paths'),
    operands: ['writes', 'reads'],
    more: 'unzip-command:shell TT:shell x:text i:text P:text b:folder',
  }),
  sed: {
    nature: 'reads',
    grammar: 'sed',
    options: {
      letters: 'nrEsuz',
      long: 'quiet silent regexp-extended separate unbuffered null-data posix debug sandbox',
    },
    more: 'e:text expression:text f:script file:script i! in-place! l:value line-length:value',
    operands: ['text', 'reads'],
  },
  ...sameForNames('awk gawk mawk nawk', {
    nature: 'reads',
    grammar: 'awk',
    options: { valued: 'Fv', long: 'field-separator= assign= posix sandbox' },
    more: 'f:script file:script F:text v:text field-separator:text assign:text e:code source:code i:script include:script l:program load:program E:script exec:script d:writes p:writes o:writes dump-variables:writes profile:writes pretty-print:writes',
    operands: ['text', 'reads'],
  } satisfies Program),
  ed: edits({ operands: ['changes'], fromInput: 'code' }),
  ...sameForNames(
    'ex vi vim nvim view',
    edits({ operands: ['changes'], more: 'c:code cmd:code S:program s:program u:program w:writes W:writes' }),
  ),
  ...sameForNames(
    'nano emacs pico joe micro code subl',
    edits({ operands: ['changes'], more: 'eval:code l:program load:program script:program' }),
  ),
  ...sameForNames('dos2unix unix2dos', edits({ operands: ['changes'] })),
  mktemp: edits({
    prints: [
      {
        kind: 'temporary',
        when: ({ operands, options }) => operands.length === 0 && onlyOptions(options, 'd', 'q', 'u'),
      },
    ],
    operands: ['writes'],
    more: 'p:writes tmpdir:writes suffix:text',
  }),
  rename: edits({ operands: ['code', 'changes'] }),
  trash: edits({ operands: ['deletes'] }),
  rsync: {
    nature: 'edits',
    options: {
      letters: 'avzrltpgoDuhnPcqxSHAX',
      long: 'archive verbose recursive checksum dry-run progress stats update times links compress human-readable exclude= include= delete',
    },
    more: 'e:shell rsh:shell rsync-path:shell exclude:text include:text exclude-from:reads include-from:reads files-from:reads filter:text f:text log-file:writes backup-dir:writes partial-dir:writes temp-dir:writes T:writes password-file:reads',
    operands: ['reads'],
    last: 'writes',
    readsBelow: (given) => hasOption(given, 'a', 'archive', 'r', 'recursive'),
    findEffects: (given) => [
      ...([...given.options.keys()].some((name) => /^(?:delete|del|remove-source-files)/u.test(name))
        ? [effect('deletes-for-good', 'deletes what the source does not have')]
        : []),
      ...(isRemoteCopy(given) ? [effect('host', 'copies to or from another machine')] : []),
    ],
    warns: (given) => (isRemoteCopy(given) ? ['copies to or from another machine'] : []),
  },
  pandoc: edits({
    operands: ['reads'],
    more: 'o:writes output:writes F:program filter:program L:program lua-filter:program f:value t:value',
  }),
  ...sameForNames('convert magick', edits({ operands: ['reads'], last: 'writes' })),
  ffmpeg: edits({ operands: ['writes'], more: 'i:reads' }),
};

const isRemoteCopy = ({ operands }: ParsedArguments): boolean =>
  operands.some((operand) => /^(?:rsync:\/\/|[^/]*:)/u.test(operand ?? ''));

const changesMode = ({ operands }: ParsedArguments): string =>
  `changes permissions of ${operands
    .slice(1)
    .map((file) => file ?? 'something known only when it runs')
    .join(', ')}`;

/** Effects of setting a mode: one that is known only when it runs may be any. */
const modeEffects = (mode: string | null | undefined): readonly Effect[] =>
  mode === null ? [effect('unread', 'sets a mode that is known only when it runs')] : suidEffects(mode ?? '');

function suidEffects(mode: string): readonly Effect[] {
  return /^[0-7]*[2467][0-7]{3}$|^0*[2467][0-7]{3}$|[+=][rwxXt]*s/u.test(mode)
    ? [effect('privilege', 'lets a program run with its owner’s rights, whoever starts it')]
    : [];
}
