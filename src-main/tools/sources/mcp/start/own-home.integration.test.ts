import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { SourceHomes } from '../../../../platform/data-folder/source-homes.js';
import { always, openTestSources, type TestSources } from '../mcp.test-support.js';

/** A server whose one tool runs what it is given in a shell, and gives what that printed. */
const SHELL = `
import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1.0.0' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [{ name: 'sh', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'unknown' } });
  send({ id, result: { content: [{ type: 'text', text: execFileSync('/bin/sh', ['-c', params.arguments.run + ' 2>&1; true'], { encoding: 'utf8' }) }] } });
});
`;

type Settings = Omit<SourceSettings, 'kind'>;

const homeIn = ({ programs }: TestSources, name: string): string =>
  join(realpathSync(programs.runner.outputs), 'sources', name, 'home');

async function shell(sources: TestSources, more: Settings = {}, name = 'peer') {
  const source = sources.open({ ...(await sources.script(SHELL)), ...more }, name);
  const run = async (text: string): Promise<string> => (await sources.call(source, 'sh', { run: text })).content.trim();
  return { source, run };
}

it('what server-memory saves is there after a restart', async () => {
  await using sources = await openTestSources();
  const entry = realpathSync('node_modules/@modelcontextprotocol/server-memory/dist/index.js');
  const file = join(homeIn(sources, 'memory'), 'memory.jsonl');
  const settings = { command: 'node', args: [entry], env: { MEMORY_FILE_PATH: file } };
  const entities = [{ name: 'Gate', entityType: 'thing', observations: ['is held'] }];
  const first = sources.open(settings, 'memory');
  await sources.call(first, 'create_entities', { entities });
  await first.close();
  const second = sources.open(settings, 'memory');
  expect((await sources.call(second, 'read_graph')).structured).toMatchObject({ entities });
  expect(existsSync(file)).toBe(true);
});

it.each(['none', 'read', 'write'] as const)(
  'the home of a server is its working folder, and lasts (filesystem = %s)',
  async (filesystem) => {
    await using sources = await openTestSources();
    const first = await shell(sources, { filesystem });
    const home = homeIn(sources, 'peer');
    expect(await first.run('pwd; echo "$HOME"; echo kept > note')).toBe(`${home}\n${home}`);
    await first.source.close();
    const second = await shell(sources, { filesystem });
    expect(await second.run('cat ~/note')).toBe('kept');
    const { workspace } = sources.programs.runner;
    const elsewhere = await shell(sources, { filesystem: 'read', cwd: workspace });
    expect(await elsewhere.run('pwd; echo "$HOME"')).toBe(`${workspace}\n${home}`);
  },
);

it('no other source and no command reaches the home of a server', async () => {
  await using sources = await openTestSources();
  const first = await shell(sources);
  await first.run('echo mine > note');
  const home = homeIn(sources, 'peer');
  const other = await shell(sources, {}, 'other');
  expect(await other.run(`cat ${home}/note; ls ${home}/..; echo x > ${home}/../y`)).not.toMatch(/mine|home$/mu);
  expect(readdirSync(join(home, '..'))).toEqual(['home']);
  const { stdout } = await sources.programs.run(['/bin/sh', '-c', `cat ${home}/note; ls ${home}`]);
  expect(stdout).toBe('');
  // Nor what is beside its own.
  expect(await first.run('ls ../..; echo x > ../x; ls ..')).not.toMatch(/other|^x$/mu);
});

it('a server whose folder holds our own data reaches its home and nothing else of them', async () => {
  await using sources = await openTestSources();
  const data = realpathSync(sources.programs.runner.outputs);
  const home = join(data, 'sources', 'peer', 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(data, 'secrets.json'), 'secret');
  const { stdout, end } = await sources.programs.run(
    ['/bin/sh', '-c', `echo kept > note && cat note; cat ${data}/secrets.json; ls ${data}`],
    { home, folder: { path: dirname(data), access: 'write' } },
  );
  expect([stdout, end.code]).toEqual(['kept\nsources\n', 0]);
});

