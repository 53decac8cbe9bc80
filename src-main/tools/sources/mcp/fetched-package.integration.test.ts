import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SOURCE_DEFAULTS } from '#contract/vocabulary/tools/sources.js';
import type { HeldProgramRequest } from '../../../domain/ports/sources/held-program.js';
import { NOTHING_ACCEPTED } from '../catalog/source-acceptance.js';
import { FollowedSource } from '../catalog/followed-source.js';
import { fetchNewestVersion } from '../../../process/programs/newest-version.js';
import { hostileServer } from './hostile-server.test-support.js';
import { always, namesOf, openTestSources, type TestSources } from './mcp.test-support.js';

/** A registry of one package, whose newest version is the last that was published there. */
async function openRegistry() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-registry-'));
  const asked: string[] = [];
  const versions: Record<string, object> = {};
  const archives = new Map<string, Buffer>();
  let latest = '';
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const archive = archives.get(request.url ?? '');
    if (archive !== undefined) response.end(archive);
    else if (request.url === '/-/package/tiny-server/dist-tags') response.end(JSON.stringify({ latest }));
    else if (request.url === '/tiny-server')
      response.end(JSON.stringify({ name: 'tiny-server', 'dist-tags': { latest }, versions }));
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    asked,
    publish(version: string, words: string): string {
      const at = join(folder, version, 'package');
      mkdirSync(at, { recursive: true });
      const manifest = {
        name: 'tiny-server',
        version,
        bin: 'run.mjs',
        scripts: { postinstall: `touch ${join(folder, 'script-ran')}; touch script-ran` },
      };
      writeFileSync(join(at, 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(at, 'run.mjs'), `#!/usr/bin/env node\n${hostileServer().replace("'fine'", words)}`);
      chmodSync(join(at, 'run.mjs'), 0o755);
      execFileSync('tar', ['-czf', join(folder, `${version}.tgz`), '-C', join(folder, version), 'package']);
      const archive = readFileSync(join(folder, `${version}.tgz`));
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
      archives.set(`/tiny-server/-/${version}.tgz`, archive);
      versions[version] = { ...manifest, dist: { tarball: `${url}tiny-server/-/${version}.tgz`, integrity } };
      latest = version;
      return integrity;
    },
    /** Serves another archive than the one that was announced. */
    swap: (version: string, other: string) =>
      archives.set(`/tiny-server/-/${version}.tgz`, readFileSync(join(folder, `${other}.tgz`))),
  };
}

const noName = (): null => null;

/** Records the programs that are started from now on, except the one that fetches. */
function startsIn(sources: TestSources): string[] {
  const { held } = sources.programs;
  const started: string[] = [];
  Object.assign(sources.programs, {
    held: (request: HeldProgramRequest) => {
      if (request.command !== 'npm') started.push(request.environment['TOKEN'] ?? 'without');
      return held(request);
    },
  });
  return started;
}

it('npx fetches a package once, runs nothing of it for that, and starts it from there', async () => {
  const registry = await openRegistry();
  const integrity = registry.publish('1.2.3', 'process.argv[2]');
  await using sources = await openTestSources({}, registry.url);
  const settings = { command: 'npx', args: ['-y', 'tiny-server', 'given'] };
  const source = sources.open(settings);
  expect(source.identity).not.toHaveProperty('package');
  expect(namesOf(await source.offer(always))).toContain('ok');
  expect(source.identity).toMatchObject({ package: { name: 'tiny-server', version: '1.2.3', integrity } });
  expect((await sources.call(source, 'ok')).content).toBe('given');
  expect(source.state().confinement).toBe('confined');
  const folder = join(sources.programs.runner.outputs, 'packages/peer');
  expect(existsSync(join(folder, 'node_modules/tiny-server/script-ran'))).toBe(false);
  await source.close();

  // A newer one is not taken, and a start asks nobody.
  registry.publish('2.0.0', "'another'");
  const fetched = (): string[] => registry.asked.filter((url) => !url.startsWith('/-/package/'));
  const before = fetched().length;
  const again = sources.open(settings);
  expect(again.identity).toMatchObject({ package: { version: '1.2.3' } });
  expect((await sources.call(again, 'ok')).content).toBe('given');
  expect(fetched()).toHaveLength(before);

  // Whoever asks for another one gets that one, and it is another server then.
  const other = sources.open({ ...settings, args: ['-y', 'tiny-server@2.0.0', 'given'] });
  expect(other.identity).not.toHaveProperty('package');
  expect((await sources.call(other, 'ok')).content).toBe('another');
  expect(other.identity).toMatchObject({ package: { version: '2.0.0' } });
});

