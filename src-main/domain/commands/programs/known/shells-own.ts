import { deed, each, type Program, type Programs } from '../program.js';

const says: Program = { nature: 'reads', anyOption: true, operands: ['text'] };
const changesShell = (words: string): Program => ({
  nature: 'edits',
  operands: ['text'],
  deeds: [deed('unread', words)],
});

/** Commands that a shell has within itself, and programs that do the same. */
export const SHELLS_OWN: Programs = {
  ...each('echo', { ...says, grammar: 'echo' }),
  printf: {
    nature: 'reads',
    operands: ['text'],
    grammar: 'echo',
    options: { operand: (operand, index) => index > 0 || !operand.startsWith('-') },
    more: 'v:variable',
  },
  ...each('true false : pwd yes exit return break continue shift wait jobs times', {
    nature: 'reads',
    anyOption: true,
    operands: ['text'],
  } satisfies Program),
  ...each('test [ [[', { nature: 'reads', anyOption: true, operands: ['text'], grammar: 'test' } satisfies Program),
  ...each('cd chdir pushd', {
    nature: 'reads',
    operands: ['folder'],
    grammar: 'cd',
    options: { letters: 'LPe' },
  } satisfies Program),
  ...each('popd dirs', {
    nature: 'edits',
    deeds: [deed('unread', 'changes to a folder that can’t be known in advance')],
  } satisfies Program),
  ...each('export readonly local declare typeset', {
    nature: 'reads',
    operands: ['variable'],
    more: 'n!reads p!reads x!reads r!reads g!reads i! a! A! f!',
    grammar: 'export',
  } satisfies Program),
  unset: { nature: 'reads', operands: ['text'], more: 'v!reads f!reads' },
  set: { nature: 'reads', operands: ['text'], grammar: 'set' },
  ...each('read', {
    nature: 'reads',
    operands: ['text'],
    grammar: 'read',
    more: 'p:text d:text n:value N:value t:value u:value a:text r!reads s!reads e!',
  } satisfies Program),
  ...each('mapfile readarray getopts let', changesShell('sets variables that can’t be known in advance')),
  ...each(
    'alias unalias hash enable shopt bind compgen complete compopt disown caller',
    changesShell('gives names another meaning, or changes how the shell reads what follows'),
  ),
  ...each('. source', { nature: 'runs', operands: ['script', 'reads'] } satisfies Program),
  ...each('umask ulimit', { nature: 'edits', operands: ['text'] } satisfies Program),
  ...each('type', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
  ...each(
    'fg bg suspend logout newgrp fc coproc select function',
    changesShell('does something that can’t be known in advance'),
  ),
};
