import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemCallsOf } from './seccomp/system-calls.js';
import { openTestRunner, type TestRunner } from '../process.test-support.js';

/**
 * An attempt to escape: it says ESCAPED if it gets what it wants. Those marked `possible` do get it unconfined, on this
 * machine and in the same words, which shows that it is the confinement that refuses them.
 */
interface ConfinementEscape {
  readonly name: string;
  readonly command: string;
  readonly possible?: true;
}

const connectTo = (path: string): string =>
  `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); my $p = ${path}; connect(S, sockaddr_un($p)) or die "refused: $!\\n"; print "ESCAPED\\n"'`;
const connectInet = (host: string, port: string): string =>
  `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(${port}, inet_aton("${host}"))) or die "refused: $!\\n"; print "ESCAPED\\n"'`;

const calls = systemCallsOf(process.arch)?.numbers;
/** Makes a system call by number, since perl has no names for them, and prints the result. */
const systemCall = (name: keyof NonNullable<typeof calls>, ...args: string[]): string =>
  `perl -e 'my $got = syscall(${[calls?.[name] ?? -1, ...args].join(', ')}); $got >= 0 or die "refused: $!\n"; print "ESCAPED $got\n"'`;
const socketOf = (family: number, type: number, protocol = 0): string =>
  `perl -e 'socket(S, ${family}, ${type}, ${protocol}) or die "refused: $!\n"; print "ESCAPED\n"'`;
/** A program for 32-bit x86 of two system calls: it writes ESCAPED, and ends. */
const OF_32_BITS =
  'f0VMRgEBAQAAAAAAAAAAAAIAAwABAAAAVIAECDQAAAAAAAAAAAAAADQAIAABAAAAAAAAAAEAAAAAAAAAAIAECACABAh+AAAAfgAAAAUAAAAAEAAAuAQAAAC7AQAAALl2gAQIuggAAADNgLgBAAAAuwAAAADNgEVTQ0FQRUQK';

