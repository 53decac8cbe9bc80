import { effect, hasOption, sameForNames, type ParsedArguments, type Program, type ProgramTable } from '../program.js';

const says: Program = { nature: 'reads', anyOption: true, operands: ['text'] };
const changesShell = (words: string): Program => ({
  nature: 'edits',
  operands: ['text'],
  effects: [effect('unread', words)],
});

/** Commands that a shell has within itself, and programs that do the same. */
export const SHELLS_OWN: ProgramTable = {
  echo: { ...says, grammar: 'echo', servesNobody: true },
  printf: {
    nature: 'reads',
    operands: ['text'],
    grammar: 'printf',
    options: { operand: (operand, index) => index > 0 || !operand.startsWith('-') },
    more: 'v:variable',
  },
  ...sameForNames('true false : yes exit return break continue shift wait times', { ...says, servesNobody: true }),
  pwd: { ...says, prints: [{ kind: 'folder' }] },
  jobs: { ...says, more: 'x!', prints: [{ kind: 'job', when: (given) => hasOption(given, 'p') }] },
  ...sameForNames('test [ [[', {
    nature: 'reads',
    anyOption: true,
    operands: ['text'],
    grammar: 'test',
  } satisfies Program),
  ...sameForNames('cd chdir pushd', {
    nature: 'reads',
    operands: ['folder'],
    grammar: 'cd',
    options: { letters: 'LPe' },
  } satisfies Program),
  ...sameForNames('popd dirs', {
    nature: 'edits',
    effects: [effect('unread', 'changes to a folder that can’t be known in advance')],
  } satisfies Program),
  ...sameForNames('export readonly local declare typeset', {
    nature: 'reads',
    operands: ['variable'],
    more: 'n!reads p!reads x!reads r!reads g!reads i! a! A! f!',
    grammar: 'export',
  } satisfies Program),
  unset: { nature: 'reads', operands: ['text'], more: 'v!reads f!reads' },
  set: { nature: 'reads', operands: ['text'], grammar: 'set' },
  ...sameForNames('read', {
    nature: 'reads',
    operands: ['text'],
    grammar: 'read',
    more: 'p:text d:text n:value N:value t:value u:value a:text r!reads s!reads e!',
  } satisfies Program),
  ...sameForNames('mapfile readarray getopts let', changesShell('sets variables that can’t be known in advance')),
  ...sameForNames(
    'alias unalias hash enable shopt bind compgen complete compopt disown caller',
    changesShell('gives names another meaning, or changes how the shell reads what follows'),
  ),
  ...sameForNames('. source', {
    nature: 'runs',
    operands: ['script', 'reads'],
    warns: ({ operands: [file] }: ParsedArguments) =>
      file === undefined || file?.startsWith('/dev/fd/') === true
        ? []
        : [`runs ${file ?? 'a file known only when it runs'}`],
  } satisfies Program),
  ...sameForNames('umask ulimit', { nature: 'edits', operands: ['text'] } satisfies Program),
  ...sameForNames('type', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
  ...sameForNames(
    'fg bg suspend logout newgrp fc coproc select function',
    changesShell('does something that can’t be known in advance'),
  ),
};