it('a package whose files are gone is fetched anew, and gets no key before it is the one that was accepted', async () => {
  const registry = await openRegistry();
  registry.publish('1.2.3', "process.env['TOKEN'] ?? 'without'");
  await using sources = await openTestSources({ key: 'the-key' }, registry.url);
  const settings = { command: 'npx', args: ['-y', 'tiny-server'], env: { TOKEN: 'secret:key' } };
  const given = startsIn(sources);
  let accepted = NOTHING_ACCEPTED;
  const first = sources.follow(settings);
  await first.refresh();
  await first.startReviewed(first.review(noName)?.digest ?? '', noName);
  first.accept(first.review(noName)?.digest ?? '', null, noName);
  ({ accepted } = first);
  await first.close();
  const gone = () => rmSync(join(sources.programs.runner.outputs, 'packages/peer'), { recursive: true });
  gone();
  given.length = 0;
  // The same: started as it was accepted.
  const same = sources.follow(settings, accepted);
  await same.refresh();
  expect([given, same.isOtherServer]).toEqual([['the-key'], false]);
  await same.close();
  // Another one by now: not even started, before its version was seen.
  gone();
  registry.publish('2.0.0', "'another'");
  given.length = 0;
  const other = sources.follow(settings, accepted);
  await other.refresh();
  expect([given, other.isOtherServer]).toEqual([[], true]);
  await other.startReviewed(other.review(noName)?.digest ?? '', noName);
  expect([given, other.isOtherServer]).toEqual([['without'], true]);
  await other.close();
});

it('nothing of a package is started before its exact version and integrity were seen, and a yes to others starts nothing', async () => {
  const registry = await openRegistry();
  const integrity = registry.publish('1.2.3', "'old'");
  await using sources = await openTestSources({}, registry.url);
  const settings = { command: 'npx', args: ['-y', 'tiny-server'] };
  const started = startsIn(sources);
  const followed = sources.follow(settings);
  const stages: string[] = [];
  followed.source.onChange(() => {
    const stage = `${followed.state} ${followed.stage}`;
    if (stages.at(-1) !== stage) stages.push(stage);
  });
  await followed.refresh();
  // Asked as often as one likes.
  await followed.refresh();
  expect([started, followed.state, followed.problem]).toEqual([[], 'changed', null]);
  const review = followed.review(noName);
  expect(review).toMatchObject({
    isStarted: false,
    server: { accepted: null, offered: { package: { version: '1.2.3', integrity } } },
    tools: [],
  });
  expect(followed.accept(review?.digest ?? '', null, noName)).toBeNull();
  expect(await followed.startReviewed('another', noName)).toBe(false);
  expect(started).toEqual([]);
  expect(stages[0]).toBe('starting fetching');
  stages.length = 0;
  expect(await followed.startReviewed(review?.digest ?? '', noName)).toBe(true);
  expect(stages.slice(0, 2)).toEqual(['starting starting', 'starting listing']);
  expect([started.length, followed.stage]).toEqual([1, null]);
  const now = followed.review(noName);
  expect(now?.isStarted).toBe(true);
  expect(now?.tools.map(({ operation }) => operation)).toContain('ok');
  await followed.close();

  // Fetched before, and never accepted: that was seen by nobody.
  const later = sources.follow(settings);
  await later.refresh();
  expect([started.length, later.review(noName)?.isStarted]).toEqual([1, false]);
});

it('nothing of a newer version is started either', async () => {
  const registry = await openRegistry();
  registry.publish('1.2.3', "'old'");
  await using sources = await openTestSources({}, registry.url);
  const followed = sources.follow({ command: 'npx', args: ['-y', 'tiny-server'], definitions: 'first' });
  // Accepted by its first look, it begins anew in its lasting home.
  await followed.refresh();
  await followed.refresh();
  const started = startsIn(sources);
  const integrity = registry.publish('1.10.0', "'new'");
  await followed.fetchNewer();
  const review = followed.review(noName);
  expect([started, review?.isStarted]).toEqual([[], false]);
  expect(review?.server.offered).toMatchObject({ package: { version: '1.10.0', integrity } });
  expect(followed.accept(review?.digest ?? '', null, noName)).toBeNull();
  expect(await followed.startReviewed(review?.digest ?? '', noName)).toBe(true);
  expect([started.length, followed.review(noName)?.isStarted]).toEqual([1, true]);
});

it('a newer version is told and not taken; fetched by the person’s press, it is another server', async () => {
  const registry = await openRegistry();
  registry.publish('1.2.3', "'old'");
  await using sources = await openTestSources({}, registry.url);
  const source = sources.open({ command: 'npx', args: ['-y', 'tiny-server'] });
  await source.offer(always);
  await source.close();
  registry.publish('1.10.0', "'new'");
  const again = sources.open({ command: 'npx', args: ['-y', 'tiny-server'] });
  const told = Promise.withResolvers<void>();
  again.onChange(() => {
    if (again.package?.newer !== null) told.resolve();
  });
  expect((await sources.call(again, 'ok')).content).toBe('old');
  await told.promise;
  expect(again.package).toMatchObject({ name: 'tiny-server', version: '1.2.3', newer: '1.10.0' });
  expect((await sources.call(again, 'ok')).content).toBe('old');
  const before = again.identity;
  const newer = await again.package?.fetchNewer();
  expect((await sources.call(again, 'ok')).content).toBe('old');
  await newer?.close();
  again.package?.takeNewer();
  expect(again.identity).toMatchObject({ package: { version: '1.10.0' } });
  expect(again.identity).not.toEqual(before);
  expect(again.package?.newer).toBeNull();
  expect((await sources.call(again, 'ok')).content).toBe('new');
});

