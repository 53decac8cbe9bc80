import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The effects of a command in a shell: which programs it started with which words, what they said, and which files it
 * left.
 */
export interface ShellEffects {
  readonly started: readonly string[];
  readonly said: readonly string[];
  readonly left: readonly string[];
}

export interface Shell {
  readonly name: string;
  /** The words before `-c`. */
  readonly words: readonly string[];
}

/** The shells that /bin/sh is somewhere, as far as they are here. */
export function shellsHere(): readonly Shell[] {
  const at = (...paths: readonly string[]): string | undefined => paths.find((path) => existsSync(path));
  const [dash, bash, busybox] = [
    at('/bin/dash', '/usr/bin/dash'),
    at('/bin/bash', '/usr/bin/bash'),
    at('/bin/busybox', '/usr/bin/busybox'),
  ];
  return [
    ...(dash === undefined ? [] : [{ name: 'dash', words: [dash] }]),
    ...(bash === undefined ? [] : [{ name: 'bash --posix', words: [bash, '--posix'] }]),
    ...(busybox === undefined ? [] : [{ name: 'busybox sh', words: [busybox, 'sh'] }]),
  ];
}

/** The separator between what is recorded; no text that is understood has it. */
export const UNIT = '\u{1f}';
const RECORD = '\u{1e}';

/** Says what it was started with, and which of the harmless variables it sees. Whose name begins with “bad” fails. */
const RECORDER = `#!/bin/sh
all="\${0##*/}${UNIT}CI=\${CI-}${UNIT}NODE_ENV=\${NODE_ENV-}"
for each; do all="$all${UNIT}$each"; done
printf '%s' "$all${RECORD}" >>"$SEEN"
echo "err \${0##*/}" >&2
# Last: who reads it may be gone by now, and that ends this one.
echo "out \${0##*/}"
case "\${0##*/}" in bad*) exit 1;; esac
`;

/** A script that runs one command after another, each in an empty folder of its own. */
const DRIVER = `
shells=$1; shift; place=$1; shift
n=0
for text; do
  n=$((n+1))
  cd "$place/$n/empty"
  SEEN="$place/$n/seen" PATH="$place/../programs" $shells -c "$text" </dev/null >"$place/$n/out" 2>"$place/$n/err"
done
exit 0
`;

const run = promisify(execFile);

/** A throwaway folder, and where bubblewrap can be had nothing else that can be written, no network, no other process. */
export class ShellRuns implements Disposable {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-shells-')));
  #batches = 0;

  /** `programs` is all that a command finds. */
  constructor(programs: readonly string[]) {
    mkdirSync(join(this.#folder, 'programs'));
    writeFileSync(join(this.#folder, 'recorder'), RECORDER);
    chmodSync(join(this.#folder, 'recorder'), 0o755);
    for (const name of programs) symlinkSync('../recorder', join(this.#folder, 'programs', name));
  }

  async seen(shell: Shell, texts: readonly string[]): Promise<readonly ShellEffects[]> {
    this.#batches += 1;
    const place = join(this.#folder, String(this.#batches));
    for (const index of texts.keys()) mkdirSync(join(place, String(index + 1), 'empty'), { recursive: true });
    const words = ['/bin/sh', '-c', DRIVER, 'driver', shell.words.join(' '), place, ...texts];
    const [program = '', ...args] = [...confined(this.#folder), ...words];
    await run(program, args, {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    const seen = texts.map((_, index) => {
      const own = join(place, String(index + 1));
      const text = (name: string): string => (existsSync(join(own, name)) ? readFileSync(join(own, name), 'utf8') : '');
      return {
        started: text('seen').split(RECORD).slice(0, -1).sort(),
        // Shells word their own complaints each in its way; what programs say is compared.
        said: `${text('out')}\n--\n${text('err')}`
          .split('\n')
          .filter((line) => /^(?:out|err) |^--$/u.test(line))
          .sort(),
        left: readdirSync(join(own, 'empty')),
      };
    });
    rmSync(place, { recursive: true });
    return seen;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function confined(folder: string): readonly string[] {
  const bwrap = ['/usr/bin/bwrap', '/bin/bwrap'].find((path) => existsSync(path));
  if (bwrap === undefined) return [];
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', folder, folder];
  return [bwrap, ...mounts, '--unshare-all', '--die-with-parent', '--chdir', folder];
}
