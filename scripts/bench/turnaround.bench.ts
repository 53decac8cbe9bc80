import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createServedModel } from '../../src-main/conversation/providers/served-model.js';
import { createOutside } from '../../src-main/outside/outside-client.js';
import { openTestRunner } from '../../src-main/process/process.test-support.js';
import { openConversationGate } from '../../src-main/tests/conversation/conversation-gate.test-support.js';
import { defaultConfig } from '../../src-main/tests/gate/default-config.test-support.js';
import type { AppEventBody } from '#contract/window/app-events.js';
import { createThreadedReader } from '../../src-main/tools/builtin/run-command/analysis/threaded-reader.js';
import { runCommandTool } from '../../src-main/tools/builtin/run-command/run-command.js';
import type { Compare } from './harness.js';

interface Asked {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, string>>;
}
const READ: Asked = { tool: 'read_file', arguments: { path: 'kilobyte.txt' } };
const TRUE: Asked = { tool: 'run_command', arguments: { command: 'true' } };
const TURNS = [
  { name: 'one read of 1 KB (goal p50 3 ms, p95 8 ms)', calls: [READ], atMost: 3 },
  { name: 'eight reads in one turn (goal 10 ms)', calls: Array.from({ length: 8 }, () => READ), atMost: 10 },
  { name: 'shell `true` (goal 10 ms)', calls: [TRUE], atMost: 10 },
] as const;

/**
 * From the last byte of a model's answer until the next request arrives: over real HTTP, through the whole gate, journal
 * durable. Against a loop of a few lines that checks nothing and keeps nothing.
 */
export async function run(compare: Compare): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-bench-')));
  const commands = await openTestRunner();
  const { workspace } = commands;
  const dataDir = join(base, 'data');
  mkdirSync(dataDir);
  writeFileSync(join(workspace, 'kilobyte.txt'), 'x'.repeat(1024));
  const server = await startServer();
  const outside = createOutside({ secret: () => null, variable: () => null });
  const model = createServedModel(
    { provider: 'openai-compatible', baseUrl: server.url, model: 'scripted' },
    { outside, key: () => null, now: Date.now },
  );
  const gate = await openConversationGate({
    dataDir,
    workspace,
    model,
    provider: 'openai-compatible',
    config: unasked,
    commands: { runner: commands.runner, tool: runCommandTool(reader(), undefined, commands.watch) },
  });
  try {
    for (const { name, calls, atMost } of TURNS) {
      const ours = async (): Promise<number> => {
        const { id } = gate.record.begin(workspace, false);
        const text = 'go';
        const measured = server.turn(calls);
        gate.loops
          .of(id)
          .say({ parts: [{ kind: 'text', text }], insteadOf: null, unsent: { text, files: [], pictures: [] } });
        const took = await measured;
        await gate.idle(id);
        mustHaveRun(gate.events);
        return took;
      };
      const bare = async (): Promise<number> => {
        const measured = server.turn(calls);
        await bareLoop(server.url, workspace);
        return measured;
      };
      const { subject } = await compare({
        name: `Turnaround: ${name}`,
        unit: 'ms',
        subject: { name: 'the loop and the gate', sample: ours },
        peer: { name: 'a bare Node loop', sample: bare },
        warmUp: 10,
        samples: 60,
      });
      await compare({
        name: `The same, against its goal of ${atMost} ms`,
        unit: 'ms',
        subject: { name: 'median of it', sample: () => subject.median },
        peer: { name: 'the goal', sample: () => atMost },
        warmUp: 0,
        samples: 1,
        goal: { atMost: 1 },
      });
    }
  } finally {
    await gate.close();
    await commands[Symbol.asyncDispose]();
    outside.close();
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

const settings = defaultConfig({
  approval: { denylist: [], commands: 'sandbox' },
  run_command: { confinement: 'required' },
});
/** A call that was refused is quicker than one that ran. */
function mustHaveRun(events: readonly AppEventBody[]): void {
  const last = events.findLast((event) => event.type === 'call');
  if (last?.call.outcome !== 'success') throw new Error(`The call did not run: ${last?.call.reason ?? 'no call'}`);
}

/** Nobody is asked, so that nobody is waited for. */
const unasked = () => settings;

/** On a thread of its own, as in the app. */
const reader = () =>
  createThreadedReader({ entry: new URL('out/main/command-reader.js', pathToFileURL(`${process.cwd()}/`)) });

/** Says these calls to the next request, and “done” to the one after it; tells how long that took to arrive. */
async function startServer() {
  let calls: readonly Asked[] = [];
  let since = 0;
  let arrived: (ms: number) => void = () => undefined;
  const server = createServer((request, response) => {
    const now = performance.now();
    request.resume().once('end', () => {
      const isNext = since > 0;
      if (isNext) arrived(now - since);
      since = 0;
      say(response, isNext ? [] : calls, () => (isNext ? undefined : (since = performance.now())));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    turn: (asked: readonly Asked[]): Promise<number> => {
      calls = asked;
      return new Promise((resolve) => (arrived = resolve));
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function say(response: ServerResponse, calls: readonly Asked[], written: () => void): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  calls.forEach(({ tool, arguments: args }, index) =>
    response.write(
      chunk({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
  );
  if (calls.length === 0) response.write(chunk({ content: 'done' }));
  response.write(chunk({}, calls.length === 0 ? 'stop' : 'tool_calls'));
  written();
  response.end('data: [DONE]\n\n');
}

/** What a loop does that only goes round: no check, no question, no record. */
async function bareLoop(url: string, workspace: string): Promise<void> {
  const messages: object[] = [{ role: 'user', content: 'go' }];
  for (;;) {
    const answer = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages, stream: true }),
    });
    const said = (await answer.text())
      .split('\n\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as { choices: [{ delta: { tool_calls?: [Called] } }] });
    const calls = said.flatMap(({ choices: [{ delta }] }) => delta.tool_calls ?? []);
    if (calls.length === 0) return;
    messages.push({ role: 'assistant', tool_calls: calls });
    for (const { id, function: called } of calls) {
      const { path, command } = JSON.parse(called.arguments) as { readonly path?: string; readonly command?: string };
      const content =
        path === undefined
          ? (await promisify(execFile)('sh', ['-c', command ?? ''], { cwd: workspace })).stdout
          : readFileSync(join(workspace, path), 'utf8');
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
}

interface Called {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
