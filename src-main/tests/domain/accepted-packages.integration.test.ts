import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AdvanceApproval } from '../../tools/packages/package-host.js';
import { testFolder } from '../gate/gate.test-support.js';
import { manifestText, openDomainGate, remoteTool, writePackage } from './domain-gate.test-support.js';
import { answer, metaOf, startWorker } from './worker-server.test-support.js';

const NO_YES: AdvanceApproval = { digest: null, follow: false };

/** Two servers: the one that the package names at first, and another one. */
async function workers() {
  const said = (by: string) =>
    startWorker((asked, response) => answer(response, { ok: true, meta: metaOf(asked), output: { by } }));
  return { one: await said('one'), other: await said('other') };
}

async function open(tool: object, more: Partial<Parameters<typeof openDomainGate>[0]> = {}) {
  const yes = { now: NO_YES };
  const files = { 'manifest.yaml': manifestText([tool]) };
  const domain = await openDomainGate({ files, standing: () => yes.now, ...more });
  const write = (tools: readonly object[], version: string): void =>
    writeFileSync(join(domain.folder, 'manifest.yaml'), manifestText(tools, { version }));
  const version = async (): Promise<unknown> => (await domain.get('/v1/domain')).body['version'];
  const by = async (): Promise<unknown> => (await domain.run('example.echo')).body.output;
  return { ...domain, yes, write, version, by };
}

it('a version that changes a tool waits, the one before serves, and the yes to it puts it in force', async () => {
  const { one, other } = await workers();
  const { host, write, version, by, waits, changes } = await open(remoteTool(one.url));
  expect(await version(), 'what the person names first is their yes').toBe('0.1');
  write([remoteTool(other.url), remoteTool(other.url, { tool_id: 'example.new' })], '0.2');
  expect(await host.look()).toBe(true);
  expect(waits).toHaveLength(1);
  expect(waits[0]?.asks).toEqual({ added: ['example.new'], changed: ['example.echo'], images: [], loosened: [] });
  expect([await version(), await by()]).toEqual(['0.1', { by: 'one' }]);
  // Looked at once more it is told once.
  await host.look();
  expect(waits).toHaveLength(1);
  expect(await host.accept('0'.repeat(64))).toBe('stale');
  expect(await host.accept(waits[0]?.digest ?? '')).toBe(null);
  expect([await version(), await by(), host.waiting]).toEqual(['0.2', { by: 'other' }, null]);
  expect(changes).toHaveLength(2);
});

it('what was shown is what is taken: another one that came meanwhile waits by itself', async () => {
  const { one, other } = await workers();
  const { host, write, version, by, waits } = await open(remoteTool(one.url));
  write([remoteTool(one.url, { description: 'Read and fine.' })], '0.2');
  await host.look();
  const shown = waits.at(-1)?.digest ?? '';
  // Nobody looked at the folder since: what was read is what is taken, whatever stands there.
  write([remoteTool(other.url)], '0.2');
  expect(await host.accept(shown)).toBe(null);
  expect([await version(), await by()]).toEqual(['0.2', { by: 'one' }]);
  expect(await host.look(), 'another one of that version').toBe(false);
  write([remoteTool(other.url)], '0.3');
  await host.look();
  write([remoteTool(other.url)], '0.4');
  await host.look();
  expect(await host.accept(waits.at(-2)?.digest ?? '')).toBe('stale');
  expect(await by()).toEqual({ by: 'one' });
});

