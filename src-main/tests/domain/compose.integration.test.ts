import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { electronExecutable } from '../../../scripts/setup/electron-runtime.mjs';
import { isExecutable } from '../../process/environment/system-files.js';

/**
 * The samples’ compose files as they are, with networks, names and limits of a real engine. Of the images only the bases are stood
 * in for, since none are fetched here: Node’s by this machine’s Node, the gateway’s by this machine’s programs and the app as it
 * is built, started by the very words of its Containerfile.
 */
const NEEDED = ['podman', 'podman-compose', 'nsenter', 'tini'].map((name) => join('/usr/bin', name));
const NETWORKS = ['/usr/lib/podman/netavark', '/usr/lib/podman/aardvark-dns', '/usr/sbin/iptables'];
const lacking = [...NEEDED, ...NETWORKS].filter((path) => !isExecutable(path));
const why =
  process.getuid?.() !== 0
    ? 'networks of its own take root.'
    : lacking.length > 0
      ? `${lacking.join(', ')} missing.`
      : null;
if (why !== null) process.stderr.write(`Compose files are not tried here: ${why}\n`);

const place = mkdtempSync(join(tmpdir(), 'compose-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe.skipIf(why !== null)('a sample’s compose file', () => {
  it.each([
    {
      name: 'calculator',
      tool: 'calculator.add',
      input: { a: 2, b: 40 },
      answer: { status: 200, body: { ok: true, output: { result: 42 } } },
    },
    {
      name: 'firecrawl',
      tool: 'firecrawl.scrape',
      input: { url: 'https://example.com/' },
      // There is no way to it from here, and the worker is who says so.
      answer: { status: 502, body: { ok: false, error: { code: 'UPSTREAM_ERROR' } } },
    },
  ])('brings up gateway and worker of $name', async ({ name, tool, input, answer }) => {
    await using engine = await openEngine(name);
    await engine.run('podman-compose', ...engine.compose, 'up', '-d');
    const gateway = (await engine.podman('ps', '-q', '--filter', `name=gateway`)).trim();
    expect(gateway).not.toBe('');
    const served = async (): Promise<string> =>
      engine.podman('exec', gateway, '/usr/bin/cat', '/data/gateway.json').catch(() => '');
    await expect.poll(served, { timeout: 120_000 }).not.toBe('');
    const { url, token } = JSON.parse(await served()) as { url: string; token: string };
    const pid = (await engine.podman('inspect', '--format', '{{.State.Pid}}', gateway)).trim();
    const ask = async (path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> =>
      JSON.parse(
        await engine.run(
          'nsenter',
          '-t',
          pid,
          '-n',
          process.execPath,
          '-e',
          ASK,
          `${url}${path}`,
          token,
          JSON.stringify(body ?? null),
        ),
      ) as { status: number; body: Record<string, unknown> };
    expect(await ask('/v1/domain')).toEqual({ status: 200, body: { domain_id: name, version: '1.0.0' } });
    expect((await ask('/v1/tools')).body['tools']).toHaveLength(2);
    expect(await ask(`/v1/tools/${tool}:run`, { input })).toMatchObject(answer);
    // It is well, is nobody in particular, and ends cleanly when it is asked to.
    await engine.podman('healthcheck', 'run', gateway);
    expect(await engine.podman('exec', gateway, '/usr/bin/id', '-u')).toBe('10001\n');
    await engine.podman('stop', '-t', '60', gateway);
    expect(await engine.podman('inspect', '--format', '{{.State.ExitCode}}', gateway)).toBe('0\n');
    await engine.run('podman-compose', ...engine.compose, 'down', '-v');
    expect(await engine.podman('ps', '-aq')).toBe('');
  });
});

const ASK = `const [url, token, body] = process.argv.slice(1);
fetch(url, { headers: { authorization: 'Bearer ' + token }, ...(body !== 'null' && { method: 'POST', body }) })
  .then(async (got) => console.log(JSON.stringify({ status: got.status, body: await got.json() })));`;

interface Engine extends AsyncDisposable {
  readonly compose: readonly string[];
  run(...words: string[]): Promise<string>;
  podman(...words: string[]): Promise<string>;
}

/** podman with a store and networks of its own, in namespaces that end with the test. */
async function openEngine(name: string): Promise<Engine> {
  const home = join(place, name);
  mkdirSync(join(home, 'networks'), { recursive: true });
  const environment = {
    ...process.env,
    CONTAINERS_CONF: join(home, 'conf'),
    GATEHOUSE_IMAGE: GATEWAY,
    FIRECRAWL_API_KEY: 'fc-test',
    ELECTRON_RUN_AS_NODE: '1',
  };
  const limits = '[containers]\ndefault_ulimits=["nofile=1024:1024","nproc=1024:1024"]\n';
  writeFileSync(join(home, 'conf'), `${limits}[engine]\ncgroup_manager="cgroupfs"\nevents_logger="file"\n`);
  const podman = join(home, 'podman');
  // podman takes a folder for what runs of 50 characters at the most.
  const own = `--root ${join(home, 'root')} --runroot ${join(home, 'run')} --tmpdir ${join(home, 'tmp')}`;
  const runc = isExecutable('/usr/bin/runc') ? ' --runtime runc' : '';
  writeFileSync(
    podman,
    `#!/bin/sh\nexec /usr/bin/podman ${own}${runc} --network-config-dir ${join(home, 'networks')} "$@"\n`,
  );
  chmodSync(podman, 0o755);
  const script =
    'ip link set lo up; mkdir -p /run/netns; for d in /run/netns /dev/shm; do mount -t tmpfs none $d; done; echo ready; exec cat';
  const holder = spawn('unshare', ['-n', '-m', '--propagation', 'private', 'sh', '-ec', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const run = (...words: string[]): Promise<string> =>
    new Promise((done, fail) => {
      const all = ['-t', String(holder.pid), '-n', '-m', '--', ...words];
      execFile('nsenter', all, { env: environment, cwd: home, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
        if (error === null) done(stdout);
        else fail(new Error(`${words.slice(0, 8).join(' ')}: ${stderr.slice(-2000)}`));
      });
    });
  const engine = (...words: string[]): Promise<string> => run(podman, ...words);
  writeBases(home);
  await engine('build', '--network', 'none', '-t', 'docker.io/library/node:24-slim', join(home, 'node'));
  await engine('build', '--network', 'none', '--format', 'docker', '-t', GATEWAY, join(home, 'gateway'));
  const folder = resolve('resources/domains', name);
  return {
    compose: ['--podman-path', podman, '-f', join(folder, 'compose.yaml'), '-f', join(home, 'override.yaml')],
    run,
    podman: engine,
    async [Symbol.asyncDispose]() {
      await engine('rm', '-fa', '-t', '0').catch(() => undefined);
      const over = once(holder, 'close');
      holder.stdin.end();
      await over;
    },
  };
}

const GATEWAY = 'localhost/gatehouse-compose-test';

function writeBases(home: string): void {
  const node = realpathSync(execFileSync('sh', ['-c', 'command -v node'], { encoding: 'utf8' }).trim());
  const root = join(home, 'node', 'root');
  const take = (path: string, to = path): void => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(path, join(root, to));
  };
  take(node, '/usr/bin/node');
  for (const [, path] of execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/gu)) take(path ?? '');
  writeFileSync(join(home, 'node', 'Containerfile'), 'FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin\n');
  // What the app’s own Containerfile says of how it starts, by whom, and whether it is well.
  const said = readFileSync('resources/headless/Containerfile', 'utf8').split('\nFROM ').at(-1) ?? '';
  const lines = said
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^(?:USER|VOLUME|ENV|ENTRYPOINT|STOPSIGNAL|HEALTHCHECK) /u.test(line));
  expect(lines).toHaveLength(6);
  const empty = join(home, 'gateway', 'root');
  for (const folder of ['usr', 'tmp', 'etc', 'proc', 'dev', 'sys', 'run', 'domain', 'gatehouse'])
    mkdirSync(join(empty, folder), { recursive: true });
  chmodSync(join(empty, 'tmp'), 0o1777);
  mkdirSync(join(home, 'gateway', 'own', 'data'), { recursive: true, mode: 0o700 });
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(empty, folder));
  writeFileSync(
    join(home, 'gateway', 'Containerfile'),
    ['FROM scratch', 'COPY root/ /', 'COPY --chown=10001:10001 own/ /', ...lines, ''].join('\n'),
  );
  const config = join(home, 'config.toml');
  writeFileSync(config, '[[tools.approval.confirmed]]\ntool = "firecrawl.scrape"\n');
  const runtime = dirname(electronExecutable());
  const mounts = {
    '/usr': '/usr',
    [resolve('package.json')]: '/gatehouse/package.json',
    [runtime]: `/gatehouse/.runtime/${runtime.split('/').at(-1)}`,
    ...Object.fromEntries(['node_modules', 'resources', 'out'].map((each) => [resolve(each), `/gatehouse/${each}`])),
    [config]: '/data/config.toml',
  };
  const volumes = Object.entries(mounts).map(([from, to]) => `      - ${from}:${to}:ro`);
  writeFileSync(join(home, 'override.yaml'), ['services:', '  gateway:', '    volumes:', ...volumes, ''].join('\n'));
}
