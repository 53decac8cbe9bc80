import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { startPiped } from '../process/start/piped-command.js';
import { runTestCall } from './test-call.js';

/** A server of so many answers, as a program of its own; it also tells what it was handed. */
const server = (answers: string) => `
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (${answers})[method];
  if (answer !== undefined) say({ jsonrpc: '2.0', id, ...answer });
}).on('close', () => process.exit(0));`;

async function tested(answers: string, patienceMs = 20_000) {
  const folder = mkdtempSync(`${tmpdir()}/gatehouse-test-call-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return runTestCall(
    { command: process.execPath, args: ['-e', server(answers)], environment: { ELECTRON_RUN_AS_NODE: '1' } },
    {
      start: startPiped,
      folder,
      home: folder,
      word: 'w',
      environment: { PATH: process.env['PATH'], HOME: folder, SECRET_OF_OURS: 'x' },
      version: '1',
      patienceMs,
    },
  );
}
const hello = `initialize: { result: { serverInfo: { name: 'gatehouse' } } }`;
const tools = `'tools/list': { result: { tools: [{ name: 'read_file' }, { name: 'list_directory' }] } }`;

it('starts the command, reads its tools and makes one call: each step is told', async () => {
  const call = `'tools/call': { result: { content: [] } }`;
  expect(await tested(`{ ${hello}, ${tools}, ${call} }`)).toEqual({
    ok: true,
    steps: [
      { ok: true, text: 'The command starts and answers.' },
      { ok: true, text: 'It lists 2 tools: read_file, list_directory.' },
      { ok: true, text: 'The call list_directory succeeded.' },
    ],
    left: null,
  });
});

it('says which step failed, and in the server’s own words', async () => {
  const refused = `'tools/call': { result: { isError: true, content: [{ type: 'text', text: 'Denied by you.' }] } }`;
  expect(await tested(`{ ${hello}, ${tools}, ${refused} }`)).toMatchObject({
    ok: false,
    steps: [{ ok: true }, { ok: true }, { ok: false, text: 'The call list_directory failed: Denied by you.' }],
  });
  expect(await tested(`{ ${hello}, 'tools/list': { result: { tools: [] } } }`)).toMatchObject({
    ok: false,
    steps: [{ ok: true }, { ok: false, text: expect.stringContaining('no tools') as string }],
  });
  const another = await tested(`{ initialize: { result: { serverInfo: { name: 'other' } } } }`);
  expect(another.steps).toEqual([{ ok: false, text: 'The command started other, which isn’t Gatehouse.' }]);
});

it('a command that ends, that is not there, or that never answers ends the test with words', async () => {
  const ended = await tested(`(console.error('no such folder'), process.exit(3))`);
  expect(ended.steps).toEqual([
    { ok: false, text: 'The command doesn’t stay: it ended with exit code 3. It said: no such folder' },
  ]);
  const missing = await runTestCall(
    { command: '/no/such/program', args: [], environment: {} },
    { start: startPiped, folder: '/', home: '/', word: 'w', environment: {}, version: '1', patienceMs: 20_000 },
  );
  expect(missing.steps[0]?.text).toContain('it can’t be started');
  expect((await tested('{}', 300)).steps[0]?.text).toContain('No answer in time');
});

it('hands on what clients hand on, and nothing else of ours', async () => {
  const spy = `{ ${hello}, 'tools/list': { result: { tools: Object.keys(process.env).map((name) => ({ name })) } } }`;
  const { steps } = await tested(spy, 2000);
  expect(steps[1]?.text).toContain('PATH');
  expect(steps[1]?.text).not.toContain('SECRET_OF_OURS');
});
