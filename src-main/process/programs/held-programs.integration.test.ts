import { randomUUID } from 'node:crypto';
import {
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
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve as absolute } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configWith } from '../process.test-support.js';
import { onlyHosts, openTestPrograms, UNCONFINED } from './programs.test-support.js';

const EXITED = (code: number) => ({ code, signal: null, limit: null, unstartable: null });
const sh = (script: string, ...args: string[]): [string, ...string[]] => ['sh', '-c', script, 'sh', ...args];

/** The processes whose command line holds the word: asked of the system itself. */
const withWord = (word: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
      } catch {
        return false;
      }
    });

describe('a held program', () => {
  it.each([
    ['confined', {}],
    ['unconfined', { process: UNCONFINED }],
  ] as const)('has pipes of its own, a third one and an exit code: %s', async (_, options) => {
    await using programs = await openTestPrograms();
    const script = 'cat; echo complaint >&2; echo aside >&3; exit 7';
    const ran = await programs.run(sh(script), { ...options, input: 'said\n', side: true });
    expect(ran).toEqual({ stdout: 'said\n', stderr: 'complaint\n', side: 'aside\n', end: EXITED(7) });
  });

  it('tells what ended it: a signal, a limit, that it is not there', async () => {
    await using programs = await openTestPrograms();
    expect((await programs.run(sh('kill -SEGV $$'))).end).toEqual({ ...EXITED(0), code: null, signal: 'SIGSEGV' });
    const memory = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))'`;
    expect((await programs.run(sh(memory), { memoryBytes: 200 << 20 })).end).toEqual({
      ...EXITED(0),
      code: null,
      limit: 'max_memory_bytes',
    });
    expect((await programs.run(sh('while :; do :; done'), { cpuSeconds: 1 })).end).toMatchObject({
      limit: 'max_cpu_seconds',
    });
    expect((await programs.run(['no-such-program'])).end.unstartable).toContain('“no-such-program” is not installed');
    expect((await programs.run(['/nowhere/x'])).end.unstartable).toBe('There is no program at /nowhere/x.');
  });

  it('may reserve more addresses than it may have memory, as WebAssembly does', async () => {
    await using programs = await openTestPrograms();
    const script = `node -e 'fetch("data:,x").then((answer) => answer.text()).then(() => console.log([1, 2, 3, 4].map((pages) => new WebAssembly.Memory({ initial: pages, maximum: 100 }).buffer.byteLength >> 16).join()))'`;
    expect(await programs.run(sh(script))).toMatchObject({ stdout: '1,2,3,4\n', stderr: '', end: EXITED(0) });
  });

  it('has the environment that it is given, and none of ours', async () => {
    process.env['GATEHOUSE_TEST_SECRET'] = 'planted';
    onTestFinished(() => void delete process.env['GATEHOUSE_TEST_SECRET']);
    await using programs = await openTestPrograms({ PATH: process.env['PATH'] ?? '', HOME: '/h', AWS_KEY: 'planted' });
    const { stdout } = await programs.run(['env'], { environment: { TOKEN: 'mine' } });
    expect(stdout).not.toContain('planted');
    expect(stdout).toContain('TOKEN=mine\n');
    const { stdout: fds } = await programs.run(sh('ls /proc/$$/fd'));
    expect(fds.split('\n').filter((fd) => Number(fd) > 3)).toEqual([]);
  });

  it('is not a word behind: what is written while it runs is answered', async () => {
    await using programs = await openTestPrograms();
    const program = await programs.start(['cat']);
    const answers = program.stdout[Symbol.asyncIterator]();
    for (const word of ['one', 'two', 'three']) {
      await program.write(word);
      expect(Buffer.from((await answers.next()).value as Uint8Array).toString()).toBe(word);
    }
    await program.end(1000);
    expect(await program.ended).toEqual(EXITED(0));
    await expect(program.write('more')).rejects.toThrow();
  });
});

