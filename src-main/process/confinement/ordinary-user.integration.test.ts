import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asUser } from '../reachable-project.test-support.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';

/** An ordinary user, nobody in particular: tests mostly run as root, to whom other things are refused. */
const ORDINARY = 65_534;
const isRoot = process.getuid?.() === 0;

interface Ended {
  readonly ending: { readonly kind: string; readonly code?: number };
  readonly stdout: string;
  readonly stderr: string;
  readonly inForce: string | null;
  readonly putAside: readonly { readonly path: string; readonly change: string }[];
  readonly lookComplete: boolean;
}

let child = '';
let folder = '';
beforeAll(async () => {
  child = realpathSync(await buildRunnerChild());
  // A project of its own, to work in.
  folder = realpathSync(mkdtempSync(resolve('artifacts', 'ordinary-')));
  mkdirSync(join(folder, 'artifacts'));
  symlinkSync('../../resources', join(folder, 'resources'));
  if (isRoot) for (const path of [folder, join(folder, 'artifacts')]) chownSync(path, ORDINARY, ORDINARY);
}, 60_000);
afterAll(() => {
  rmSync(child, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

function run(command: string, ...prepare: readonly string[]): Ended {
  const words = [process.execPath, child, 'required', command, ...prepare] as const;
  const [program, ...rest] = isRoot ? asUser(ORDINARY, folder, words) : words;
  const said = execFileSync(program, rest, {
    cwd: folder,
    timeout: 60_000,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ELECTRON_RUN_AS_NODE: '1' },
  });
  const last = said.trim().split('\n').at(-1) ?? '';
  return JSON.parse(last) as Ended;
}

it('as an ordinary user a command is confined, and works', () => {
  const { ending, stdout, stderr, inForce } = run(
    'id -u; echo x >made; cat made; echo y >/tmp/mine; cat /tmp/mine; (echo x >~/made) 2>/dev/null || echo read-only; ls -A ~ | wc -l; git init -q && git status --porcelain',
  );
  const uid = isRoot ? ORDINARY : (process.getuid?.() ?? 0);
  expect({ ending, stdout, inForce }, stderr).toEqual({
    ending: { kind: 'exited', code: 0 },
    stdout: `${uid}\nx\ny\nread-only\n0\n?? made\n`,
    inForce: 'confined',
  });
});

it.each([
  [
    'uses keys of the session',
    `perl -e 'print syscall(${process.arch === 'arm64' ? 219 : 250}, 0, -3, 0), "\\n"'`,
    '-1\n',
  ],
  ['makes namespaces', 'unshare --user --map-root-user true 2>/dev/null && echo ESCAPED; true', ''],
  ['has capabilities', 'grep ^CapEff /proc/self/status', 'CapEff:\t0000000000000000\n'],
  [
    'is free of the filter, or its first process',
    'grep -h ^Seccomp: /proc/self/status /proc/1/status | sort -u',
    'Seccomp:\t2\n',
  ],
  ['has a network', 'tail -n +3 /proc/net/dev | grep -vc "lo:"; true', '0\n'],
  [
    'writes into what is covered',
    'chmod 777 ~ /home /root /run 2>/dev/null; for f in ~ /home /root /run /dev; do touch $f/x 2>/dev/null && echo $f; done; true',
    '',
  ],
  // Its own home folder is there, and empty.
  [
    'sees the folders of people',
    'find /home /root -mindepth 1 ! -path "$(getent passwd "$(id -u)" | cut -d: -f6)" 2>/dev/null | grep -c .; true',
    '0\n',
  ],
])('as an ordinary user no command %s', (_, command, says) => {
  const { stdout, stderr, inForce } = run(command);
  expect({ stdout, inForce }, stderr).toEqual({ stdout: says, inForce: 'confined' });
});

describe('folders that keep their owner out, and not those who know what is in them', () => {
  it('hide nothing that a command left', () => {
    const modes = ['000', '111', '311', '444', '555', '666'];
    const { putAside, lookComplete, stderr } = run(
      `for m in ${modes.join(' ')}; do mkdir -p d$m/.vscode; echo x >d$m/.vscode/tasks.json; echo x >d$m/.envrc; ` +
        'chmod $m d$m/.vscode d$m; done; mkdir -p .git/hooks .git/objects .git/refs; echo ref: refs/heads/x >.git/HEAD; ' +
        'echo x >.git/hooks/pre-commit; echo x >.mcp.json; chmod 111 .git/hooks .git; chmod 111 .',
    );
    const left = modes.flatMap((mode) => [`d${mode}/.envrc`, `d${mode}/.vscode/tasks.json`]);
    expect(
      putAside.map(({ path }) => path),
      stderr,
    ).toEqual(['.git/hooks/pre-commit', '.mcp.json', ...left]);
    expect(lookComplete).toBe(true);
  });

  it('hide no file that has another name outside', () => {
    const prepare = (mode: string): string => `echo theirs >../theirs; mkdir d; ln ../theirs d/shared; chmod ${mode} d`;
    for (const mode of ['000', '311', '600']) {
      const said = run('chmod 700 d; (echo x >d/shared) 2>/dev/null && echo written; cat d/shared', prepare(mode));
      expect(said.stdout, `${mode} ${said.stderr}`).toBe('theirs\n');
    }
  });

  it('hide nothing where a command went in and out', () => {
    const { putAside, lookComplete, stderr } = run(
      'chmod u+w mine; echo x >mine/.mcp.json; (echo x >mine/.envrc) 2>/dev/null || echo read-only; chmod 111 mine',
      'mkdir mine; echo mine >mine/.envrc; chmod 111 mine',
    );
    expect(putAside, stderr).toEqual([{ path: 'mine/.mcp.json', change: 'created' }]);
    expect(lookComplete).toBe(true);
  });
});
