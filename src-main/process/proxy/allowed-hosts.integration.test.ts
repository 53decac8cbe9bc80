import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestRunner, type RunOptions, type TestRunner } from '../process.test-support.js';

/** The list of hosts as commands meet it: confined, with real servers outside. */
let runner: TestRunner;
let site: HttpServer;
let echo: Server;
let files = '';
let port = 0;
let echoPort = 0;
let underWay = 0;
let mostUnderWay = 0;

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

beforeAll(async () => {
  runner = await openTestRunner();
  files = join(runner.outside, 'site');
  mkdirSync(files);
  writeFileSync(join(files, 'hello'), 'hello\n');
  writeFileSync(join(files, 'large'), Buffer.alloc(20_000_000, 'a line that is told apart by where it stands\n'));
  site = createHttpServer((request, response) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    response.once('close', () => (underWay -= 1));
    const path = join(files, (request.url ?? '').split('?', 1)[0] ?? '');
    // Slow enough that many requests are under way at once.
    setTimeout(() => {
      try {
        response.end(readFileSync(path));
      } catch {
        response.writeHead(404).end('nothing there\n');
      }
    }, 20);
  });
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  port = await listening(site);
  echoPort = await listening(echo);
});
afterAll(async () => {
  site.closeAllConnections();
  site.close();
  echo.close();
  await runner[Symbol.asyncDispose]();
});

const run = (command: string, hosts: readonly string[], settings: RunOptions['settings'] = {}) =>
  runner.run(command, { settings: { confinement: 'required', allowed_hosts: [...hosts], ...settings } });

/** A small HTTP client that does as the proxy variables say; the machine may have no other. */
const get = (url: string): string =>
  `perl -MSocket -e 'my ($h, $p) = $ENV{http_proxy} =~ m{^http://(.*):(\\d+)$} or die "no proxy\\n"; socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in($p, inet_aton($h))) or die "refused: $!\\n"; syswrite S, "GET ${url} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"; local $/; my ($head, $body) = split /\\r\\n\\r\\n/, <S>, 2; print $body; exit($head =~ m{^HTTP/1.1 200} ? 0 : 1)'`;
const direct = (host: string, to: string): string =>
  `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(${to}, inet_aton("${host}"))) or die "refused: $!\\n"; print "ESCAPED\\n"'`;

