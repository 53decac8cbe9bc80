import { expect, test } from 'vitest';
import { parseFlags } from './flags.js';

const development = { packaged: false, defaultDataDir: '/default', environment: {} };
const packaged = { ...development, packaged: true };

test('Flags in both forms, in any order, around the app’s own path', () => {
  const options = {
    workspace: '/w',
    dataDir: '/d',
    dataDirSaid: true,
    gateway: true,
    domain: null,
    headless: false,
    mcpStdio: false,
    agent: null,
    demo: null,
  };
  expect(parseFlags(['/app', '--workspace', '/w', '--data-dir=/d', '--gateway'], development)).toEqual({
    ok: true,
    options,
  });
  expect(parseFlags(['--gateway', '--data-dir', '/d', '/app', '--workspace=/w'], development)).toEqual({
    ok: true,
    options,
  });
  expect(parseFlags(['--mcp-stdio'], packaged)).toMatchObject({
    ok: true,
    options: { mcpStdio: true, dataDir: '/default' },
  });
});

test('Without a window there is the gateway, and nothing that needs one', () => {
  expect(parseFlags(['--headless'], packaged)).toMatchObject({ ok: true, options: { headless: true, gateway: true } });
  for (const other of ['--demo', '--mcp-stdio', '--headless=new'])
    expect(parseFlags(['--headless', other], development)).toMatchObject({ ok: false });
});

test('The environment gives the data folder, a flag goes before it', () => {
  const surroundings = { ...development, environment: { GATEHOUSE_DATA_DIR: '/env' } };
  expect(parseFlags([], surroundings)).toMatchObject({ options: { dataDir: '/env' } });
  expect(parseFlags(['--data-dir', '/flag'], surroundings)).toMatchObject({ options: { dataDir: '/flag' } });
  expect(parseFlags([], { ...development, environment: { GATEHOUSE_DATA_DIR: '' } })).toMatchObject({
    options: { dataDir: '/default' },
  });
});

test('Where there is no place for data, one has to be named', () => {
  const homeless = { ...development, defaultDataDir: null };
  expect(parseFlags(['--headless'], homeless)).toMatchObject({
    ok: false,
    problem: expect.stringContaining('--data-dir'),
  });
  expect(parseFlags(['--headless', '--data-dir=/d'], homeless)).toMatchObject({ ok: true, options: { dataDir: '/d' } });
  expect(parseFlags(['--demo'], homeless)).toMatchObject({ ok: true });
});

test.each([
  [['--bogus']],
  [['--gateway=yes']],
  [['--workspace']],
  [['--workspace=']],
  [['--workspace', '--gateway']],
  [['--data-dir']],
  [['-x']],
  [['/app', '/something-else']],
  [['--no-gateway']],
  [['--no-frobnicate']],
  [['--no']],
  [['--no-sandboxes']],
  [[`--${'x'.repeat(10_000)}`]],
])('%j is refused in one short line', (args) => {
  const parsed = parseFlags(args, development);
  if (parsed.ok) throw new Error('It was accepted.');
  expect(parsed.problem).not.toContain('\n');
  expect(parsed.problem.length).toBeLessThan(300);
});

test('Drivers’ switches pass in development, and what opens a packaged build to a debugger does not', () => {
  const switches = [
    '--no-sandbox',
    '--inspect=0',
    '--inspect-brk',
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--disable-gpu',
    '--enable-logging',
    '--user-data-dir=/x',
    '--no-first-run',
    '--no-zygote',
    '--no-warnings',
    '--no-deprecation',
  ];
  expect(parseFlags(['-r', '/loader.js', ...switches, '/app'], development)).toMatchObject({ ok: true });
  for (const flag of switches.filter((each) => /inspect|remote|enable|user-data/.test(each))) {
    expect(parseFlags([flag], packaged), flag).toMatchObject({ ok: false });
  }
  expect(parseFlags(['-r', '/evil.js'], packaged)).toMatchObject({ ok: false });
  expect(parseFlags(['--disable-web-security'], packaged)).toMatchObject({ ok: false });
  expect(parseFlags(['/folder'], packaged)).toMatchObject({ ok: false });
  expect(parseFlags(['--no-sandbox', '--ozone-platform=wayland'], packaged)).toMatchObject({ ok: true });
});

test('takes the name of an agent for its pipe, and nothing that is none', () => {
  const parse = (...args: string[]) =>
    parseFlags(['/app', ...args], { packaged: false, defaultDataDir: '/default', environment: {} });
  expect(parse('--mcp-stdio', '--agent', 'claude-code-2')).toMatchObject({ options: { agent: 'claude-code-2' } });
  expect(parse('--agent=a', '--mcp-stdio')).toMatchObject({ options: { agent: 'a' } });
  for (const name of ['', 'Claude', 'a b', 'a'.repeat(33), '../x', '--gateway', 'ä'])
    expect(parse('--mcp-stdio', '--agent', name)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('--agent') as string,
    });
  expect(parse('--mcp-stdio', '--agent')).toMatchObject({ ok: false });
  expect(parse('--agent', 'a')).toMatchObject({ ok: false });
});

test('A packaged build takes the name of a real key store, and none that turns it off', () => {
  for (const name of ['gnome-libsecret', 'kwallet5', 'kwallet6']) {
    expect(parseFlags([`--password-store=${name}`], packaged), name).toMatchObject({ ok: true });
  }
  for (const flag of [
    '--password-store=basic',
    '-password-store=basic',
    '--password-store=',
    '--password-store=BASIC',
  ]) {
    expect(parseFlags([flag], packaged), flag).toMatchObject({ ok: false });
  }
});

test('The demo has a folder of its own, and only it can end by itself', () => {
  const read = (...args: string[]) => parseFlags(['/app', ...args], development);
  expect(read('--demo')).toMatchObject({ ok: true, options: { demo: 'in-window', dataDirSaid: false } });
  expect(read('--exit', '--demo', '--data-dir', '/d')).toMatchObject({
    options: { demo: 'to-its-end', dataDir: '/d', dataDirSaid: true },
  });
  expect(parseFlags(['--demo'], { ...packaged, environment: { GATEHOUSE_DATA_DIR: '/env' } })).toMatchObject({
    options: { demo: 'in-window', dataDirSaid: true },
  });
  for (const args of [['--exit'], ['--demo', '--workspace', '/w'], ['--demo', '--exit', '--mcp-stdio'], ['--demo=yes']])
    expect(read(...args), args.join(' ')).toMatchObject({ ok: false, problem: expect.stringContaining('--') });
});