it('a server that nobody accepted gets an empty home, and what it leaves there is not found by the accepted one', async () => {
  await using sources = await openTestSources();
  const settings = await sources.script(SHELL);
  const as = async (standing: 'new' | 'looked-at' | 'accepted'): Promise<readonly string[]> => {
    const source = sources.open({ ...settings, args: [...(settings.args ?? []), standing] });
    await source.offer(always, standing);
    await source.close();
    return readdirSync(join(sources.programs.runner.outputs, 'sources'), { recursive: true }).map(String);
  };
  writeFileSync(
    settings.args?.[0] ?? '',
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(process.env.HOME + '/' + process.argv[2], '');\n${SHELL}`,
  );
  mkdirSync(join(sources.programs.runner.outputs, 'sources'));
  expect(await as('new')).toEqual([]);
  expect(await as('looked-at')).toEqual([]);
  expect(await as('accepted')).toEqual(['peer', 'peer/home', 'peer/home/accepted']);
});

it('a server that is accepted begins anew in its lasting home', async () => {
  await using sources = await openTestSources();
  const followed = sources.follow({ ...(await sources.script(SHELL)) });
  await followed.refresh();
  expect(existsSync(homeIn(sources, 'peer'))).toBe(false);
  followed.accept(followed.review(() => null)?.digest ?? '', null, () => null);
  await followed.refresh();
  expect((await sources.call(followed.source, 'sh', { run: 'pwd' })).content.trim()).toBe(homeIn(sources, 'peer'));
});

it('the content of a home is counted, and cleared', async () => {
  await using sources = await openTestSources();
  const homes = new SourceHomes(join(sources.programs.runner.outputs, 'sources'), (error) =>
    expect.fail(String(error)),
  );
  expect(await homes.measureHome('peer')).toBeNull();
  const { run, source } = await shell(sources);
  await run('mkdir -p a/b; head -c 3000000 /dev/zero > a/b/large; ln -s / out');
  const size = await homes.measureHome('peer');
  expect(size?.complete).toBe(true);
  expect(size?.bytes).toBeGreaterThanOrEqual(3_000_000);
  expect(size?.bytes).toBeLessThan(3_200_000);
  await source.close();
  homes.clear('peer');
  expect(await homes.measureHome('peer')).toBeNull();
  expect(await (await shell(sources)).run('ls -A')).toBe('');
});

it('a single-file program of .NET unpacks itself in its home', async () => {
  await using sources = await openTestSources();
  const { run } = await shell(sources);
  const place = `${homeIn(sources, 'peer')}/.cache/dotnet`;
  expect(await run('mkdir -p "$DOTNET_BUNDLE_EXTRACT_BASE_DIR/x" && echo "$DOTNET_BUNDLE_EXTRACT_BASE_DIR"')).toBe(
    place,
  );
});

it.runIf(process.getuid?.() === 0)(
  'a server that leaves too little of the disk to others is ended, and says so',
  async () => {
    await using sources = await openTestSources();
    const folder = join(sources.programs.runner.outputs, 'sources');
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600m', 'tmpfs', folder]);
    try {
      const { run, source } = await shell(sources);
      expect(await run('head -c 20000000 /dev/zero > some; sleep 1.5; rm some; echo made room')).toBe('made room');
      await expect(run('head -c 150000000 /dev/zero > large; sleep 60')).rejects.toThrow(
        /left less than 512 MiB of the disk\. What it keeps can be cleared/u,
      );
      await source.close();
    } finally {
      execFileSync('umount', ['--lazy', folder]);
    }
  },
);

it('a home goes with its source, and comes back with the very same one alone', async () => {
  await using sources = await openTestSources();
  const folder = join(sources.programs.runner.outputs, 'homes');
  const problems: unknown[] = [];
  const open = (): SourceHomes => new SourceHomes(folder, (error) => problems.push(error));
  const homes = open();
  const [one, other] = [{ command: 'one' }, { command: 'other' }];
  const note = (name: string): string => join(homes.of(name), 'note');
  homes.follow({ notes: one, tasks: one });
  writeFileSync(note('notes'), '1');
  writeFileSync(note('tasks'), '1');
  homes.follow({ tasks: one });
  expect([existsSync(homes.at('notes')), existsSync(note('tasks'))]).toEqual([false, true]);
  homes.follow({ notes: one, tasks: one });
  expect(existsSync(note('notes'))).toBe(true);
  homes.follow({ tasks: one });
  homes.follow({ notes: other, tasks: one });
  expect(existsSync(note('notes'))).toBe(false);
  homes.follow({ notes: other });
  open();
  expect(readdirSync(folder)).toEqual(['notes']);
  expect(problems).toEqual([]);
});