it('compared with what was accepted for ever: after a restart, after a downgrade, back and forth, by another way to the folder', async () => {
  const { one, other } = await workers();
  const first = await open(remoteTool(one.url));
  first.write([remoteTool(other.url)], '0.2');
  const again = await open(remoteTool(one.url), { files: {}, again: first });
  expect([await again.version(), await again.by()], 'from the copy').toEqual(['0.1', { by: 'one' }]);
  expect(again.waits).toHaveLength(1);
  again.write([remoteTool(one.url)], '0.1');
  await again.host.look();
  expect(again.host.waiting, 'as it was accepted').toBeNull();
  again.write([remoteTool(other.url)], '0.2');
  await again.host.look();
  expect(await again.host.accept(again.waits.at(-1)?.digest ?? '')).toBeNull();
  expect(await again.by()).toEqual({ by: 'other' });
  // What was accepted once is not what is accepted now.
  again.write([remoteTool(one.url)], '0.1');
  await again.host.look();
  expect([await again.by(), again.host.waiting?.offered.package.version]).toEqual([{ by: 'other' }, '0.1']);
  const real = `${first.folder}-real`;
  renameSync(first.folder, real);
  symlinkSync(real, first.folder);
  const led = await open(remoteTool(one.url), { files: {}, again: first });
  expect([await led.version(), led.waits.length]).toEqual(['0.2', 1]);
  rmSync(real, { recursive: true });
});

it('a package whose accepted copy is gone serves nothing before it is accepted', async () => {
  const { one, other } = await workers();
  const first = await open(remoteTool(one.url));
  first.write([remoteTool(other.url)], '0.2');
  const copies = join(first.dataDir, 'copies');
  for (const name of readdirSync(copies)) {
    const manifest = join(copies, name, 'manifest.yaml');
    const changed = readFileSync(manifest, 'utf8').replace(one.url, other.url);
    rmSync(manifest, { force: true });
    writeFileSync(manifest, changed);
  }
  const again = await open(remoteTool(one.url), { files: {}, again: first });
  expect([(await again.get('/v1/domain')).status, again.waits.length]).toEqual([404, 1]);
  expect(await again.host.accept(again.waits[0]?.digest ?? '')).toBeNull();
  expect(await again.by()).toEqual({ by: 'other' });
});

it('killed between the copy and the yes, the yes is still to be given', async () => {
  const { one, other } = await workers();
  const first = await open(remoteTool(one.url));
  first.write([remoteTool(other.url)], '0.2');
  let mayKeep = true;
  const { host } = first;
  await host.look();
  // The disk takes nothing more: the copy is there, that it was accepted is not.
  const taken = join(first.dataDir, 'taken.json');
  const before = readFileSync(taken);
  rmSync(taken);
  mkdirSync(taken);
  mayKeep = await host.accept(first.waits[0]?.digest ?? '').then(
    () => true,
    () => false,
  );
  expect([mayKeep, await first.version()]).toEqual([false, '0.1']);
  rmSync(taken, { recursive: true });
  writeFileSync(taken, before);
  const again = await open(remoteTool(one.url), { files: {}, again: first });
  expect([await again.version(), again.waits.length]).toEqual(['0.1', 1]);
});

it('a yes in advance is to those bytes alone; to follow is a yes to whatever comes', async () => {
  const { one, other } = await workers();
  const { host, write, yes, by, version, waits } = await open(remoteTool(one.url));
  write([remoteTool(other.url)], '0.2');
  yes.now = { digest: `sha256:${'0'.repeat(64)}`, follow: false };
  await host.look();
  expect(await by()).toEqual({ by: 'one' });
  yes.now = { digest: `sha256:${waits[0]?.offered.files.digest}`, follow: false };
  await host.look();
  expect(await by()).toEqual({ by: 'other' });
  write([remoteTool(one.url)], '0.3');
  await host.look();
  expect(await version()).toBe('0.2');
  yes.now = { digest: null, follow: true };
  await host.look();
  expect([await version(), await by()]).toEqual(['0.3', { by: 'one' }]);
});

it('where a digest is named, the first package is the one that it names, or waits', async () => {
  const { one } = await workers();
  const first = await open(remoteTool(one.url), {
    standing: () => ({ digest: `sha256:${'0'.repeat(64)}`, follow: false }),
  });
  expect([(await first.get('/v1/domain')).status, first.waits.length, first.waits[0]?.accepted]).toEqual([
    404,
    1,
    null,
  ]);
  expect(await first.host.accept(first.waits[0]?.digest ?? '')).toBeNull();
  expect(await first.by()).toEqual({ by: 'one' });
});

