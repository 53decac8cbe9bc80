import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Engine, findEngine } from './engines.js';
import { makeShellImage } from './shell-image.test-support.js';
import { inside, openTestWorkers, type TestWorkers } from './workers.test-support.js';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-build-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const file = async (name: string, text: string): Promise<string> => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const found = await findEngine({ environment: process.env, file }, ['podman']);
mkdirSync(join(place, 'image'));
const why =
  found.by === null
    ? found.problem
    : makeShellImage(join(place, 'image'))
      ? null
      : 'perl-base and busybox are not as Debian has them.';
if (why !== null) process.stderr.write(`Images are not built here: ${why}\n`);
const engine = found as Engine;

const SERVES = 'ENV PATH=/usr/bin:/bin\nCMD ["/usr/bin/perl", "/shell-server.pl"]\n';

async function startBuilt(workers: TestWorkers, steps: string) {
  writeFileSync(join(place, 'image', 'Containerfile'), `FROM scratch\nCOPY root/ /\n${steps}\n${SERVES}`);
  const wanted = workers.plan({ packageFolder: place, runs: { kind: 'build', folder: 'image', port: 8080 } });
  return workers.started(wanted);
}

describe.skipIf(why !== null)('an image that is built for a worker', () => {
  it('is built by steps that have no rights, no network, nothing of our environment, and the worker’s bounds', async () => {
    process.env['http_proxy'] = 'http://somebody:password@proxy.invalid:1';
    onTestFinished(() => void delete process.env['http_proxy']);
    await using workers = await openTestWorkers();
    const eats = `perl -e 'my $all = "x" x 1000000000; print "ate it all"' >ate || echo ended >>ate`;
    const notes = `grep ^Cap /proc/self/status >rights; tail -n +3 /proc/net/dev >net; env >env; ls /dev/mem >devices; ${eats}; true`;
    await using worker = await startBuilt(workers, `WORKDIR /said\nRUN ["/bin/sh", "-c", ${JSON.stringify(notes)}]`);
    const read = (name: string): Promise<string> => inside(worker, `cat /said/${name}`);
    expect(await read('rights')).toMatch(/^(?:Cap\w+:\t0+\n){5}$/u);
    expect((await read('net')).replaceAll(/^ *lo:.*\n/gmu, '')).toBe('');
    expect(await read('env')).not.toContain('proxy');
    expect(await read('devices')).toBe('');
    if (engine.holds.memory) expect(await read('ate')).toBe('ended\n');
  });

  it('never gets what a Containerfile would have the engine fetch', async () => {
    let asked = 0;
    const server = createServer((_, answer) => void answer.end(`${(asked += 1)}`)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using workers = await openTestWorkers();
    for (const step of [
      `ADD http://${address}/x /x`,
      `ARG FROM=http://${address}/x\nADD $FROM /x`,
      `RUN --network=host perl -e 'print 1'`,
      'COPY --from=localhost/other /x /x',
    ])
      await expect(startBuilt(workers, step)).rejects.toThrow(/^Containerfile:\d+: /u);
    expect(asked).toBe(0);
  });

  it('has no volume beside what bounds a worker', async () => {
    await using workers = await openTestWorkers();
    await using worker = await startBuilt(workers, 'WORKDIR /kept\nVOLUME /kept');
    expect(await inside(worker, 'touch /kept/x || echo refused')).toContain('refused');
  });
});
