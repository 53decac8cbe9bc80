import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Doors, openDoors } from '../doors.test-support.js';
import { conformanceExtension } from './conformance-tools.test-support.js';

/** The suite knows no tokens: everything else of its requests arrives as it sent it, Host and Origin too. */
async function withToken(doors: Doors): Promise<{ readonly url: string } & AsyncDisposable> {
  const proxy: Server = createServer((incoming, outgoing) => {
    const passed = request(
      new URL(incoming.url ?? '/', doors.url),
      {
        method: incoming.method,
        headers: { ...incoming.headers, authorization: `Bearer ${doors.gateway.token}` },
        setHost: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

function runSuite(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const suite = pathToFileURL(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js'),
  ).href;
  // Its argument parser takes Electron's Node for a packaged app, unless it is told otherwise.
  const start = `process.defaultApp = true; await import(${JSON.stringify(suite)});`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', start, ...args], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/**
 * Does not apply: it asks for a server that closes a call's stream so that the client comes back and polls. Here the end
 * of that connection means that the caller left, and its call is cancelled or kept for the person.
 */
const NOT_APPLICABLE = ['server-sse-polling'];

describe('the official conformance suite', () => {
  it('passes every server scenario that applies', async () => {
    await using doors = await openDoors({ mcp: { extension: conformanceExtension } });
    await using proxy = await withToken(doors);
    const { code, output } = await runSuite(['server', '--url', proxy.url, '--suite', 'all']);
    const plain = stripVTControlCharacters(output);
    const named = (mark: string): readonly (string | undefined)[] =>
      [...plain.matchAll(new RegExp(`^${mark} ([\\w-]+): `, 'gm'))].map((match) => match[1]);
    expect(named('✗')).toEqual(NOT_APPLICABLE);
    expect(named('✓')).toHaveLength(31);
    expect(code).toBe(1);
  });
});