describe('the program that a name stands for', () => {
  /** Plants a program in the folder as a command could have, under the name of one that is installed. */
  const planted = (folder: string): string => {
    mkdirSync(join(folder, '.venv/bin'), { recursive: true });
    writeFileSync(join(folder, '.venv/bin/perl'), '#!/bin/sh\necho PLANTED\n', { mode: 0o755 });
    return join(folder, '.venv/bin');
  };

  it('is none that tools could have put there, in a folder that is open or was, whatever it is started for', async () => {
    const base = realpathSync(mkdtempSync(absolute('artifacts', 'p-')));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const [before, other] = [join(base, 'open-before'), join(base, 'links')];
    mkdirSync(other);
    const bin = planted(before);
    symlinkSync(bin, join(other, 'bin'));
    mkdirSync(join(other, 'own'));
    symlinkSync(join(bin, 'perl'), join(other, 'own/perl'));
    const entries = [bin, join(other, 'bin'), join(other, 'own')];
    const variables = { PATH: [...entries, '/usr/bin', '/bin'].join(':'), HOME: base, LANG: 'C.UTF-8' };
    await using programs = await openTestPrograms(variables, { writable: [before] });
    const hello = ['perl', '-e', 'print "real $ENV{PATH}"'] as const;
    const folder = { path: programs.runner.workspace, access: 'read' } as const;
    const given = { environment: { PATH: variables.PATH } };
    for (const options of [{}, { folder }, { process: UNCONFINED }, given]) {
      const { stdout } = await programs.run(hello, options);
      expect(stdout).toMatch(/^real /u);
      expect(stdout).not.toContain('open-before');
      expect(stdout).not.toContain('links/bin');
    }
    const command = await programs.runner.run('command -v perl');
    expect(command.stdout).not.toContain('.venv');
    // A link that is turned round later is looked at anew.
    rmSync(join(other, 'own'), { recursive: true });
    symlinkSync(bin, join(other, 'own'));
    expect((await programs.run(hello)).stdout).toMatch(/^real /u);
    expect(programs.find({ command: 'perl', workingDirectory: null, environment: {} })).toBe('/usr/bin/perl');
  });
});

describe('what a confined program reaches', () => {
  it('is neither keys, nor our data, nor the workspace that it was not given', async () => {
    await using programs = await openTestPrograms();
    const { outside, outputs, workspace } = programs.runner;
    mkdirSync(join(outside, '.ssh'));
    writeFileSync(join(outside, '.ssh/id_rsa'), 'planted');
    writeFileSync(join(outside, 'notes.txt'), 'planted');
    writeFileSync(join(outputs, 'journal'), 'planted');
    writeFileSync(join(workspace, 'in-workspace'), 'planted');
    const paths = [
      join(workspace, 'in-workspace'),
      join(outside, '.ssh/id_rsa'),
      join(outside, 'notes.txt'),
      join(outputs, 'journal'),
    ];
    const script = `cat "$@" /proc/1/environ; grep -l planted /proc/*/environ; echo x >${workspace}/x; echo x >${outside}/x; pwd; echo kept >here && cat here`;
    const { stdout } = await programs.run(sh(script, ...paths));
    expect(stdout).not.toContain('planted');
    expect(stdout).toMatch(/\/tmp\nkept\n$/u);
    expect(existsSync(join(workspace, 'x')) || existsSync(join(outside, 'x'))).toBe(false);
    expect(existsSync('/tmp/here')).toBe(false);
  });

  it('reads the workspace where it may, writes there where it may, and never what other programs obey', async () => {
    await using programs = await openTestPrograms();
    const { workspace } = programs.runner;
    writeFileSync(join(workspace, 'a.txt'), 'read me\n');
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(workspace, '.vscode'));
    writeFileSync(join(workspace, '.vscode/tasks.json'), '{}');
    const script = `cat a.txt; for f in new .git/hooks/pre-commit .vscode/tasks.json; do echo x >$f && echo wrote $f; done`;
    const at = { workingDirectory: workspace };
    const folder = { path: workspace };
    const read = await programs.run(sh(script), { ...at, folder: { ...folder, access: 'read' } });
    expect(read.stdout).toBe('read me\n');
    const write = await programs.run(sh(script), { ...at, folder: { ...folder, access: 'write' } });
    expect(write.stdout).toBe('read me\nwrote new\n');
    expect(readFileSync(join(workspace, '.vscode/tasks.json'), 'utf8')).toBe('{}');
  });

  it('has no file of secrets, nor what tools are denied: an empty file stands there', async () => {
    await using programs = await openTestPrograms();
    const { workspace } = programs.runner;
    for (const at of ['private/deep', 'config', '.ssh']) mkdirSync(join(workspace, at), { recursive: true });
    for (const at of ['.env', 'config/prod.tfvars', 'private/deep/plan.txt', '.ssh/id_rsa', 'notes.txt'])
      writeFileSync(join(workspace, at), 'planted\n');
    const config = configWith({ confinement: 'required' });
    const sandbox = { ...config.tools.sandbox, denied_patterns: ['private/**'] };
    const denying = { ...config, tools: { ...config.tools, sandbox } };
    const script =
      'for f in .env config/prod.tfvars private/deep/plan.txt .ssh/id_rsa notes.txt; do echo "$f $(cat "$f")"; done; test -f .env && wc -c <.env';
    for (const access of ['read', 'write'] as const) {
      const { stdout } = await programs.run(sh(script), {
        workingDirectory: workspace,
        folder: { path: workspace, access },
        config: denying,
      });
      expect(stdout).toBe('.env \nconfig/prod.tfvars \nprivate/deep/plan.txt \n.ssh/id_rsa \nnotes.txt planted\n0\n');
    }
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('planted\n');
  });

  it('is its own files where they lie in the home folder or in our data, and what is secret there stays so', async () => {
    await using programs = await openTestPrograms();
    const { outside, outputs } = programs.runner;
    for (const folder of [join(outside, 'server'), join(outputs, 'packages/p')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\necho ran; cat "$(dirname "$0")/../beside"; echo x >>"$0"', {
        mode: 0o755,
      });
      writeFileSync(join(folder, '../beside'), 'planted');
      const { stdout, end } = await programs.run([join(folder, 'run.sh')], { reads: [folder] });
      expect({ stdout, code: end.code === 0 }).toEqual({ stdout: 'ran\n', code: false });
    }
    mkdirSync(join(outside, '.ssh'));
    writeFileSync(join(outside, '.ssh/id_rsa'), 'planted');
    const key = join(outside, '.ssh/id_rsa');
    const named = await programs.run(sh('cat "$1"', key), { reads: [key, join(outside, '.ssh')] });
    expect(named.stdout).toBe('');
    // A folder that holds our data, or keys, does not open them.
    writeFileSync(join(outputs, 'journal'), 'planted');
    const { stdout } = await programs.run(sh('cat "$1"; ls "$2"', join(outputs, 'journal'), outputs), {
      reads: [join(outputs, '..')],
    });
    expect(stdout).toBe('');
  });

  it('is the hosts that it was given, through the proxy, and no others', async () => {
    await using programs = await openTestPrograms();
    const server = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const script = `for p in "$@"; do curl -s -m 5 http://127.0.0.1:$p/ || echo "no $?"; curl -s -m 5 --noproxy '*' http://127.0.0.1:$p/ && echo DIRECT; done`;
    const other = createServer((_, response) => response.end('ESCAPED'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const ports = [String(port), String((other.address() as AddressInfo).port)];
    const open = await programs.run(sh(script, ...ports), { network: onlyHosts(`127.0.0.1:${port}`) });
    expect(open.stdout).toMatch(/^reached.*is not among the hosts/su);
    expect(open.stdout).not.toMatch(/ESCAPED|DIRECT/u);
    // What commands may reach is no program's.
    const closed = await programs.run(sh(script, ...ports), { settings: { network: true } });
    expect(closed.stdout).not.toMatch(/reached|ESCAPED|DIRECT/u);
  });
});

