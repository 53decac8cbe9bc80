import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readFetchedPackage } from './fetched-package.js';
import { always, namesOf, openTestSources } from './mcp.test-support.js';

/** The system's own Python: one that a person has in their home can’t be seen by what is held. */
const PATH = '/usr/bin:/bin';
const hasPip = spawnSync('python3', ['-m', 'pip', '--version'], { env: { PATH } }).status === 0;

const SERVER = (words: string): string => `
import json, sys
def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if 'id' not in asked: continue
        method = asked['method']
        if method == 'initialize':
            result = {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'tiny', 'version': '1.0.0'}}
        elif method == 'tools/list':
            result = {'tools': [{'name': 'ok', 'inputSchema': {'type': 'object'}}]}
        elif method == 'tools/call':
            result = {'content': [{'type': 'text', 'text': ${words}}]}
        else: result = {}
        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': result}), flush=True)
`;

/** An index of one package, as wheels; and one that comes as a program to be run, which is not wanted. */
async function openIndex() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-index-'));
  const asked: string[] = [];
  const files = new Map<string, Buffer>();
  const versions: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const file = files.get(url.replace('/files/', ''));
    if (url.startsWith('/files/') && file !== undefined) response.end(file);
    else if (url === '/simple/tiny-server/' && request.headers.accept === 'application/vnd.pypi.simple.v1+json')
      response.end(JSON.stringify({ versions: [...versions, '9.0.0rc1'] }));
    else if (url === '/simple/tiny-server/') {
      const link = (name: string): string => {
        const sha = sums.get(name) ?? '';
        return `<a href="/files/${name}#sha256=${sha}">${name}</a>`;
      };
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><html><body>${[...files.keys()].map(link).join('\n')}</body></html>`);
    } else response.writeHead(404).end();
  });
  const sums = new Map<string, string>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const put = (name: string, bytes: Buffer): string => {
    const sha = createHash('sha256').update(bytes).digest('hex');
    files.set(name, bytes);
    sums.set(name, sha);
    return sha;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    publish(version: string, words: string, entry = 'tiny.server:main'): string {
      const at = join(folder, version);
      const info = `tiny_server-${version}.dist-info`;
      mkdirSync(join(at, 'tiny'), { recursive: true });
      mkdirSync(join(at, info));
      const texts: Record<string, string> = {
        'tiny/__init__.py': '',
        'tiny/server.py': SERVER(words),
        [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: tiny-server\nVersion: ${version}\n`,
        [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        [`${info}/entry_points.txt`]: `[console_scripts]\ntiny-server = ${entry}\n`,
      };
      texts[`${info}/RECORD`] = `${[...Object.keys(texts), `${info}/RECORD`].map((name) => `${name},,`).join('\n')}\n`;
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(at, name), text);
      const name = `tiny_server-${version}-py3-none-any.whl`;
      const wheel = join(folder, name);
      execFileSync(
        'python3',
        ['-c', 'import shutil,sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[2])', wheel, at],
        {
          env: { PATH },
        },
      );
      versions.push(version);
      return put(name, readFileSync(`${wheel}.zip`));
    },
    /** A package that is built by running it. */
    publishSource(version: string): void {
      const at = join(folder, `tiny_server-${version}`);
      mkdirSync(at);
      writeFileSync(join(at, 'setup.py'), `open(${JSON.stringify(join(folder, 'ran'))}, 'w')\n`);
      execFileSync('tar', ['-czf', `${at}.tar.gz`, '-C', folder, `tiny_server-${version}`]);
      put(`tiny_server-${version}.tar.gz`, readFileSync(`${at}.tar.gz`));
    },
    ran: () => existsSync(join(folder, 'ran')),
    /** Serves another archive than the one that was announced. */
    swap: (version: string, other: string) =>
      files.set(
        `tiny_server-${version}-py3-none-any.whl`,
        files.get(`tiny_server-${other}-py3-none-any.whl`) ?? Buffer.from(''),
      ),
  };
}

