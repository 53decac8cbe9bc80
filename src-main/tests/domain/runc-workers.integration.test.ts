import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findConfinement } from '../../process/confinement/availability.js';
import { type EngineSearch, findEngine } from '../../process/workers/engines.js';
import { makeShellImage } from '../../process/workers/shell-image.test-support.js';
import { openTestWorkers } from '../../process/workers/workers.test-support.js';
import { manifestText, openDomainGate } from './domain-gate.test-support.js';

/** Speaks the contract, with what the system’s smallest Perl has. */
const WORKER = String.raw`
use strict; use IO::Socket::INET;
my $began = join '', map { int rand 1e9 } 1 .. 3;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 32) or die "no port: $!";
while (my $client = $server->accept) {
  my $length = 0;
  while (my $line = <$client>) { $length = $1 if $line =~ /^content-length: (\d+)/i; last if $line =~ /^\r?\n$/ }
  read $client, my $asked, $length;
  my ($trace) = $asked =~ /"trace_id":"([^"]*)"/; my ($run) = $asked =~ /"tool_run_id":"([^"]*)"/;
  my $said = $length ? qq({"ok":true,"meta":{"trace_id":"$trace","tool_run_id":"$run"},"output":{"began":"$began","key":"$ENV{KEY}"}}) : '{}';
  print $client "HTTP/1.1 200 OK\r\nContent-Length: ", length $said, "\r\nConnection: close\r\n\r\n", $said;
  close $client;
}
`;

const onlyRunc = (search: EngineSearch) => findEngine(search, ['runc']);
const found = await onlyRunc({ environment: process.env, file: () => Promise.resolve('') });
const place = mkdtempSync(join(tmpdir(), 'gatehouse-runc-domain-'));
const isBuildable = makeShellImage(place, WORKER);
const isPossible = found.by !== null && isBuildable;
if (found.by === null) process.stderr.write(`Workers in runc are not tried here: ${found.problem}\n`);

it.skipIf(!isPossible)(
  'by runc a whole system in an archive serves, kept as a service or started for each request',
  async () => {
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    execFileSync('tar', ['-C', join(place, 'root'), '-czf', join(place, 'root.tar.gz'), '.']);
    const workers = await openTestWorkers(() => findConfinement(process.platform), onlyRunc);
    onTestFinished(() => workers[Symbol.asyncDispose]());
    const tool = (name: string, kind: string): object => ({
      tool_id: `local.${name}`,
      kind,
      timeout_sec: 60,
      requires_approval: false,
      secrets: ['KEY'],
      worker: { build: `workers/${name}`, port: 8080 },
    });
    const containerfile = 'FROM scratch\nADD root.tar.gz /\nCMD ["/usr/bin/perl", "/shell-server.pl"]\n';
    const archive = readFileSync(join(place, 'root.tar.gz'));
    const { run, host } = await openDomainGate({
      files: {
        'manifest.yaml': manifestText([tool('stays', 'service_worker'), tool('goes', 'job_worker')]),
        'workers/stays/Containerfile': containerfile,
        'workers/stays/root.tar.gz': archive,
        'workers/goes/Containerfile': containerfile,
        'workers/goes/root.tar.gz': archive,
      },
      runner: workers.runner,
      secretOf: () => 'value of key',
    });
    expect(host.problems).toEqual([]);
    const began = async (id: string): Promise<unknown> => {
      const { status, body } = await run(id);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      expect(body.output).toMatchObject({ key: expect.stringMatching(/./u) as string });
      return (body.output as { began: string }).began;
    };
    expect(await began('local.stays')).toBe(await began('local.stays'));
    const jobs = await Promise.all([began('local.goes'), began('local.goes')]);
    expect(new Set([...jobs, await began('local.goes')]).size).toBe(3);
    const held = (host.now?.workers ?? []).map(({ worker, kind, running, isolation }) => ({
      worker,
      kind,
      running,
      by: isolation?.by,
    }));
    expect(held).toEqual([
      { worker: 'goes', kind: 'job_worker', running: 'stopped', by: 'runc' },
      { worker: 'stays', kind: 'service_worker', running: 'running', by: 'runc' },
    ]);
    // Of the job nothing runs on: the one that is left is the service.
    expect(readdirSync(workers.runningFolder)).toHaveLength(1);
  },
);