describe('what a program started is ended with it', () => {
  const daemon = (word: string): string =>
    `perl -e 'use POSIX (); fork and exit; POSIX::setsid(); fork and exit; %ENV = (); POSIX::close($_) for 0..255; $SIG{TERM} = $SIG{HUP} = "IGNORE"; exec {"sleep"} "${word}", "600"'`;

  it.each([
    ['confined', {}],
    ['unconfined', { process: UNCONFINED }],
  ] as const)('whatever it did to stay: %s', async (_, options) => {
    await using programs = await openTestPrograms();
    const word = `stays-${randomUUID()}`;
    const ran = await programs.run(sh(`${daemon(word)}; echo over`), options);
    expect(ran.stdout).toBe('over\n');
    expect(withWord(word)).toEqual([]);
    const program = await programs.start(sh(`trap '' TERM; ${daemon(word)}; echo up; sleep 600`), options);
    await program.stdout[Symbol.asyncIterator]().next();
    expect(withWord(word)).not.toEqual([]);
    await program.end(200);
    expect(withWord(word)).toEqual([]);
    expect(readdirSync(programs.runningFolder)).toEqual([]);
    expect(programs.runner.log).toEqual([]);
  });
});

describe('a program that can’t be held', () => {
  it('runs unconfined only if that was what was judged, and says so', async () => {
    await using programs = await openTestPrograms(undefined, { bubblewraps: [] });
    const required = await programs.run(['echo', 'ran']);
    expect(required.end.unstartable).toContain('bubblewrap is not installed');
    const judgedConfined = await programs.run(['echo', 'ran'], { settings: { confinement: 'preferred' } });
    expect(judgedConfined).toMatchObject({
      stdout: '',
      end: { unstartable: expect.stringContaining('Nothing ran') as string },
    });
    const preferred = {
      settings: { confinement: 'preferred' },
      process: { ...UNCONFINED, asked: 'preferred' },
    } as const;
    const program = await programs.start(['echo', 'ran'], preferred);
    expect(program.confinement).toBe('unconfined');
    await program.ended;
  });

  it('does not run unconfined where by now it could be held', async () => {
    await using programs = await openTestPrograms();
    const preferred = {
      settings: { confinement: 'preferred' },
      process: { ...UNCONFINED, asked: 'preferred' },
    } as const;
    const ran = await programs.run(['echo', 'ran'], preferred);
    expect(ran).toMatchObject({ stdout: '', end: { unstartable: expect.stringContaining('ask again') as string } });
  });
});