describe('a command with a list of hosts', () => {
  it('reaches a host of the list; the result says what was in force and what it asked for', async () => {
    const result = await run(get(`http://127.0.0.1:${port}/hello`), ['127.0.0.1']);
    expect(result).toMatchObject({
      ending: { kind: 'exited', code: 0 },
      stdout: 'hello\n',
      stderr: '',
      confinement: 'network',
      networkUse: { reached: [`127.0.0.1:${port}`], refused: [] },
    });
  });

  it('is refused every other, is told so, and so is the person', async () => {
    const command = `${get(`http://127.0.0.1:${port}/hello`)}; ${get('http://example.org/')}`;
    const result = await run(command, ['example.com', `127.0.0.1:${port + 1}`]);
    expect(result.ending).toEqual({ kind: 'exited', code: 1 });
    expect(result.stdout).toContain('Gatehouse: example.org:80 is not among the hosts that this command may reach');
    expect(result.networkUse).toEqual({ reached: [], refused: [`127.0.0.1:${port}`, 'example.org:80'] });
  });

  it('gets nowhere past the proxy', async () => {
    for (const attempt of [direct('127.0.0.1', String(port)), direct('192.0.2.1', '80')]) {
      const result = await run(attempt, ['127.0.0.1', '192.0.2.1']);
      expect(result.stdout).toBe('');
      expect(result.stderr).toContain('refused:');
    }
  });

  it('is as confined as any other in all else', async () => {
    const secret = join(runner.outside, '.ssh');
    mkdirSync(secret, { recursive: true });
    writeFileSync(join(secret, 'id'), 'secret\n');
    const result = await run(
      'cat ~/.ssh/id; touch ~/planted; ls /run; grep ^CapEff /proc/self/status; ls /proc | grep -c "^[0-9]"',
      ['example.com'],
    );
    expect(result.stdout).not.toContain('secret');
    expect(readdirSync(runner.outside)).not.toContain('planted');
    expect(result.stdout).toMatch(/^gatehouse-network\nCapEff:\s+0+\n/u);
  });

  it('carries much, whole', async () => {
    const fetchIt = get(`http://127.0.0.1:${port}/large`);
    const { stdout } = await run(`${fetchIt} | sha256sum`, ['127.0.0.1']);
    expect(stdout.split(' ')[0]).toBe(
      createHash('sha256')
        .update(readFileSync(join(files, 'large')))
        .digest('hex'),
    );
  });

  it('may ask for many things at once', async () => {
    mostUnderWay = 0;
    const command = `for i in $(seq 40); do ${get(`http://127.0.0.1:${port}/hello`)} & done; wait`;
    const { stdout } = await run(command, ['127.0.0.1']);
    expect(stdout).toBe('hello\n'.repeat(40));
    expect(mostUnderWay).toBeGreaterThan(1);
  });

  it('has tunnels, both ways, each closed by who is done', async () => {
    const command = `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(3128, INADDR_LOOPBACK)); syswrite S, "CONNECT localhost:${echoPort} HTTP/1.1\\r\\n\\r\\n"; sysread S, my $head, 1000; my $sent = "x" x 2_000_000; if (fork) { my $got = ""; while (sysread S, my $part, 65536) { $got .= $part } print $head =~ m{ 200 } && $got eq $sent ? "whole\\n" : "not whole\\n" } else { for (my $at = 0; $at < length $sent;) { $at += syswrite S, $sent, 65536, $at } shutdown S, 1 }'`;
    expect((await run(command, [`localhost:${echoPort}`])).stdout).toBe('whole\n');
  });

  it('works for programs that know nothing of us', async () => {
    execFileSync('git', ['init', '-q', '--bare', 'repository.git'], { cwd: files });
    const head = createHash('sha1').update('any').digest('hex');
    writeFileSync(join(files, 'repository.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(files, 'repository.git/info'), { recursive: true });
    writeFileSync(join(files, 'repository.git/info/refs'), `${head}\trefs/heads/main\n`);
    const list = `git ls-remote http://127.0.0.1:${port}/repository.git`;
    expect((await run(list, ['127.0.0.1'])).stdout).toContain(`${head}\trefs/heads/main`);
    const refused = await run(list, [`127.0.0.1:${port + 1}`]);
    expect(refused.stderr).toContain('403');
  });

  it('reaches what it serves itself, without asking anybody', async () => {
    const command = `perl -MSocket -e 'socket(L, PF_INET, SOCK_STREAM, 0); bind(L, sockaddr_in(8000, INADDR_LOOPBACK)); listen(L, 1); if (fork) { accept(C, L); print C "mine\\n"; close C; wait } else { socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(8000, INADDR_LOOPBACK)); print while <S> }'; echo $no_proxy $NO_PROXY`;
    expect((await run(command, ['example.com'])).stdout).toBe(
      'mine\nlocalhost,127.0.0.1,::1 localhost,127.0.0.1,::1\n',
    );
    const { stdout } = await run('echo $no_proxy', ['localhost:5432', '127.0.0.1']);
    expect(stdout).toBe('::1\n');
  });
});

describe('the bridge to the proxy disturbs no command', () => {
  it('no program waits for the bridge, however thoroughly it waits for its children', async () => {
    const waits = `exec perl -e '1 while wait > 0; print "waited\\n"'`;
    expect(await run(waits, ['example.com'])).toMatchObject({ ending: { code: 0 }, stdout: 'waited\n', stderr: '' });
  });

  it('a signal to the whole group does not end the bridge', async () => {
    const command = `trap : TERM; kill -TERM 0; ${get(`http://127.0.0.1:${port}/hello`)}`;
    expect((await run(command, ['127.0.0.1'])).stdout).toBe('hello\n');
  });

  it('a command that ends the bridge on purpose ends only its own network', async () => {
    const command = `for p in /proc/[0-9]*; do grep -qs ^gatehouse $p/comm && kill -9 \${p#/proc/}; done; sleep 0.1; ${direct('127.0.0.1', '3128')}`;
    const { stderr } = await run(command, ['127.0.0.1']);
    expect(stderr).toContain('refused:');
  });

  it('the bridge takes nothing from what a command may start', async () => {
    const command = 'for i in 1 2 3 4 5; do sleep 1 & done; wait; echo done';
    expect((await run(command, ['example.com'], { max_processes: 8 })).stdout).toBe('done\n');
  });

  it('the exit code is the command’s, and so is the signal', async () => {
    expect((await run('exit 7', ['example.com'])).ending).toEqual({ kind: 'exited', code: 7 });
    expect((await run('kill -SEGV $$', ['example.com'])).ending).toEqual({
      kind: 'signalled',
      signal: 'SIGSEGV',
      code: 139,
    });
  });

  it('nothing of the bridge is left after twenty commands', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length;
    await run('true', ['127.0.0.1']);
    const before = descriptors();
    for (let index = 0; index < 20; index += 1) await run(get(`http://127.0.0.1:${port}/hello`), ['127.0.0.1']);
    await expect.poll(descriptors).toBeLessThanOrEqual(before + 2);
    expect(runner.log).toEqual([]);
  });
});

describe('settings of confinement and network together', () => {
  it.each([
    ['with the network on for all commands', { network: true }, []],
    ['with the network allowed for one call', { network: false }, 'any'],
  ] as const)(
    '%s, any host is tried, through the proxy alone; this machine where the list names it',
    async (_, on, once) => {
      const settings = { confinement: 'required' as const, allowed_hosts: [`127.0.0.1:${port}`], ...on };
      const hello = `http://127.0.0.1:${port}/hello`;
      const command = `echo "[$http_proxy]"; ${get(hello)}; ${get('http://nothing.invalid/')}; ${get(`http://127.0.0.1:${echoPort}/`)}; ${direct('127.0.0.1', String(port))}`;
      const result = await runner.run(command, { settings, network: once });
      const lines = result.stdout.split('\n').filter((line) => /^(?:\[|hello|Gatehouse|ESCAPED)/u.test(line));
      expect(lines).toEqual([
        '[http://127.0.0.1:3128]',
        'hello',
        expect.stringContaining('nothing.invalid:80 could not be reached:'),
        expect.stringContaining(`127.0.0.1:${echoPort} is this machine or next to it`),
      ]);
      expect(result).toMatchObject({
        confinement: 'network',
        networkUse: { reached: [`127.0.0.1:${port}`], refused: [`127.0.0.1:${echoPort}`] },
      });
    },
  );

  it('an unconfined command has nothing to let through', async () => {
    const result = await run('echo "[$http_proxy]"', ['example.com'], { confinement: 'off' });
    expect(result).toMatchObject({ stdout: '[]\n', confinement: 'unconfined', networkUse: null });
  });

  it('an empty list is no network', async () => {
    const result = await run(direct('127.0.0.1', String(port)), []);
    expect(result).toMatchObject({ stdout: '', confinement: 'confined', networkUse: null });
  });

  it('a list of hosts that can’t be right stops the command, with what to write', async () => {
    const result = await run('echo ran', ['https://example.com/']);
    expect(result.stdout).toBe('');
    expect(result.ending).toMatchObject({
      kind: 'unstartable',
      reason: expect.stringContaining('write it without “https://”') as string,
    });
  });
});

describe('hosts that the person allowed for one call', () => {
  const one = (command: string, network: readonly string[], allowed_hosts: readonly string[] = []) =>
    runner.run(command, { settings: { confinement: 'required', allowed_hosts: [...allowed_hosts] }, network });
  const hello = () => get(`http://127.0.0.1:${port}/hello`);

  it('are reached besides those of the settings, and no other port of this machine with them', async () => {
    const command = `${hello()}; ${get(`http://127.0.0.1:${echoPort}/`)}; ${get('http://example.org/')}`;
    const result = await one(command, [`127.0.0.1:${port}`], ['example.com']);
    expect(result).toMatchObject({
      confinement: 'network',
      networkUse: { reached: [`127.0.0.1:${port}`], refused: [`127.0.0.1:${echoPort}`, 'example.org:80'] },
    });
    expect(result.stdout).toMatch(/^hello\n[\s\S]*example\.org:80 is not among/u);
    expect((await one(hello(), [])).networkUse, 'the next call has none of it').toBeNull();
  });

  it.each([
    ['capitals and a dot behind it', (at: number) => `http://LOCALHOST.:${at}/hello`, true],
    ['a number', (at: number) => `http://2130706433:${at}/hello`, false],
    ['the one that is meant as a user', (at: number) => `http://localhost:${at}\\@127.0.0.1:${at}/hello`, false],
    ['a name below it', (at: number) => `http://x.localhost:${at}/hello`, false],
    ['a name that begins alike', (at: number) => `http://localhost.example:${at}/hello`, false],
  ])('are told by what they are: %s', async (_what, url, reached) => {
    const result = await one(get(url(port)), [`localhost:${port}`]);
    expect(result.stdout === 'hello\n').toBe(reached);
    expect(result.networkUse?.[reached ? 'reached' : 'refused']).toHaveLength(1);
  });

  it('send nobody on: where one of them leads to another, that is asked for, and refused', async () => {
    const other = createHttpServer((_request, response) => response.end('the other\n'));
    const [to, moved] = [await listening(other), createHttpServer()];
    moved.on('request', (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${to}/` }).end());
    const from = await listening(moved);
    const result = await one(`git ls-remote http://127.0.0.1:${from}/a.git`, [`127.0.0.1:${from}`]);
    expect(result.networkUse).toEqual({ reached: [`127.0.0.1:${from}`], refused: [`127.0.0.1:${to}`] });
    other.close();
    moved.close();
  });

  it('are no way past the proxy: a command that names another proxy, or none, has no network', async () => {
    const elsewhere = `http_proxy=http://127.0.0.1:${echoPort} ${hello()}`;
    for (const command of [elsewhere, direct('127.0.0.1', String(port))]) {
      const result = await one(command, [`127.0.0.1:${port}`, `127.0.0.1:${echoPort}`]);
      expect(result.stdout).toBe('');
      expect(result.networkUse).toEqual({ reached: [], refused: [] });
    }
  });
});