it('what adds and changes nothing is taken at once: a version alone, a file beside, a tool that goes', async () => {
  const { one } = await workers();
  const { host, write, version, waits, folder, get } = await open(remoteTool(one.url), {
    files: {
      'manifest.yaml': manifestText([remoteTool(one.url), remoteTool(one.url, { tool_id: 'example.more' })]),
    },
  });
  write([remoteTool(one.url), remoteTool(one.url, { tool_id: 'example.more' })], '0.2');
  await host.look();
  expect(await version()).toBe('0.2');
  writeFileSync(join(folder, 'README.md'), 'More words.');
  write([remoteTool(one.url)], '0.3');
  await host.look();
  expect([await version(), waits]).toEqual(['0.3', []]);
  expect((await get('/v1/tools')).body['tools']).toHaveLength(1);
});

it('policies count at once where they tighten, and wait where they loosen, for ever', async () => {
  const { one } = await workers();
  const first = await open(remoteTool(one.url, { egress_allowlist: ['a.example:443', 'b.example:443'] }));
  const { host, folder, waits } = first;
  const reach = (now = host.now): unknown => now?.served.tools[0]?.egress;
  const policies = async (text: string): Promise<void> => {
    writeFileSync(join(folder, 'policies.yaml'), text);
    await host.look();
  };
  await policies('egress_allowlist: ["a.example:443"]\ndefault_timeout_sec: 7\n');
  expect([reach(), waits]).toEqual([['a.example:443'], []]);
  await policies('default_timeout_sec: 9\n');
  expect([reach(), waits.at(-1)?.asks?.loosened, host.now?.policies.defaultTimeoutSec]).toEqual([
    ['a.example:443'],
    ['whatever the tools list'],
    9,
  ]);
  await policies('egress_allowlist: ["b.example:443"]\n');
  expect([reach(), waits.at(-1)?.asks?.loosened], 'what is left out is left out at once').toEqual([
    [],
    ['b.example:443'],
  ]);
  const again = await open(remoteTool(one.url), { files: {}, again: first });
  expect(again.host.now?.served.tools[0]?.egress).toEqual([]);
  expect(await again.host.accept(again.waits[0]?.digest ?? '')).toBeNull();
  expect(again.host.now?.served.tools[0]?.egress).toEqual(['b.example:443']);
});

it('variables of the gateway’s own are for the version that was taken first, over restarts too', async () => {
  const { one } = await workers();
  const asked: boolean[] = [];
  const secretOf = (_name: string, isFirst: boolean): string | null => {
    asked.push(isFirst);
    return isFirst ? 'own' : null;
  };
  const first = await open(remoteTool(one.url), { secretOf });
  expect(first.host.now?.secretOf('KEY')).toBe('own');
  first.write([remoteTool(one.url, { description: 'Another.' })], '0.2');
  await first.host.look();
  expect(await first.host.accept(first.waits[0]?.digest ?? '')).toBeNull();
  expect(first.host.now?.secretOf('KEY')).toBeNull();
  const again = await open(remoteTool(one.url), { files: {}, again: first, secretOf });
  expect([await again.version(), again.host.now?.secretOf('KEY')]).toEqual(['0.2', null]);
  expect(asked).toEqual([true, false, false]);
});

it('another folder is another package, and the person’s naming it their yes', async () => {
  const { one, other } = await workers();
  const first = await open(remoteTool(one.url));
  const elsewhere = writePackage(testFolder('package'), {
    'manifest.yaml': manifestText([remoteTool(other.url)], { version: '0.9' }),
  });
  const again = await open(remoteTool(one.url), { files: {}, again: { folder: elsewhere, dataDir: first.dataDir } });
  expect([await again.by(), again.waits]).toEqual([{ by: 'other' }, []]);
  // What was accepted of the first is known still.
  first.write([remoteTool(other.url)], '0.2');
  const back = await open(remoteTool(one.url), { files: {}, again: first });
  expect([await back.by(), back.waits.length]).toEqual([{ by: 'one' }, 1]);
  expect(existsSync(join(first.dataDir, 'copies'))).toBe(true);
});