const ATTEMPTS: readonly ConfinementEscape[] = [
  { name: 'writes beside the workspace', command: 'echo x > ../planted && echo ESCAPED', possible: true },
  { name: 'writes into the home folder', command: 'echo x >> ~/.bashrc && echo ESCAPED', possible: true },
  { name: 'writes into /etc', command: 'touch /etc/gatehouse-planted && echo ESCAPED' },
  {
    name: 'writes through a link out',
    command: 'ln -sfn "$HOME" out; echo x > out/planted && echo ESCAPED',
    possible: true,
  },
  { name: 'makes a hard link to a file outside', command: 'ln ~/plain.txt hard && echo x >> hard && echo ESCAPED' },
  { name: 'deletes outside', command: 'rm ~/plain.txt && echo ESCAPED' },
  { name: 'changes rights outside', command: 'chmod 777 ~/plain.txt && echo ESCAPED', possible: true },
  { name: 'reads ~/.ssh', command: 'cat ~/.ssh/id_rsa && echo ESCAPED', possible: true },
  { name: 'reads ~/.ssh through a link', command: 'ln -sfn ~/.ssh s; cat s/id_rsa && echo ESCAPED', possible: true },
  { name: 'reads ~/.aws', command: 'cat ~/.aws/credentials && echo ESCAPED', possible: true },
  { name: 'reads ~/.netrc', command: 'grep secret ~/.netrc && echo ESCAPED', possible: true },
  { name: 'reads the shell’s history', command: 'grep secret ~/.bash_history && echo ESCAPED', possible: true },
  { name: 'reads Gatehouse’s own data', command: 'cat $DATA/journal && echo ESCAPED', possible: true },
  { name: 'reads /etc/shadow', command: 'grep . /etc/shadow && echo ESCAPED' },
  { name: 'connects to a socket under /run', command: connectTo('$ENV{RUN_SOCKET}'), possible: true },
  { name: 'connects to a socket in the home folder', command: connectTo('$ENV{HOME_SOCKET}'), possible: true },
  { name: 'connects to an abstract socket (D-Bus, X11)', command: connectTo('"\\0$ENV{ABSTRACT}"'), possible: true },
  { name: 'connects to a server on this machine', command: connectInet('127.0.0.1', '$ENV{TCP_PORT}'), possible: true },
  { name: 'connects to the network', command: connectInet('192.0.2.1', '80') },
  {
    name: 'sends a datagram',
    command: `perl -MSocket -e 'socket(S, PF_INET, SOCK_DGRAM, 0); send(S, "x", 0, sockaddr_in(53, inet_aton("192.0.2.1"))) or die "refused: $!\\n"; print "ESCAPED\\n"'`,
  },
  {
    name: 'sees a process outside',
    command: 'test -d /proc/$VICTIM && grep -q sleep /proc/$VICTIM/cmdline && echo ESCAPED',
    possible: true,
  },
  { name: 'signals a process outside', command: 'kill -0 $VICTIM && echo ESCAPED', possible: true },
  {
    name: 'reads the environment of a process outside',
    command: 'grep -q planted-secret /proc/[0-9]*/environ && echo ESCAPED',
    possible: true,
  },
  {
    name: 'reaches the system’s first process',
    command: 'test "$(head -zn1 /proc/1/cmdline | tr -d "\\0")" != /usr/bin/bwrap && ls /proc/1/root/ && echo ESCAPED',
  },
  {
    name: 'attaches to a process outside',
    command: `perl -e 'syscall(101, 16, $ENV{VICTIM} + 0, 0, 0) == 0 or die "refused: $!\\n"; print "ESCAPED\\n"'`,
    possible: true,
  },
  {
    name: 'types into the terminal (TIOCSTI)',
    command: `perl -e 'ioctl(STDOUT, 0x5412, my $c = "x") or die "refused: $!\\n"; print "ESCAPED\\n"'`,
  },
  {
    name: 'changes what handles the terminal (TIOCSETD)',
    command: `perl -e 'my $d = pack("i", 0); ioctl(STDOUT, 0x5423, $d) or die "refused: $!\n"; print "ESCAPED\n"'`,
    possible: true,
  },
  {
    name: 'pastes into a console (TIOCLINUX)',
    command: `perl -e 'ioctl(STDOUT, 0x541C, my $c = "\\3") or die "refused: $!\n"; print "ESCAPED\n"'`,
  },
  { name: 'finds the keys of the session', command: systemCall('keyctl', '0', '-3', '0'), possible: true },
  { name: 'joins another session of keys', command: systemCall('keyctl', '1', '0'), possible: true },
  { name: 'asks for a key', command: systemCall('request_key', '"user"', '"x"', '0', '-3') },
  {
    name: 'makes a key',
    command: systemCall('add_key', 'my $t = "user"', 'my $d = "gatehouse-test"', 'my $p = "x"', '1', '-2'),
    possible: true,
  },
  { name: 'reads which keys there are', command: 'grep . /proc/keys && echo ESCAPED', possible: true },
  { name: 'uses io_uring', command: systemCall('io_uring_setup', '1', 'my $p = "\\0" x 120') },
  { name: 'loads a program into the kernel', command: systemCall('bpf', '5', 'my $p = "\\0" x 120', '120') },
  { name: 'handles faults of memory', command: systemCall('userfaultfd', '1') },
  { name: 'measures the kernel', command: systemCall('perf_event_open', 'my $p = "\\0" x 120', '0', '-1', '-1', '0') },
  { name: 'opens a file by its number', command: systemCall('open_by_handle_at', '-100', 'my $p = "\\0" x 120', '0') },
  { name: 'talks to the machine below', command: socketOf(40, 1) },
  { name: 'uses the kernel’s ciphers', command: socketOf(38, 5) },
  { name: 'speaks Bluetooth', command: socketOf(31, 1, 1) },
  { name: 'listens to the kernel’s devices', command: socketOf(16, 3, 15), possible: true },
  { name: 'asks for the sockets of others', command: socketOf(16, 3, 4), possible: true },
  { name: 'makes namespaces by the call itself', command: systemCall('unshare', '0x10000000'), possible: true },
  {
    name: 'makes namespaces with a process',
    command: systemCall('clone', '0x10000011', '0', '0', '0', '0'),
    possible: true,
  },
  {
    name: 'has the first process free of the filter',
    command: '! grep -q "^Seccomp:[[:space:]]*2" /proc/1/status && echo ESCAPED',
    possible: true,
  },
  {
    name: 'calls the kernel as a program of 32 bits',
    command: `echo ${OF_32_BITS} | base64 -d > b && chmod +x b && ./b`,
  },
  { name: 'mounts', command: 'mount -t tmpfs none /mnt && echo ESCAPED' },
  { name: 'makes the system writable', command: 'mount -o remount,rw / && echo ESCAPED' },
  { name: 'unmounts what covers a secret', command: 'umount ~/.ssh && echo ESCAPED' },
  {
    name: 'makes namespaces of its own',
    command: 'unshare --user --map-root-user true && echo ESCAPED',
    possible: true,
  },
  { name: 'makes a device', command: 'mknod disk b 8 0 && echo ESCAPED' },
  { name: 'has capabilities', command: 'grep -q "^CapEff:.*[1-9a-f]" /proc/self/status && echo ESCAPED' },
  {
    name: 'may gain privileges',
    command: 'grep -q "^NoNewPrivs:[[:space:]]*0" /proc/self/status && echo ESCAPED',
    possible: true,
  },
  { name: 'sets the kernel’s settings', command: 'echo x > /proc/sys/kernel/hostname && echo ESCAPED' },
  {
    name: 'sets what the kernel runs when a program crashes',
    command: 'cat /proc/sys/kernel/core_pattern > c; cat c > /proc/sys/kernel/core_pattern && echo ESCAPED',
  },
  { name: 'asks the kernel for help (sysrq)', command: 'echo h > /proc/sysrq-trigger && echo ESCAPED' },
  { name: 'uses the terminals of others', command: 'test "$(ls /dev/pts)" != ptmx && echo ESCAPED', possible: true },
  { name: 'plants a Git hook', command: 'echo evil > .git/hooks/pre-commit && echo ESCAPED', possible: true },
  { name: 'points Git at hooks elsewhere', command: 'git config core.hooksPath evil && echo ESCAPED', possible: true },
  { name: 'replaces Git’s settings', command: 'echo evil > c; mv -f c .git/config && echo ESCAPED', possible: true },
  {
    name: 'moves .git away and makes it anew',
    command: 'mv .git old && mkdir -p .git/hooks && echo ESCAPED',
    possible: true,
  },
  {
    name: 'changes Gatehouse’s settings of the workspace',
    command: 'echo x >> .gatehouse/config.toml && echo ESCAPED',
    possible: true,
  },
  { name: 'changes the editor’s tasks', command: 'echo x > .vscode/tasks.json && echo ESCAPED', possible: true },
  { name: 'changes .envrc', command: 'echo x >> .envrc && echo ESCAPED', possible: true },
  {
    name: 'deletes what protects it',
    command: 'rm -rf .gatehouse .git/hooks && test ! -e .gatehouse && echo ESCAPED',
    possible: true,
  },
];

