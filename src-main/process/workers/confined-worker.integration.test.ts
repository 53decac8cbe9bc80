import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve as absolute } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepPackage, readPackage } from '../../platform/packages/package-files.js';
import { WorkerProblem } from '../../domain/ports/sources/worker.js';
import { inside, openTestWorkers } from './workers.test-support.js';
import { egressReach } from './worker-egress.js';

async function serve(words: string): Promise<number> {
  const server = createServer((_, response) => response.end(words));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('a confined worker', () => {
  it('is reached over its socket, with its secrets and nothing else of an environment', async () => {
    process.env['GATEHOUSE_TEST_SECRET'] = 'planted';
    onTestFinished(() => void delete process.env['GATEHOUSE_TEST_SECRET']);
    await using workers = await openTestWorkers();
    const worker = await workers.start({ secrets: { KEY: 'sk-mine-1234' } });
    expect(worker.isolation).toEqual({ by: 'bubblewrap', lacking: [] });
    const said = await inside(worker, 'env; pwd; id -u; ls');
    expect(said).toContain('KEY=sk-mine-1234\n');
    expect(said).toContain('\n/package\n65534\nshell-server.pl\n');
    expect(said).not.toContain('planted');
    // Its log is fit to be read.
    expect(worker.log()).toBe('ready with [redacted]\n');
    await worker.stop(0);
    expect((await worker.ended).signal).toBe('SIGKILL');
    expect(existsSync(worker.socketPath)).toBe(false);
    expect(readdirSync(workers.runningFolder)).toEqual([]);
    expect(workers.log).toEqual([]);
  });

  it('is started by no program that tools could have put there', async () => {
    const folder = realpathSync(mkdtempSync(absolute('artifacts', 'p-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, '.venv/bin'), { recursive: true });
    const planted = join(folder, '.venv/bin/only-there');
    writeFileSync(planted, '#!/bin/sh\nexec perl shell-server.pl\n', { mode: 0o755 });
    const path = `${join(folder, '.venv/bin')}:/usr/bin:/bin`;
    for (const command of ['only-there', planted]) {
      const runs = { kind: 'command', command: [command], portEnv: 'PORT' } as const;
      await using trusted = await openTestWorkers(undefined, { path });
      expect(await inside(await trusted.start({ runs }), 'echo here')).toBe('here\n');
      await using workers = await openTestWorkers(undefined, { path, writable: [folder] });
      await expect(workers.start({ runs })).rejects.toThrow(WorkerProblem);
    }
  });

  it('sees nothing of a folder that tools may write to, though it lies beside what it is installed in', async () => {
    const folder = realpathSync(mkdtempSync(absolute('artifacts', 'p-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [tool, open] = [join(folder, 'tool'), join(folder, 'tool/open')];
    for (const each of [join(tool, 'bin'), open]) mkdirSync(each, { recursive: true });
    writeFileSync(join(tool, 'bin/prog'), '#!/bin/sh\nexec perl shell-server.pl\n', { mode: 0o755 });
    for (const each of [tool, open]) writeFileSync(join(each, 'lib.txt'), 'seen');
    const path = `${join(tool, 'bin')}:/usr/bin:/bin`;
    await using workers = await openTestWorkers(undefined, { path, writable: [open] });
    const runs = (...command: string[]) => ({ runs: { kind: 'command', command, portEnv: 'PORT' } as const });
    const worker = await workers.start(runs('prog'));
    expect(await inside(worker, `cat ${tool}/lib.txt; ls -A ${open}; touch ${open}/x && echo WROTE`)).toMatch(
      /^seen(?!.*WROTE)(?!\nlib)/su,
    );
    for (const word of [`--lib=${open}/lib.txt`, `${open}/lib.txt`, `-I${open}`])
      await expect(workers.start(runs('prog', word))).rejects.toThrow('where tools may write');
  });

  it('sees an empty file in place of each secret in its own package: what it needs comes by its environment', async () => {
    await using workers = await openTestWorkers();
    const { packageFolder } = workers;
    mkdirSync(join(packageFolder, 'node_modules/jose'), { recursive: true });
    for (const path of ['.env', 'deploy.key', 'node_modules/jose/secrets.js', '.env.example'])
      writeFileSync(join(packageFolder, path), 'planted');
    const read = readPackage(packageFolder);
    if (!read.ok) throw new Error(read.problem);
    const copy = keepPackage(read.read, join(workers.base, 'copies'));
    expect(keepPackage(read.read, join(workers.base, 'copies'))).toBe(copy);
    const worker = await workers.start({ packageFolder: copy, secrets: { KEY: 'sk-mine-1234' } });
    const said = await inside(worker, 'wc -c .env deploy.key .env.example node_modules/jose/secrets.js; echo $KEY');
    expect(said.split('\n').map((line) => line.trim())).toEqual([
      '0 .env',
      '0 deploy.key',
      '7 .env.example',
      '7 node_modules/jose/secrets.js',
      '14 total',
      'sk-mine-1234',
      '',
    ]);
  });

  it('may take its time to listen, and is reached from its first moment on', async () => {
    await using workers = await openTestWorkers();
    const late = ['sh', '-c', 'sleep 0.3; exec perl shell-server.pl'];
    const worker = await workers.start({ runs: { kind: 'command', command: late, portEnv: 'PORT' } });
    expect(await inside(worker, 'echo here')).toBe('here\n');
  });

  it('may listen on either loopback address', async () => {
    await using workers = await openTestWorkers();
    const script = `use IO::Socket::IP; my $s = IO::Socket::IP->new(LocalHost => '::1', LocalPort => $ENV{P}, Listen => 5) or die $!; while (my $c = $s->accept) { while (<$c>) { last if /^\\r?\\n/ } print $c "HTTP/1.0 200 OK\\r\\n\\r\\nsix\\n" }`;
    const worker = await workers.start({
      runs: { kind: 'command', command: ['perl', '-e', script], portEnv: 'P' },
    });
    expect(await inside(worker, '')).toBe('six\n');
  });

  it('reaches its list and nothing else, and what it asked for is told by call', async () => {
    await using workers = await openTestWorkers();
    const [open, closed] = [await serve('reached'), await serve('ESCAPED')];
    const worker = await workers.start({ egress: [`127.0.0.1:${open}`] });
    const first = worker.mark();
    const asks = (port: number, ...more: string[]): string =>
      `curl -s -m 5 ${more.join(' ')} http://127.0.0.1:${port}/ || echo no; `;
    // Its own loopback is not ours, so the proxy has to be named.
    const named = `--noproxy '' -x http://127.0.0.1:3128`;
    expect(await inside(worker, asks(open, named))).toBe('reached');
    expect(worker.trafficSince(first)).toEqual({ reached: [`127.0.0.1:${open}`], refused: [] });
    const second = worker.mark();
    expect(await inside(worker, asks(closed, named))).toContain('is not in the worker’s egress_allowlist');
    expect(await inside(worker, asks(open, `--noproxy '*'`) + asks(closed, `--noproxy '*'`))).toBe('no\nno\n');
    expect(worker.trafficSince(second)).toEqual({ reached: [], refused: [`127.0.0.1:${closed}`] });
    // Whatever a list names: a cloud’s metadata is no worker’s.
    for (const entry of [
      '169.254.169.254:80',
      '[fd00:ec2::254]:80',
      '100.100.100.200:80',
      '0.0.0.0:80',
      '2852039166:80',
    ])
      expect(egressReach([entry, 'example.com:443']), entry).toMatchObject({
        hosts: [{ host: 'example.com' }],
        left: [entry],
      });
    const daring = await workers.start({ egress: ['169.254.169.254:80', 'metadata.google.internal:80'] });
    for (const host of ['169.254.169.254', 'metadata.google.internal'])
      expect(await inside(daring, `curl -s -m 5 ${named} http://${host}/latest/`)).toContain(
        'is not in the worker’s egress_allowlist',
      );
    expect(workers.log.join('\n')).toContain('does not reach 169.254.169.254:80');
    await expect(workers.start({ egress: ['example.com'] })).rejects.toThrow('has no port');
  });

  it('finds the proxy by its environment, in both cases', async () => {
    await using workers = await openTestWorkers();
    const worker = await workers.start({ egress: ['example.com:443'] });
    const said = await inside(worker, 'env | grep -i _proxy= | sort; curl -s -m 5 http://example.org/');
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])
      expect(said).toContain(`${name}=http://127.0.0.1:3128\n`);
    expect(said).toContain('example.org:80 is not in the worker’s egress_allowlist');
  });

  it('that never listens is told as what it is, with what it said', async () => {
    await using workers = await openTestWorkers();
    const runs = (...command: string[]) => ({ runs: { kind: 'command', command, portEnv: 'PORT' } as const });
    await expect(workers.start(runs('sh', '-c', 'echo why >&2; exit 3'))).rejects.toThrow(
      new WorkerProblem('It ended (with exit code 3) before it listened on port 8080. It said: why'),
    );
    await expect(workers.start(runs('no-such-program'))).rejects.toThrow('“no-such-program” is not installed');
    await expect(workers.start(runs('../x'))).rejects.toThrow('no program ../x');
    const stop = new AbortController();
    const starting = workers.runner.start(workers.plan(runs('sleep', '600')), stop.signal);
    stop.abort();
    await expect(starting).rejects.toThrow('stopped before it');
    await expect(workers.start({ secrets: { LD_PRELOAD: '/x.so' } })).rejects.toThrow('LD_PRELOAD');
    expect(existsSync(workers.runningFolder) ? readdirSync(workers.runningFolder) : []).toEqual([]);
  });

  it('runs a program of its package', async () => {
    await using workers = await openTestWorkers();
    writeFileSync(join(workers.packageFolder, 'run.sh'), '#!/bin/sh\nexec perl shell-server.pl\n', { mode: 0o755 });
    const worker = await workers.start({ runs: { kind: 'command', command: ['./run.sh'], portEnv: 'PORT' } });
    expect(await inside(worker, 'echo $0')).toBe('sh\n');
  });
});

describe('the end of a confined worker', () => {
  it('is asked for, and after the grace taken, with all that it started', async () => {
    await using workers = await openTestWorkers();
    const trapping = (what: string) => [
      'sh',
      '-c',
      `trap '${what}' TERM; perl shell-server.pl & while :; do wait; done`,
    ];
    const polite = await workers.start({
      runs: { kind: 'command', command: trapping('echo bye; exit 4'), portEnv: 'PORT' },
    });
    await polite.stop(60_000);
    expect(await polite.ended).toEqual({ code: 4, signal: null, limit: null });
    expect(polite.log()).toContain('bye\n');
    const deaf = await workers.start({ runs: { kind: 'command', command: trapping(':'), portEnv: 'PORT' } });
    await inside(deaf, 'setsid sleep 600 >/dev/null 2>&1 & echo');
    await deaf.stop(100);
    expect((await deaf.ended).signal).toBe('SIGKILL');
    expect(workers.log).toEqual([]);
  });
});
