import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ContainerEngine, findEngine, runEngine } from '../../process/workers/engines.js';
import { makeShellImage } from '../../process/workers/shell-image.test-support.js';
import { openTestWorkers } from '../../process/workers/workers.test-support.js';
import { manifestText, openDomainGate } from './domain-gate.test-support.js';

/** A worker in Perl: it says whose image it is of. */
const serverOf = (by: string): string => String.raw`
use strict; use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 32) or die "no port: $!";
while (my $client = $server->accept) {
  my $length = 0;
  while (my $line = <$client>) { $length = $1 if $line =~ /^content-length: (\d+)/i; last if $line =~ /^\r?\n$/ }
  read $client, my $body, $length;
  my ($trace) = $body =~ /"trace_id":"([^"]*)"/; my ($run) = $body =~ /"tool_run_id":"([^"]*)"/;
  my $said = qq({"ok":true,"meta":{"trace_id":"$trace","tool_run_id":"$run"},"output":{"by":"${by}"}});
  print $client "HTTP/1.1 200 OK\r\nContent-Length: ", length $said, "\r\nConnection: close\r\n\r\n", $said;
  close $client;
}
`;

const place = mkdtempSync(join(tmpdir(), 'gatehouse-images-'));
const file = async (name: string, text: string): Promise<string> => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const engine = await findEngine({ environment: process.env, file });
const why = engine.by === null ? engine.problem : null;
if (why !== null) process.stderr.write(`Images of packages are not tried here: ${why}\n`);

const NAME = `localhost/gatehouse-tests/accepted-${process.pid}`;

describe.skipIf(why !== null)('an image is what its name stood for when it was accepted', () => {
  const found = engine as ContainerEngine;
  const make = async (by: string): Promise<void> => {
    const folder = mkdtempSync(join(place, 'image-'));
    expect(makeShellImage(folder, serverOf(by))).toBe(true);
    const built = await runEngine(found, ['build', '--network', 'none', '-t', `${NAME}:${by}`, folder], 300_000);
    expect(built.code, built.stderr).toBe(0);
  };
  const name = (by: string): Promise<unknown> => runEngine(found, ['tag', `${NAME}:${by}`, `${NAME}:latest`]);
  const removeAll = (): Promise<unknown> =>
    runEngine(found, ['rmi', '-f', ...['one', 'other', 'latest'].map((tag) => `${NAME}:${tag}`)]);
  beforeAll(async () => {
    await make('one');
    await make('other');
  }, 600_000);
  afterAll(async () => {
    await removeAll();
    rmSync(place, { recursive: true, force: true });
  });

  async function open(more: Partial<Parameters<typeof openDomainGate>[0]> = {}) {
    const workers = await openTestWorkers();
    onTestFinished(() => workers[Symbol.asyncDispose]());
    const tool = {
      tool_id: 'example.echo',
      kind: 'job_worker',
      timeout_sec: 60,
      requires_approval: false,
      worker: { image: `${NAME}:latest`, port: 8080 },
    };
    const domain = await openDomainGate({
      files: { 'manifest.yaml': manifestText([tool]) },
      runner: workers.runner,
      standing: () => ({ digest: null, follow: false }),
      ...more,
    });
    const by = async (): Promise<unknown> => (await domain.run('example.echo')).body.output;
    return { ...domain, by, started: workers.recorded.started };
  }

  it('another one under its name runs after a yes, in the same app and in the next; its start is recorded by its id', async () => {
    await name('one');
    const first = await open();
    const { host, waits, by, started } = first;
    expect(await by()).toEqual({ by: 'one' });
    await name('other');
    expect(await by(), 'the name stands for another').toEqual({ by: 'one' });
    await host.look();
    expect(waits.map(({ asks }) => asks)).toEqual([
      { added: [], changed: ['example.echo'], images: [`${NAME}:latest`], loosened: [] },
    ]);
    const again = await open({ files: {}, again: first });
    expect([await again.by(), again.waits.length]).toEqual([{ by: 'one' }, 1]);
    expect(await again.host.accept(again.waits[0]?.digest ?? '')).toBeNull();
    expect(await again.by()).toEqual({ by: 'other' });
    expect(started.map(({ runs }) => runs)).toEqual([started[0]?.runs, started[0]?.runs]);
    expect(started[0]?.runs).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(again.started.at(-1)?.runs).not.toBe(started[0]?.runs);
  });

  it('the yes in advance to its files is none to another image; one that came later is read first', async () => {
    await name('one');
    let digest: string | null = null;
    const { host, waits, by, run } = await open({ standing: () => ({ digest, follow: false }) });
    await name('other');
    await host.look();
    digest = `sha256:${waits[0]?.offered.files.digest}`;
    await host.look();
    expect(await by()).toEqual({ by: 'one' });
    await runEngine(found, ['rmi', '-f', `${NAME}:one`]);
    expect((await run('example.echo')).status).toBe(502);
    const gone = await run('example.echo');
    expect([gone.status, gone.body.error?.message]).toMatchObject([
      502,
      expect.stringContaining('is not on this machine any more') as unknown,
    ]);
  });
});
