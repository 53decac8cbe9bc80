import fc from 'fast-check';
import { SAMPLE_FOLDER } from '../../../../domain/commands/reading/corpus.test-support.js';

/** The same command, spelled otherwise: every shell that takes it at all does what it did. */
export type Spelling = (command: string) => string;

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** Around the whole of it, whatever it is. */
const AROUND: readonly Spelling[] = [
  (command) => `( ${command}\n)`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `for i in 1; do ${command}\ndone`,
  (command) => `while true; do ${command}\nbreak; done`,
  (command) => `case x in x) ${command}\n;; esac`,
  (command) => `true && ${command}`,
  (command) => `false || ${command}`,
  (command) => `:; ${command}`,
  (command) => `ls\n${command}`,
  (command) => `${command} # only looks`,
  (command) => `# only looks\n${command}`,
  (command) => `${command}\nls`,
  (command) => `! ${command}`,
  (command) => ` \t ${command}`,
  (command) => `echo "$(${command}\n)"`,
  (command) => `x=$(${command}\n)`,
  (command) => `ls "$(${command}\n)" > /dev/null`,
  (command) => `echo \${x:-$(${command}\n)}`,
  (command) => `sh -c ${quoted(command)}`,
  (command) => `bash -ec ${quoted(command)} x`,
  (command) => `bash -c -- ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `env sh -c ${quoted(command)}`,
  (command) => `timeout 5 bash -c ${quoted(command)}`,
  (command) => `busybox sh -c ${quoted(command)}`,
  (command) => `xargs sh -c ${quoted(command)} < /dev/null`,
  (command) => `find src -name '*.ts' -exec sh -c ${quoted(command)} \\;`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `sh <<'END_OF_IT'\n${command}\nEND_OF_IT`,
  (command) => `bash -s <<-'END_OF_IT'\n${command}\nEND_OF_IT`,
  (command) => `cat <<'END_OF_IT' | sh\n${command}\nEND_OF_IT`,
  (command) => `sh <<< ${quoted(command)}`,
  (command) => `printf '%s\\n' ${quoted(command)} | bash`,
  (command) => `diff <(${command}\n) /dev/null`,
  (command) => `x=${quoted(command)}; eval "$x"`,
  (command) => `x=${quoted(command)}; sh -c "$x"`,
  (command) => `cd src; cd ..; ${command}`,
  (command) => `set -e; ${command}`,
];

const STARTERS: readonly string[] = [
  'command',
  'env',
  'nice',
  'nice -n 5',
  'nohup',
  'timeout 5',
  'timeout -k 1 5s',
  'time',
  'time -p',
  'stdbuf -oL',
  'busybox',
  'setsid',
  'ionice -c 3',
  'exec',
  'command --',
  'env --',
  'env CI=1',
  'CI=1',
  'LANG=C',
  'nice -n5 env',
  'exec -a x',
  'taskset 1',
  'chrt 1',
  '2>/dev/null',
  '</dev/null',
  'xargs -r',
  'watch -n1',
  'flock /tmp/l',
];

/** Spellings of a word in a command of plain words: programs, options and places may be written in other ways. */
const OF_A_WORD: readonly Spelling[] = [
  (word) => `"${word}"`,
  (word) => `'${word}'`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `${word.slice(0, -1)}"${word.slice(-1)}"`,
  (word) => `\\${word}`,
  (word) => `${word.slice(0, 2)}\\\n${word.slice(2)}`,
  (word) =>
    Array.from(word)
      .map((letter) => `\\${letter}`)
      .join(''),
  (word) => `$(echo ${word})`,
  (word) => `$(printf %s ${word})`,
  (word) => `\`echo ${word}\``,
  (word) => `"$(printf '%s%s' ${quoted(word.slice(0, 2))} ${quoted(word.slice(2))})"`,
  (word) => `\${none:-${word}}`,
  (word) => `${word}$none`,
  (word) => `${word.slice(0, 1)}\${none}${word.slice(1)}`,
  (word) => `$'${word}'`,
  (word) => `$(echo ${Buffer.from(word).toString('base64')} | base64 -d)`,
  (word) => `$(echo ${word} | tr x x)`,
  (word) => `$(echo ${Array.from(word).toReversed().join('')} | rev)`,
];

const OF_A_PLACE: readonly Spelling[] = [
  (place) => `./${place}`,
  (place) => `.//${place}`,
  (place) => `src/../${place}`,
  (place) => `"$PWD/${place}"`,
  (place) => `$PWD/${place}`,
  (place) => `{${place},${place}}`,
  (place) => `{x,${place}}`,
  (place) => `${place.slice(0, 2)}{${place.slice(2)},x}`,
];

