import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RunningWorker, WorkerPlan } from '../../domain/ports/sources/worker.js';
import { systemCallsOf } from '../confinement/seccomp/system-calls.js';
import { inside, type TestWorkers } from './workers.test-support.js';

/**
 * An attempt to escape: it says ESCAPED if it gets what it wants. Those marked `possible` do get it outside a worker,
 * on this machine and in the same words, which shows that it is the worker’s isolation that refuses them.
 */
interface WorkerEscape {
  readonly name: string;
  readonly script: string;
  readonly possible?: true;
}

const perl = (code: string): string => `perl -MSocket -e '${code}'`;
const REFUSED = 'or die "refused: $!\\n"; print "ESCAPED\\n"';
const connectUnix = (path: string): string =>
  perl(`socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un(${path})) ${REFUSED}`);
const connectInet = (host: string, port: string): string =>
  perl(
    `alarm 5; socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(${port}, inet_aton("${host}"))) ${REFUSED}`,
  );
/** The worker’s only way out, asked for what it must not give. */
const through = (request: string): string =>
  perl(
    `alarm 20; socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(3128, inet_aton("127.0.0.1"))) or die $!; ` +
      `syswrite S, "${request} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"; my $l = <S> // "nothing"; print $l =~ / (200|301|302|404) / ? "ESCAPED $l" : "refused: $l"`,
  );
const tunnel = (to: string): string => through(`CONNECT ${to}`);
const calls = systemCallsOf(process.arch)?.numbers;
const systemCall = (name: keyof NonNullable<typeof calls>, ...args: string[]): string =>
  perl(`my $got = syscall(${[calls?.[name] ?? -1, ...args].join(', ')}); $got >= 0 ${REFUSED}`);
const socketOf = (family: number, type: number, protocol = 0): string =>
  perl(`socket(S, ${family}, ${type}, ${protocol}) ${REFUSED}`);
const got = (command: string): string => `${command} && echo ESCAPED`;

