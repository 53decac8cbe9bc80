import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { makeFolder, projectDir, test, writeFiles } from './app.js';

const SAMPLES = join(projectDir, 'resources', 'samples');

interface Told {
  readonly sources: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
}

test('the samples’ tools are called through the gate: a service, programs, a local server', async ({ launch }) => {
  const service: ChildProcess = spawn('node', [join(SAMPLES, 'notes-service', 'server.mjs'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [said] = (await once(service.stdout ?? service, 'data')) as [Buffer];
    const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(said.toString())?.[0] ?? '';
    const accepted = 'definitions = "first"\napproval = "annotations"\n';
    const app = await launch({
      flags: ['--gateway'],
      config: [
        `[sources.notes-service]\nkind = "openapi"\nfile = "${SAMPLES}/notes-service/openapi.yaml"\nbase_url = "${url}"\n${accepted}`,
        `[sources.text-tools]\nkind = "program"\nmanifest = "${SAMPLES}/text-tools/tools"\n${accepted}`,
        `[sources.clock-server]\nkind = "mcp"\ncommand = "node"\nargs = ["./server.mjs"]\ncwd = "${SAMPLES}/clock-server"\n${accepted}`,
        `[sources.gone]\nkind = "langchain"\nfile = "not-there.json"\n`,
      ].join('\n'),
    });
    const gateway = await gatewayOf(app.dataDir, app.pid);
    await expect
      .poll(async () =>
        (await ask<Told>(gateway, '/v1/sources')).sources.map(({ name, state, tools }) => [name, state, tools]),
      )
      .toEqual(
        expect.arrayContaining([
          ['notes-service', 'running', 5],
          ['text-tools', 'running', 1],
          ['clock-server', 'running', 2],
          ['gone', 'refused', 0],
        ]),
      );
    const agent = await connectAgent(gateway);
    expect((await callTool(agent, 'notes-service__list_notes', { tag: ['none'] })).structured).toMatchObject({
      notes: [],
    });
    expect((await callTool(agent, 'text-tools__measure', { text: 'One two.' })).structured).toMatchObject({ words: 2 });
    const days = await callTool(agent, 'clock-server__days_between', { from: '2026-01-01', to: '2026-01-31' });
    expect(days.text).toContain('30 days');
    await agent.close();
    // A service is a way out, so each is asked by somebody who has read nothing of others yet.
    for (const [id, words] of [
      ['7', '404'],
      ['../x', 'dots'],
    ] as const) {
      const another = await connectAgent(gateway);
      expect((await callTool(another, 'notes-service__read_note', { id })).text).toContain(words);
      await another.close();
    }
  } finally {
    service.kill();
  }
});

test('A key that a source is given from the environment is blotted out where it comes back', async ({ launch }) => {
  const key = 'quite an ordinary word';
  const manifest = {
    tool_id: 'tell.key',
    tool_name: 'key',
    version: '1.0.0',
    parameters_schema: { type: 'object', properties: {} },
    permissions: { credentials: ['notes'] },
    side_effecting: false,
    entry: { command: ['node', '-e', 'console.log(JSON.stringify({ key: process.env.CREDENTIAL_NOTES }))'] },
  };
  const manifests = makeFolder('manifests');
  writeFiles(manifests, { 'key.json': JSON.stringify(manifest) });
  const app = await launch({
    flags: ['--gateway'],
    env: { NOTES_WORDS: key },
    config: `[sources.tell]\nkind = "program"\nmanifest = "${manifests}"\ndefinitions = "first"\napproval = "annotations"\ncredentials = { notes = "env:NOTES_WORDS" }\n`,
  });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  await expect.poll(async () => (await ask<Told>(gateway, '/v1/sources')).sources[0]?.tools).toBe(1);
  const agent = await connectAgent(gateway);
  const told = await callTool(agent, 'tell__key', {});
  expect(told.text).toBe('{"key":"[redacted]"}');
  const call = await ask<{ readonly redactions: number }>(gateway, `/v1/calls/${told.callId}`);
  expect(call.redactions).toBeGreaterThan(0);
  await agent.close();
  rmSync(manifests, { recursive: true });
});
