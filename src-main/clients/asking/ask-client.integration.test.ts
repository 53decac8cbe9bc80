import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { startPiped } from '../../process/start/piped-command.js';
import { addToolsStep } from '../test-call.js';
import type { ToolQuery } from '../table/spec.js';
import { askClient } from './ask-client.js';
import { findToolNames } from './tool-names.js';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-asking-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const ASKS: ToolQuery = {
  args: (model) => ['--model', model],
  environment: (model) => ({ MODEL: model }),
  harmless: ['TodoWrite'],
};

/** A client as a program of its own, which sends its model such a request. */
function client(script: string): string {
  writeFileSync(
    join(folder, 'client.cjs'),
    `if (process.argv[2] === '--version') return void console.log('2.1.9 (Client)');\n${script}`,
  );
  const program = join(folder, 'client');
  writeFileSync(program, `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec '${process.execPath}' '${folder}/client.cjs' "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}
const asking = (body: string): string => `
  fetch(process.env.MODEL + '/v1/messages', { method: 'POST', body: ${body} }).then((answer) => process.exit(answer.status === 400 ? 0 : 1));`;
const asked = (script: string, patienceMs = 20_000) =>
  askClient(ASKS, { start: startPiped, program: client(script), folder, environment: {}, patienceMs });

it('names what its model gets besides our tools and what is harmless, and its version', async () => {
  const tools = [
    'mcp__gatehouse__read_file',
    'mcp_gatehouse_write_file',
    'gatehouse_run_command',
    'TodoWrite',
    'CronCreate',
    'gatehousing',
  ];
  expect(await asked(asking(`JSON.stringify({ tools: ${JSON.stringify(tools.map((name) => ({ name })))} })`))).toEqual({
    version: '2.1.9',
    left: ['CronCreate', 'gatehousing'],
  });
});

it('a client that asks no model, ends, or never asks was not asked; what it sends that is no request counts as nothing', async () => {
  expect(await asked('process.exit(3);')).toEqual({ version: '2.1.9', left: null });
  expect(await asked('setInterval(() => undefined, 1000);', 500)).toMatchObject({ left: null });
  expect(await asked(asking(`'no JSON ['`))).toMatchObject({ left: null });
  expect(await asked(asking(`JSON.stringify({ messages: [] })`))).toMatchObject({ left: null });
});

it('reads names in whichever protocol', () => {
  expect(findToolNames({ tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }] })).toEqual(['a', 'b']);
  expect(findToolNames({ tools: [{ type: 'function', function: { name: 'c' } }, { type: 'web_search' }] })).toEqual([
    'c',
    'web_search',
  ]);
  const declared = 'Run it.\ndeclare const tools: { apply_patch(input: string): Promise<unknown>; };';
  const grouped = {
    tools: [{ type: 'namespace', name: 'functions', tools: [{ name: 'exec', description: declared }] }],
  };
  expect(findToolNames({ input: [{ type: 'message' }, grouped] })).toEqual(['exec', 'apply_patch']);
  expect(findToolNames({ tools: [] })).toEqual([]);
  expect(findToolNames({ messages: [{ content: 'tools' }] })).toBeNull();
});

it('is told as a step of the test: what is left, that nothing is, that it was not asked, that its version was not tried', () => {
  const test = { ok: true, steps: [], left: null };
  const words = (left: readonly string[] | null, version: string | null) =>
    addToolsStep(test, 'Client', ['1.0', '2.0'], { left, version }).steps[0]?.text;
  expect(words(['A', 'B'], '1.0')).toBe('Left: A, B. Client 1.0 gives its model these, too.');
  expect(words([], '2.0')).toBe(
    'Client 2.0 gives its model Gatehouse’s tools, and nothing else that reaches this machine.',
  );
  expect(words([], '3.0')).toContain('This version was not tried (tried: 1.0, 2.0).');
  expect(words(null, '1.0')).toContain('Client was not asked');
  expect(addToolsStep(test, 'Client', [], null).steps[0]?.text).toContain('was not asked');
});
