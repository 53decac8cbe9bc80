import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hostileServer } from './hostile-server.test-support.js';
import { always, namesOf, openTestSources } from './mcp.test-support.js';

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
    /** What comes is another one than what was said. */
    swap: (version: string, other: string) =>
      archives.set(`/tiny-server/-/${version}.tgz`, readFileSync(join(folder, `${other}.tgz`))),
  };
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
  const before = registry.asked.length;
  const again = sources.open(settings);
  expect(again.identity).toMatchObject({ package: { version: '1.2.3' } });
  expect((await sources.call(again, 'ok')).content).toBe('given');
  expect(registry.asked).toHaveLength(before);

  // Whoever asks for another one gets that one, and it is another server then.
  const other = sources.open({ ...settings, args: ['-y', 'tiny-server@2.0.0', 'given'] });
  expect(other.identity).not.toHaveProperty('package');
  expect((await sources.call(other, 'ok')).content).toBe('another');
  expect(other.identity).toMatchObject({ package: { version: '2.0.0' } });
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