/** Spellings of a file that is there: a pattern that matches nothing is another name. */
const OF_A_FILE: readonly Spelling[] = [
  ...OF_A_PLACE,
  (place) => `${place.slice(0, -1)}?`,
  (place) => `${place.slice(0, -1)}*`,
  (place) => `${place.slice(0, 1)}[${place.slice(1, 2)}]${place.slice(2)}`,
];

const OF_THE_PROGRAM: readonly Spelling[] = [
  (program) => `/usr/bin/${program}`,
  (program) => `/bin/${program}`,
  (program) => `/usr/local/bin/${program}`,
  (program) => program.toUpperCase(),
  (program) => program.slice(0, 1).toUpperCase() + program.slice(1),
  (program) => program.replace(/[aceopx]/u, (letter) => LOOKS_ALIKE[letter] ?? letter),
  (program) => `${program.slice(0, 1)}$@${program.slice(1)}`,
  (program) => `$(which ${program})`,
  (program) => `x=${program}; $x`,
];

const LOOKS_ALIKE: Readonly<Record<string, string>> = {
  a: '\u{430}',
  c: '\u{441}',
  e: '\u{435}',
  o: '\u{43e}',
  p: '\u{440}',
  x: '\u{445}',
};

const BETWEEN: readonly string[] = ['  ', '\t', ' \\\n', '$IFS', '${IFS}', '$IFS$9', " '' ", ' "" '];

const isPlain = (command: string): boolean => /^[\w./:=@%+,~^-]+(?: [\w./:=@%+,~^-]+)*$/u.test(command);
/** Whether a word is something that the folder has, or may have: a place that may be written in other ways. */
const isPlace = (word: string, index: number): boolean =>
  index > 0 &&
  /^(?:\.(?!\.)[\w-]|\w[\w.-]*\/)[\w./-]*$/u.test(word) &&
  !/^[a-z]+\.example|\.example|^localhost/u.test(word);
const isThere = (word: string): boolean => SAMPLE_FOLDER.files()?.includes(word) === true;
const isAssignment = (word: string): boolean => word.includes('=');

/** Makes one change to a command of plain words; what is none is left to what goes around it. */
function respelled(command: string, how: number, where: number): string {
  if (!isPlain(command)) return around(command, how);
  const words = command.split(' ');
  // To `echo` these are options.
  const word = words[where % words.length] ?? '';
  if (/^-[neE]+$/u.test(word)) return around(command, how);
  if (isAssignment(words[0] ?? '')) return around(command, how);
  const at = where % words.length;
  const kinds: readonly (() => string)[] = [
    () => around(command, how >> 3),
    () => `${pick(STARTERS, how >> 3)} ${command}`,
    () => words.with(at, pick(OF_A_WORD, how >> 3)(word)).join(' '),
    () => words.with(0, pick(OF_THE_PROGRAM, how >> 3)(words[0] ?? '')).join(' '),
    () =>
      isPlace(word, at)
        ? words.with(at, pick(isThere(word) ? OF_A_FILE : OF_A_PLACE, how >> 3)(word)).join(' ')
        : words.with(at, pick(OF_A_WORD, how >> 3)(word)).join(' '),
    () => words.join(pick(BETWEEN.slice(0, 6), how >> 3)),
    () => (words.length > 1 ? throughVariables(words, how >> 3) : around(command, how >> 3)),
    () => around(`${pick(STARTERS, how >> 3)} ${command}`, how >> 6),
  ];
  return (kinds[how % 8] ?? (() => command))();
}

const pick = <T>(all: readonly [T, ...T[]] | readonly T[], number: number): T => all[number % all.length] as T;
const around = (command: string, how: number): string => pick(AROUND, how)(command);

function throughVariables(words: readonly string[], how: number): string {
  const [program = '', ...rest] = words;
  const last = rest.at(-1) ?? '';
  switch (how % 5) {
    case 0:
      return `x=${last}; ${[program, ...rest.slice(0, -1), '$x'].join(' ')}`;
    case 1:
      return `x=${last.slice(0, 2)}; y=${last.slice(2)}; ${[program, ...rest.slice(0, -1), '"$x$y"'].join(' ')}`;
    case 2:
      return `for x in ${last}; do ${[program, ...rest.slice(0, -1), '"$x"'].join(' ')}; done`;
    case 3:
      return `x="${words.join(' ')}"; $x`;
    default:
      return `set -- ${words.join(' ')}; "$@"`;
  }
}

/** Whether a command is whole: a parenthesis too many is none once it stands between others. */
const isWhole = (command: string): boolean => !/\\$|&& $|^ls(?: \)|; \})$/u.test(command);

/** Two changes, one after the other. */
export const spelledOtherwise = (commands: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...commands.filter(isWhole)),
      fc.array(fc.tuple(fc.nat(1 << 20), fc.nat(20)), { minLength: 1, maxLength: 2 }),
    )
    .map(([command, changes]) => changes.reduce((text, [how, where]) => respelled(text, how, where), command));