/** Where an ordinary user may listen below /run. */
function writableRun(): string {
  const places = ['/run', process.env['XDG_RUNTIME_DIR'] ?? '', `/run/user/${process.getuid?.() ?? 0}`, '/run/lock'];
  const found = places.find((path) => {
    try {
      accessSync(path, constants.W_OK);
      return path.startsWith('/run');
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('nothing below /run can be written to');
  return found;
}

describe('attempts to get out of the confinement', () => {
  let runner: TestRunner;
  let victim: ChildProcess;
  const servers: Server[] = [];
  const environment: Record<string, string> = {};
  const runSocket = join(writableRun(), `gatehouse-test-${process.pid}.sock`);

  const listen = (where: { path: string } | { port: number; host: string }): Promise<Server> =>
    new Promise((resolve, reject) => {
      // One of that name may be left by a run that was killed.
      if ('path' in where && !where.path.startsWith('\0')) rmSync(where.path, { force: true });
      const server = createServer((socket) => socket.destroy());
      server.once('error', reject);
      server.listen(where, () => resolve(server));
    });

  beforeAll(async () => {
    Object.assign(environment, { PATH: process.env['PATH'] ?? '', ABSTRACT: `gatehouse-test-${process.pid}` });
    runner = await openTestRunner(environment);
    const home = join(runner.outside, 'home');
    victim = spawn('sleep', ['600'], { env: { MARKER: 'planted-secret' }, stdio: 'ignore' });
    const homeSocket = join(home, 'agent.sock');
    mkdirSync(home);
    servers.push(
      await listen({ path: runSocket }),
      await listen({ path: homeSocket }),
      await listen({ path: `\0${environment['ABSTRACT'] ?? ''}` }),
      await listen({ port: 0, host: '127.0.0.1' }),
    );
    const address = servers.at(-1)?.address();
    Object.assign(environment, {
      HOME: home,
      DATA: runner.outputs,
      RUN_SOCKET: runSocket,
      HOME_SOCKET: homeSocket,
      TCP_PORT: typeof address === 'object' && address !== null ? String(address.port) : '',
      VICTIM: String(victim.pid),
    });
  });
  afterAll(async () => {
    victim.kill('SIGKILL');
    for (const server of servers) server.close();
    await runner[Symbol.asyncDispose]();
  });

  /** Everything that the attempts want, as it was. */
  function plant(): void {
    const home = environment['HOME'] ?? '';
    for (const folder of ['.ssh', '.aws']) mkdirSync(join(home, folder), { recursive: true });
    for (const file of ['.ssh/id_rsa', '.aws/credentials', '.netrc', '.bash_history', 'plain.txt', '.bashrc']) {
      writeFileSync(join(home, file), 'secret\n');
    }
    chmodSync(join(home, 'plain.txt'), 0o600);
    writeFileSync(join(runner.outputs, 'journal'), 'secret\n');
    rmSync(join(runner.workspace), { recursive: true, force: true });
    mkdirSync(runner.workspace);
    execFileSync('git', ['init', '-q'], { cwd: runner.workspace, env: { PATH: process.env['PATH'] } });
    for (const folder of ['.gatehouse', '.vscode', '.git/hooks']) {
      mkdirSync(join(runner.workspace, folder), { recursive: true });
    }
    for (const file of ['.gatehouse/config.toml', '.vscode/tasks.json', '.envrc']) {
      writeFileSync(join(runner.workspace, file), 'mine\n');
    }
  }

  const settings = {
    env_allowlist: ['DATA', 'RUN_SOCKET', 'HOME_SOCKET', 'ABSTRACT', 'TCP_PORT', 'VICTIM'],
  };

  it.each(ATTEMPTS)('$name', async ({ command, possible }) => {
    plant();
    const confined = await runner.run(command, { settings: { ...settings, confinement: 'required' } });
    expect(confined.confinement).toBe('confined');
    expect(`${confined.stdout}${confined.stderr}`).not.toContain('ESCAPED');
    expect(confined.ending).not.toEqual({ kind: 'exited', code: 0 });
    expect(victim.exitCode).toBeNull();
    expect(readFileSync(join(runner.workspace, '.gatehouse/config.toml'), 'utf8')).toBe('mine\n');
    if (possible !== true) return;
    plant();
    const open = await runner.run(command, { settings: { ...settings, confinement: 'off' } });
    expect(open.stdout, open.stderr).toContain('ESCAPED');
  });

  it('a fork bomb is ended, and nothing of it is left', async () => {
    const { ending } = await runner.run(
      'f() { [ "$1" -gt 0 ] || { sleep 600; return; }; f $(($1-1)) & f $(($1-1)) & wait; }; f 9',
      {
        settings: { confinement: 'required', max_processes: 60 },
      },
    );
    expect(ending).toMatchObject({ kind: 'limit', limit: 'max_processes' });
    expect(runner.log).toEqual([]);
  });

  it('work in the workspace and in a private /tmp goes on as ever', async () => {
    plant();
    const command =
      'echo x > a && mv a b && git add b && git -c user.name=n -c user.email=e@x commit -qm m && echo y > /tmp/mine && cat b /tmp/mine';
    // `.git` is for Git alone; this is a call that may write to it.
    const mayLeave = { git: true };
    const { ending, stdout, stderr } = await runner.run(command, { settings: { confinement: 'required' }, mayLeave });
    expect({ ending, stdout, stderr }).toEqual({ ending: { kind: 'exited', code: 0 }, stdout: 'x\ny\n', stderr: '' });
    expect(existsSync('/tmp/mine')).toBe(false);
  });

  it.each(ATTEMPTS)('with any host allowed: $name', async ({ command }) => {
    plant();
    const result = await runner.run(command, { settings: { ...settings, confinement: 'required' }, network: 'any' });
    expect(result.confinement).toBe('network');
    expect(`${result.stdout}${result.stderr}`).not.toContain('ESCAPED');
    expect(victim.exitCode).toBeNull();
  });

  it('allowed for one call, the network is there for that call alone; files stay confined', async () => {
    plant();
    const command =
      'echo "[$https_proxy]"; touch ~/left 2>/dev/null; cat ~/.ssh/id_rsa 2>/dev/null; tail -n +3 /proc/net/dev';
    const confined = { ...settings, confinement: 'required', network: false } as const;
    const granted = await runner.run(command, { settings: confined, network: 'any' });
    // In a network of its own in which nobody else is, with or without a way out.
    const alone = /^\s*lo:[^\n]*\n$/u;
    expect(granted).toMatchObject({ confinement: 'network', networkUse: { reached: [], refused: [] } });
    expect(granted.stdout).toMatch(/^\[http:\/\/127\.0\.0\.1:3128\]\n/u);
    expect(granted.stdout.replace(/^[^\n]*\n/u, '')).toMatch(alone);
    const next = await runner.run(command, { settings: confined });
    expect(next).toMatchObject({ confinement: 'confined', networkUse: null });
    expect(next.stdout).toMatch(/^\[\]\n/u);
    expect(next.stdout.replace(/^[^\n]*\n/u, '')).toMatch(alone);
    expect(existsSync(join(runner.outside, 'left'))).toBe(false);
  });

  it('no command can make believe that it never ran', async () => {
    plant();
    const command = 'echo x > made; echo "bwrap: Can\'t mount it: No such thing" >&2; exit 1';
    const { ending, confinement, changedFiles } = await runner.run(command, { settings: { confinement: 'required' } });
    expect({ ending, confinement }).toEqual({ ending: { kind: 'exited', code: 1 }, confinement: 'confined' });
    expect(changedFiles.map(({ path }) => path)).toEqual(['made']);
  });

  it('nothing that is open in Gatehouse is open in a command', async () => {
    const { stdout } = await runner.run('for fd in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && echo $fd; done', {
      settings: { confinement: 'required' },
    });
    expect(stdout).toBe('');
  });

  it('a socket in a folder that is closed to us does not stop a command', async () => {
    const closed = join(runner.outside, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    servers.push(await listen({ path: join(closed, 'agent.sock') }));
    // Only root can give it away, and only root has somebody else's in reach.
    if (process.getuid?.() === 0) chownSync(closed, 65_534, 65_534);
    const { ending } = await runner.run('echo x', { settings: { confinement: 'required' } });
    expect(ending).toEqual({ kind: 'exited', code: 0 });
  });
});

it('a socket that is closed between a look and the start does not stop a command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bwrap-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(homedir(), `.gatehouse-test-${process.pid}.sock`);
  const slow = join(folder, 'bwrap');
  // The real one, after the socket that it is told to cover is gone.
  writeFileSync(slow, `#!/bin/sh\nrm -f ${socket}\nexec bwrap "$@"\n`, { mode: 0o755 });
  await using runner = await openTestRunner(undefined, { bubblewraps: [slow] });
  await runner.runner.confinement();
  const server = createServer();
  rmSync(socket, { force: true });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  const { ending, stdout } = await runner.run('echo x', { settings: { confinement: 'required' } });
  expect({ ending, stdout }).toEqual({ ending: { kind: 'exited', code: 0 }, stdout: 'x\n' });
});