it('what was accepted goes on until the newer version is accepted', async () => {
  const registry = await openRegistry();
  registry.publish('1.2.3', "'old'");
  await using sources = await openTestSources({}, registry.url);
  const settings = { command: 'npx', args: ['-y', 'tiny-server'] };
  const source = sources.open(settings);
  const followed = new FollowedSource({
    name: 'peer',
    settings: { ...SOURCE_DEFAULTS, kind: 'mcp', ...settings, definitions: 'first' },
    source,
    accepted: NOTHING_ACCEPTED,
    rules: () => ({ maxVersions: 5, warningDays: 90, now: 0 }),
    keep: () => undefined,
    keepOutput: () => Promise.reject(new Error('Nothing is kept.')),
    confinementTried: () => Promise.resolve(),
    mayBeWritten: () => false,
    onChange: () => undefined,
  });
  await followed.refresh();
  expect(followed.state).toBe('running');
  registry.publish('1.10.0', "'new'");
  await followed.fetchNewer();
  await followed.startReviewed(followed.review(noName)?.digest ?? '', noName);
  const review = followed.review(() => null);
  expect(review?.server).toMatchObject({
    accepted: { package: { version: '1.2.3' } },
    offered: { package: { version: '1.10.0' } },
  });
  // Looked at again, called, started anew: it is the older one.
  await followed.refresh();
  expect([followed.state, followed.isOtherServer]).toEqual(['changed', false]);
  expect(followed.standing.filter(({ stopped }) => stopped !== null)).toEqual([]);
  expect((await sources.call(source, 'ok')).content).toBe('old');
  expect(source.package?.version).toBe('1.2.3');
  expect((await sources.call(sources.open(settings), 'ok')).content).toBe('old');

  expect(followed.accept('another', null, () => null)).toBeNull();
  expect(followed.accept(review?.digest ?? '', null, () => null)?.map(({ toolId }) => toolId)).toContain('peer.ok');
  expect(source.package?.version).toBe('1.10.0');
  expect((await sources.call(source, 'ok')).content).toBe('new');
  await followed.refresh();
  expect([followed.state, followed.isOtherServer, followed.hasUpdate]).toEqual(['running', false, false]);
});

it('a fetch ends with its source, and leaves nothing: “Stop” need not wait for a registry that says nothing', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await using sources = await openTestSources({}, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  const { held } = sources.programs;
  let ended = false;
  Object.assign(sources.programs, {
    held: async (request: HeldProgramRequest) => {
      const program = await held(request);
      void program.ended.then(() => (ended = true));
      return program;
    },
  });
  const followed = sources.follow({ command: 'npx', args: ['-y', 'tiny-server'] });
  const asked = once(silent, 'request');
  const fetching = followed.refresh();
  await asked;
  expect(followed.stage).toBe('fetching');
  await followed.close();
  expect(ended).toBe(true);
  await fetching;
  expect(readdirSync(join(sources.programs.runner.outputs, 'packages'))).toEqual([]);
});

it('a registry that lies about its newest, or says nothing, offers nothing', async () => {
  for (const latest of ['../../evil', '2.0.0-rc.1', '', '9'.repeat(5000)]) {
    const version = await fetchNewestVersion(
      { kind: 'npm', spec: 'tiny-server', program: null },
      { registry: 'https://r.example/', pythonIndex: 'https://p.example/', read: () => Promise.resolve({ latest }) },
      always,
    );
    expect(version).toBeNull();
  }
  // Who wrote a version down means that one.
  const read = (): Promise<never> => Promise.reject(new Error('Nobody is asked.'));
  const registries = { registry: 'https://r.example/', pythonIndex: 'https://p.example/', read };
  for (const spec of ['tiny-server@1.2.3', 'tiny-server@^1', '@scope/x@2'])
    expect(await fetchNewestVersion({ kind: 'npm', spec, program: null }, registries, always)).toBeNull();
  expect(await fetchNewestVersion({ kind: 'python', spec: 'tiny==1.0', program: null }, registries, always)).toBeNull();
});

it('what does not come as the registry said is not kept', async () => {
  const registry = await openRegistry();
  registry.publish('2.0.0', "'y'");
  registry.publish('1.2.3', "'x'");
  registry.swap('1.2.3', '2.0.0');
  await using sources = await openTestSources({}, registry.url);
  const source = sources.open({ command: 'npx', args: ['tiny-server'] });
  await expect(source.offer(always)).rejects.toThrow(/could not be fetched by npm.*(?:EINTEGRITY|integrity)/su);
  expect(existsSync(join(sources.programs.runner.outputs, 'packages/peer'))).toBe(false);
});
