import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildRunnerChild } from '../../../process/runner-child-build.test-support.js';

/** Scenarios, by name, that do not apply, or not yet, with the reason. */
const left = JSON.parse(readFileSync('src-main/tools/sources/mcp/conformance-left.json', 'utf8')) as Record<
  string,
  string
>;

function runSuite(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const suite = pathToFileURL(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js'),
  ).href;
  // Its argument parser takes Electron's Node for a packaged app, unless it is told otherwise.
  const start = `process.defaultApp = true; await import(${JSON.stringify(suite)});`;
  return new Promise((done) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', start, ...args], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('close', (code) => done({ code, output: stripVTControlCharacters(output) }));
  });
}

let client = '';
beforeAll(async () => {
  client = await buildRunnerChild('src-main/tools/sources/mcp/conformance-client.test-support.ts');
});
afterAll(() => rm(client, { force: true }));

it('every scenario of the official suite for clients passes, or stands in the list of those that are left', async () => {
  const { output: listed } = await runSuite(['list', '--client']);
  const all = [...listed.matchAll(/^ {2}- (\S+)/gmu)].map(([, name]) => name ?? '');
  expect(all.length).toBeGreaterThan(20);
  const isLeft = (name: string): boolean => name in left;
  // What is listed is there: who reads the list is told no more than is so.
  for (const each of Object.keys(left)) expect(all).toContain(each);
  const applies = all.filter((name) => !isLeft(name));
  expect(applies.length).toBeGreaterThan(15);
  const passes = async (scenario: string): Promise<void> => {
    const command = `${process.execPath} ${resolve(client)}`;
    const { code, output } = await runSuite(['client', '--command', command, '--scenario', scenario]);
    expect({ scenario, code, output }).toMatchObject({ code: 0 });
    expect(output).not.toMatch(/FAILURE|✗/u);
  };
  // One looks at the clock: it is alone.
  await passes('sse-retry');
  const waiting = applies.filter((scenario) => scenario !== 'sse-retry');
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await passes(next);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
});
