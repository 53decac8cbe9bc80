import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageIds } from '../../domain/ports/sources/worker.js';
import { readImageId } from './container-image.js';
import { type ContainerEngine, findEngine, runEngine } from './engines.js';
import { makeShellImage } from './shell-image.test-support.js';
import { inside, openTestWorkers, type TestWorkers } from './workers.test-support.js';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-build-'));
const file = async (name: string, text: string): Promise<string> => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const found = await findEngine({ environment: process.env, file });
mkdirSync(join(place, 'image'));
const why =
  found.by === null
    ? found.problem
    : found.by !== 'podman'
      ? 'podman builds none here.'
      : makeShellImage(join(place, 'image'))
        ? null
        : 'perl-base and busybox are not as Debian has them.';
if (why !== null) process.stderr.write(`Images are not built here: ${why}\n`);
const engine = found as ContainerEngine;

const SERVES = 'ENV PATH=/usr/bin:/bin\nCMD ["/usr/bin/perl", "/shell-server.pl"]\n';

async function startBuilt(workers: TestWorkers, steps: string, from = 'scratch', bases: ImageIds = {}) {
  writeFileSync(join(place, 'image', 'Containerfile'), `FROM ${from}\nCOPY root/ /\n${steps}\n${SERVES}`);
  return workers.started(
    workers.plan({
      // Its images are not those that other tests remove.
      worker: 'built',
      packageFolder: place,
      runs: { kind: 'build', folder: 'image', bases, port: 8080 },
    }),
  );
}

/** An image of this machine with one text in it; its id. */
async function makeBase(name: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(place, 'base-'));
  writeFileSync(join(folder, 'text'), text);
  writeFileSync(join(folder, 'Containerfile'), 'FROM scratch\nCOPY text /text\n');
  const { code, stderr } = await runEngine(engine, ['build', '--network', 'none', '-t', name, folder]);
  expect(code, stderr).toBe(0);
  return (await readImageId(engine, name)) ?? '';
}

afterAll(async () => {
  if (why === null) {
    const { stdout } = await runEngine(engine, ['images', '-q', 'localhost/gatehouse/tests-built']);
    await runEngine(engine, ['rmi', '-f', ...new Set(stdout.split('\n').filter((id) => id !== ''))]);
  }
  rmSync(place, { recursive: true, force: true });
});

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

  it('holds how many processes its steps begin, also for root', async () => {
    if (!engine.holds.processes || !engine.holds.belowOthers) return;
    await using workers = await openTestWorkers();
    const forks = `perl -e 'my @all; while (@all < 400) { my $one = fork; last if !defined $one; if (!$one) { sleep 60; exit } push @all, $one } print scalar @all; kill 9, @all; 1 while wait > 0' >forked`;
    await using worker = await startBuilt(workers, `WORKDIR /said\nRUN ["/bin/sh", "-c", ${JSON.stringify(forks)}]`);
    const forked = Number(await inside(worker, 'cat /said/forked'));
    expect(forked).toBeGreaterThan(10);
    expect(forked).toBeLessThan(100);
  });

  it('is built on what was accepted, and is what was built, whatever its names stand for', async () => {
    const name = 'localhost/gatehouse-tests/base:1';
    onTestFinished(async () => void (await runEngine(engine, ['rmi', '-f', name])));
    const id = await makeBase(name, 'accepted');
    const builtImages = join(place, 'built-images.json');
    // Each time in another start of the app.
    const text = async (step: string, bases: ImageIds): Promise<string> => {
      await using workers = await openTestWorkers(undefined, { builtImages });
      await using worker = await startBuilt(workers, `WORKDIR /${step}`, name, bases);
      return await inside(worker, 'cat /text');
    };
    await expect(text('one', { [name]: null })).rejects.toThrow('came after the package was accepted');
    await expect(text('one', {})).rejects.toThrow('Nobody accepted');
    expect(await text('one', { [name]: id })).toBe('accepted');
    const built = (
      await runEngine(engine, ['images', '--format', '{{.Repository}}:{{.Tag}}', '--filter', `since=${id}`])
    ).stdout;
    const [ours = ''] = built.split('\n').filter((each) => each.includes('/gatehouse/'));

    const other = await makeBase(name, 'other');
    expect(other).not.toBe(id);
    // What stands by the name of what was built is another, too.
    expect((await runEngine(engine, ['tag', other, ours])).code).toBe(0);
    expect(await text('one', { [name]: id })).toBe('accepted');
    // To be built anew, it needs what was accepted.
    await expect(text('two', { [name]: id })).rejects.toThrow('another image by now');
    expect(await text('two', { [name]: other })).toBe('other');
  });

  it('has no volume beside what bounds a worker', async () => {
    await using workers = await openTestWorkers();
    await using worker = await startBuilt(workers, 'WORKDIR /kept\nVOLUME /kept');
    expect(await inside(worker, 'touch /kept/x || echo refused')).toContain('refused');
  });
});