it.runIf(hasPip)('uvx fetches a package once, runs nothing of it for that, and starts it from there', async () => {
  const index = await openIndex();
  const sha = index.publish('1.2.3', 'sys.argv[1]');
  index.publishSource('9.9.9');
  await using sources = await openTestSources({}, index.url, { path: PATH });
  const settings = { command: 'uvx', args: ['tiny-server', 'given'] };
  const source = sources.open(settings);
  expect(source.identity).not.toHaveProperty('package');
  expect(namesOf(await source.offer(always))).toEqual(['ok']);
  const integrity = `sha256-${Buffer.from(sha, 'hex').toString('base64')}`;
  expect(source.identity).toMatchObject({ package: { name: 'tiny-server', version: '1.2.3', integrity } });
  expect((await sources.call(source, 'ok')).content).toBe('given');
  expect(source.state().confinement).toBe('confined');
  // What has to be run to be had is not had.
  expect(index.ran()).toBe(false);
  await source.close();

  index.publish('1.10.0', "'new'");
  const fetched = (): string[] => index.asked.filter((url) => url.startsWith('/files/'));
  const before = fetched().length;
  const again = sources.open(settings);
  expect(again.identity).toMatchObject({ package: { version: '1.2.3' } });
  const told = Promise.withResolvers<void>();
  again.onChange(() => {
    if (again.package?.newer !== null) told.resolve();
  });
  expect((await sources.call(again, 'ok')).content).toBe('given');
  await told.promise;
  expect(again.package?.newer).toBe('1.10.0');
  expect(fetched()).toHaveLength(before);
  const newer = await again.package?.fetchNewer();
  expect((await sources.call(again, 'ok')).content).toBe('given');
  await newer?.close();
  again.package?.takeNewer();
  expect(again.identity).toMatchObject({ package: { version: '1.10.0' } });
  expect((await sources.call(again, 'ok')).content).toBe('new');
});

it.runIf(hasPip)('what does not come as the index said, or leads elsewhere, is not kept', async () => {
  const index = await openIndex();
  index.publish('2.0.0', "'y'");
  index.publish('4.0.0', "'z'", 'tiny.server:main()); import os; (os.getcwd');
  index.publish('1.0.0', "'x'");
  index.swap('1.0.0', '2.0.0');
  await using sources = await openTestSources({}, index.url, { path: PATH });
  for (const [asked, words] of [
    ['tiny-server==1.0.0', /could not be fetched by pip.*(?:HASH|hash)/su],
    ['tiny-server@4.0.0', /has no program/u],
    ['nothing-there', /could not be fetched by pip/u],
  ] as const) {
    const source = sources.open({ command: 'uvx', args: [asked] }, 'peer');
    await expect(source.offer(always)).rejects.toThrow(words);
    await source.close();
  }
  expect(existsSync(join(sources.programs.runner.outputs, 'packages/peer'))).toBe(false);
});

it('uvx is understood with a package and what its program is given, and with nothing else', () => {
  const asked = (...args: string[]) => readFetchedPackage('uvx', args);
  expect(asked('mcp-server-time', '--local')).toEqual({
    asked: { kind: 'python', spec: 'mcp-server-time', program: null },
    args: ['--local'],
  });
  expect(asked('-q', 'a-b@1.2.3')).toMatchObject({ asked: { spec: 'a-b==1.2.3' } });
  expect(asked('a-b@latest')).toMatchObject({ asked: { spec: 'a-b' } });
  expect(asked('--from', 'a-b[x]==1.0', 'prog', '-v')).toEqual({
    asked: { kind: 'python', spec: 'a-b[x]==1.0', program: 'prog' },
    args: ['-v'],
  });
  for (const args of [
    ['--from', 'git+https://h/x', 'prog'],
    ['./folder'],
    ['https://h/x.whl'],
    ['--index-url', 'https://evil.example', 'x'],
    ['--with', 'y', 'x'],
    ['-p', '3.12', 'x'],
    ['a;b'],
    [],
  ])
    expect(readFetchedPackage('uvx', args)).toEqual(expect.any(String));
});
