import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { projectDir, test } from './app.js';

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
    const missing = await callTool(agent, 'notes-service__read_note', { id: '7' });
    expect(missing.text).toContain('404');
    const outside = await callTool(agent, 'notes-service__read_note', { id: '../x' });
    expect(outside.text).toContain('dots');
    await agent.close();
  } finally {
    service.kill();
  }
});