const ESCAPES: readonly WorkerEscape[] = [
  { name: 'reads a file of the person', script: got('cat $OUT/plain.txt'), possible: true },
  { name: 'reads it through the first process', script: got('cat /proc/1/root$OUT/plain.txt') },
  { name: 'reads it through a link', script: got('ln -sfn $OUT /tmp/l; cat /tmp/l/plain.txt'), possible: true },
  { name: 'reads the list of what runs', script: got('ls $RUNNING/*.json'), possible: true },
  { name: 'reads who may log in', script: got('test -s /etc/shadow') },
  { name: 'sees who has a home', script: got('ls /home/* /root/.[a-z]*') },
  { name: 'writes into its package', script: got('touch $PACKAGE/planted') },
  { name: 'writes into the root', script: got('touch /planted') },
  { name: 'writes into the system', script: got('touch /usr/planted || touch /bin/planted || touch /etc/planted') },
  { name: 'mounts it anew to write', script: got('mount -o remount,rw / && touch /planted') },
  {
    name: 'reads the environment of another',
    script: got('grep -qs planted-secret /proc/[0-9]*/environ'),
    possible: true,
  },
  { name: 'sees a process outside', script: got('grep -qs VICTIM-$WORD /proc/[0-9]*/cmdline'), possible: true },
  {
    name: 'signals a process outside',
    script: got('grep -qs VICTIM-$WORD /proc/$VICTIM/cmdline && kill -0 $VICTIM'),
    possible: true,
  },
  { name: 'finds what another worker keeps', script: got('ls /tmp/of-another-worker') },
  { name: 'sees what another worker runs', script: got('grep -qs ANOTHER-$WORD /proc/[0-9]*/cmdline'), possible: true },
  { name: 'asks another worker over its socket', script: connectUnix('"$ENV{OTHER}"'), possible: true },
  { name: 'asks the gateway over its socket', script: connectUnix('"$ENV{OUT}/gateway.sock"'), possible: true },
  { name: 'asks over an abstract socket', script: connectUnix('"\\0$ENV{WORD}"'), possible: true },
  { name: 'asks the gateway over the loopback', script: connectInet('127.0.0.1', '$ENV{TCP}'), possible: true },
  { name: 'asks the gateway through the proxy', script: tunnel('127.0.0.1:$ENV{TCP}') },
  { name: 'asks it as localhost', script: tunnel('localhost:$ENV{TCP}') },
  {
    name: 'asks it in other spellings',
    script: `${tunnel('0x7f.1:$ENV{TCP}')}; ${tunnel('2130706433:$ENV{TCP}')}; ${tunnel('[::ffff:127.0.0.1]:$ENV{TCP}')}; ${tunnel('0.0.0.0:$ENV{TCP}')}`,
  },
  { name: 'asks it in plain', script: through('GET http://127.0.0.1:$ENV{TCP}/v1/tools') },
  { name: 'asks the proxy for itself', script: tunnel('127.0.0.1:3128') },
  { name: 'asks a cloud’s metadata', script: connectInet('169.254.169.254', '80') },
  { name: 'asks it through the proxy', script: through('GET http://169.254.169.254/latest/meta-data/') },
  {
    name: 'asks it in other spellings, too',
    script: `${tunnel('2852039166:80')}; ${tunnel('[fd00:ec2::254]:80')}; ${tunnel('metadata.google.internal:80')}`,
  },
  { name: 'reaches the network', script: connectInet('192.0.2.1', '80') },
  {
    name: 'sends a datagram to a name server',
    script: perl(
      `socket(S, PF_INET, SOCK_DGRAM, 0); send(S, "x", 0, sockaddr_in(53, inet_aton("192.0.2.53"))) ${REFUSED}`,
    ),
  },
  {
    name: 'looks up a name',
    script: perl('alarm 5; gethostbyname("example.org") or die "refused\\n"; print "ESCAPED\\n"'),
  },
  { name: 'opens a raw socket', script: socketOf(2, 3, 1), possible: true },
  { name: 'opens a packet socket', script: socketOf(17, 3, 0), possible: true },
  {
    name: 'has a right of root',
    script: got(`grep -q '^Cap\\(Eff\\|Prm\\|Inh\\|Bnd\\|Amb\\):.*[1-9a-f]' /proc/self/status`),
    possible: true,
  },
  { name: 'can get new rights', script: got(`grep -q '^NoNewPrivs:.*0' /proc/self/status`), possible: true },
  { name: 'is root', script: got('test "$(id -u)" = 0'), possible: true },
  {
    name: 'becomes root by a file',
    script: got('cp /bin/sh /tmp/suid && chmod 6755 /tmp/suid && test "$(/tmp/suid -pc "id -u")" = 0'),
  },
  { name: 'mounts memory', script: got('mkdir -p /tmp/m && mount -t tmpfs none /tmp/m') },
  { name: 'makes namespaces of its own', script: systemCall('unshare', '0x10000000 | 0x00020000'), possible: true },
  { name: 'changes its root', script: perl(`chroot("/tmp") ${REFUSED}`), possible: true },
  {
    name: 'enters another’s network',
    script: perl(
      `open(N, "<", "/proc/1/ns/net") or die "refused: $!\\n"; syscall(${calls?.setns ?? -1}, fileno(N), 0) == 0 ${REFUSED}`,
    ),
  },
  { name: 'makes a device', script: perl(`syscall(133, "/tmp/device", 0060666, 2049) == 0 ${REFUSED}`) },
  {
    name: 'reads the machine’s devices',
    script: got('cat /dev/kmsg </dev/null || head -c1 /dev/mem || head -c1 /dev/vda || head -c1 /dev/sda'),
  },
  { name: 'changes what the kernel runs', script: got('echo "|/tmp/x" >/proc/sys/kernel/core_pattern') },
  { name: 'presses the kernel’s keys', script: got('test -w /proc/sysrq-trigger && : >/proc/sysrq-trigger') },
  { name: 'loads a program into the kernel', script: systemCall('bpf', '5', 'my $p = "\\0" x 120', '120') },
  { name: 'loads a module', script: systemCall('init_module', 'my $p = "\\0" x 120', '120', 'my $q = ""') },
  { name: 'uses the session’s keys', script: systemCall('keyctl', '0', '-3', '0') },
  { name: 'opens a file by its number', script: systemCall('open_by_handle_at', '-100', 'my $p = "\\0" x 120', '0') },
  { name: 'fills a disk', script: got('dd if=/dev/zero of=/tmp/full bs=1048576 count=2000') },
  { name: 'fills the shared memory', script: got('dd if=/dev/zero of=/dev/shm/full bs=1048576 count=200') },
];

export const escapesTried = ESCAPES.length;

export interface Prison extends AsyncDisposable {
  /** The attempts that escaped from inside; none should. */
  escapedFrom(worker: RunningWorker): Promise<readonly string[]>;
  /** The attempts marked `possible` that fail outside too, and so prove nothing. */
  impossibleOutside(): readonly string[];
}

/** Prepares the targets: files, sockets, ports and processes outside, and another worker. */
export async function openPrison(workers: TestWorkers, plan: WorkerPlan, packageInside: string): Promise<Prison> {
  const out = join(workers.base, 'outside');
  mkdirSync(out);
  writeFileSync(join(out, 'plain.txt'), 'planted');
  const word = `w${process.pid}`;
  const other = await workers.runner.start(plan, new AbortController().signal);
  const victim = spawn('sleep', ['600'], {
    argv0: `VICTIM-${word}`,
    env: { ...process.env, KEY: 'planted-secret' },
    stdio: 'ignore',
  });
  await inside(other, `echo >/tmp/of-another-worker; sh -c 'sleep 600; :' ANOTHER-${word} >/dev/null 2>&1 & echo`);
  const servers: Server[] = [];
  const listen = async (where: string | { port: number; host: string }): Promise<Server> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
    servers.push(server.listen(where));
    await once(server, 'listening');
    return server;
  };
  await listen(join(out, 'gateway.sock'));
  await listen(`\0${word}`);
  const tcp = await listen({ port: 0, host: '127.0.0.1' });
  const address = tcp.address();
  const variables = {
    OUT: out,
    RUNNING: workers.runningFolder,
    PACKAGE: packageInside,
    WORD: word,
    VICTIM: String(victim.pid),
    OTHER: other.socketPath,
    TCP: String(typeof address === 'object' ? address?.port : 0),
  };
  const set = Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('; ');
  return {
    async escapedFrom(worker) {
      const escaped: string[] = [];
      for (const { name, script } of ESCAPES) {
        const said = await inside(worker, `cd /tmp; ${set}; ${script}`);
        if (said.includes('ESCAPED')) escaped.push(`${name}: ${said}`);
      }
      return escaped;
    },
    impossibleOutside() {
      const place = join(workers.base, 'bench');
      mkdirSync(place);
      // What it would do to the machine is done to a folder: outside there is nothing to stop it.
      const run = (script: string): string =>
        spawnSync('sh', ['-c', `${set}; ${script.replaceAll('/tmp', place)}`], { encoding: 'utf8', cwd: place }).stdout;
      return ESCAPES.filter(({ possible, script }) => possible && !run(script).includes('ESCAPED')).map(
        ({ name }) => name,
      );
    },
    async [Symbol.asyncDispose]() {
      victim.kill('SIGKILL');
      for (const server of servers) server.close();
      await other.stop(0);
    },
  };
}

/** The resources that a worker could take of this machine; whoever is outside goes on. */
export interface TakenResources {
  /** The memory taken by one process that wants eight times what it may have. */
  readonly memory: 'all' | 'held down';
  /** How many of six processes, which together want more than all may have, got theirs. */
  readonly together: number;
  /** The outcome of three thousand forks: held down, or ended with its own limit. */
  readonly processes: string;
}

export async function takenBy(workers: TestWorkers, plan: WorkerPlan): Promise<TakenResources> {
  const start = (): Promise<RunningWorker> => workers.runner.start(plan, new AbortController().signal);
  const greedy = await start();
  const eats = `perl -e 'my @all; push @all, "x" x 1048576 for 1 .. 2000; print "ESCAPED\\n"'`;
  const said = await inside(greedy, eats).catch(() => 'ended');
  const together = Array.from(
    { length: 6 },
    () => `perl -e 'my $x = "x" x 100000000; sleep 3; print "held\\n"' &`,
  ).join(' ');
  const held = await inside(greedy, `${together} wait`).catch(() => 'ended');
  await greedy.stop(0);
  const bomb = await start();
  const forks = inside(
    bomb,
    `perl -e 'my $n = 0; while ($n < 3000) { defined(my $p = fork) or last; $p or do { sleep 20; exit }; $n++ } print "made $n\\n"; kill 9, 0'`,
  );
  const made = await Promise.race([
    forks.catch(() => 'ended'),
    bomb.ended.then(() => 'ended'),
    setTimeout(60_000, 'never', { ref: false }),
  ]);
  await bomb.stop(0);
  return {
    memory: said.includes('ESCAPED') ? 'all' : 'held down',
    together: held.split('held').length - 1,
    processes: made,
  };
}
