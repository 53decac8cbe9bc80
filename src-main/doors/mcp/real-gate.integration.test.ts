import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { openTestGate, type TestGate } from '../../tests/gate/gate.test-support.js';
import { sampledTimes } from '../../tests/sampled.test-support.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { serveGate } from './served-gate.test-support.js';
import { answerTo } from '../../tests/gate/answers.test-support.js';

interface Served {
  readonly gate: TestGate;
  connect(name: string): Promise<Client>;
}

/** The real gate, with its journal and file tools, behind the real doors. */
async function serve(tools: Parameters<typeof defaultConfig>[0] = {}): Promise<Served> {
  const gate = await openTestGate({ tools: [readFileTool, writeFileTool], config: defaultConfig(tools) });
  return { gate, connect: await serveGate(gate) };
}

const textOf = (result: object): string => {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] };
  return content.map(({ text }) => text ?? '').join('');
};
const codeOf = (result: object): unknown => {
  const { _meta: meta } = result as { readonly _meta?: Readonly<Record<string, unknown>> };
  return meta?.['gatehouse/code'];
};
const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'new\n' } });

describe('MCP on the real gate', () => {
  it('keeps two clients with the same ids apart over hundreds of interleaved calls each', async () => {
    const served = await serve();
    for (const name of ['a', 'b']) writeFileSync(join(served.gate.workspace, name), `this is ${name}\n`);
    const clients = await Promise.all(['a', 'b'].map(async (name) => ({ name, client: await served.connect(name) })));
    const crossed: string[] = [];
    const many = async ({ name, client }: (typeof clients)[number]): Promise<void> => {
      for (let at = 0; at < sampledTimes(1000, 240); at += 8)
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            const result = await client.callTool({ name: 'read_file', arguments: { path: name } });
            if (textOf(result) !== `this is ${name}\n`) crossed.push(`${name}: ${textOf(result)}`);
          }),
        );
    };
    await Promise.all(clients.map(many));
    expect(crossed).toEqual([]);
    expect(served.gate.faults).toEqual([]);
  });

  it('puts what waits at the same time on one sheet of its client, and only the person decides', async () => {
    const served = await serve();
    const [one, other] = await Promise.all([served.connect('one'), served.connect('other')]);
    const calls = [one.callTool(write('x.txt')), one.callTool(write('y.txt'))];
    const elsewhere = other.callTool(write('z.txt'));
    await expect
      .poll(() => served.gate.sheets().map(({ client, calls: asked }) => [client, asked.length]))
      .toHaveLength(2);
    await expect
      .poll(() => Object.fromEntries(served.gate.sheets().map(({ client, calls: asked }) => [client, asked.length])))
      .toEqual({ 'one 1': 2, 'other 1': 1 });
    served.gate.read();
    for (const request of served.gate.sheets()) {
      const kind = request.client === 'one 1' ? 'approve-all' : 'deny-all';
      await served.gate.desk.decide(answerTo(request, kind, { reason: kind === 'deny-all' ? 'not today' : null }));
    }
    for (const result of await Promise.all(calls)) expect(result.isError).toBeUndefined();
    const denied = await elsewhere;
    expect(denied.isError).toBe(true);
    expect(textOf(denied)).toContain('not today');
    expect(codeOf(denied)).toBe('DeniedByPerson');
  });

  it('tells an agent that the person edited what it asked, beside its exact text; one that was denied is told nothing of it', async () => {
    const served = await serve();
    const client = await served.connect('one');
    const edited = async (path: string, kind: 'approve-all' | 'deny-all') => {
      const call = client.callTool(write(path));
      await expect.poll(() => served.gate.sheets()).toHaveLength(1);
      const [before] = served.gate.sheets();
      const callId = before?.calls[0]?.callId ?? '';
      const other = { path: `other-${path}`, content: 'new\n' };
      await served.gate.desk.edit(before?.batchId ?? '', callId, before?.digest ?? '', other);
      served.gate.read();
      await served.gate.desk.decide(answerTo(served.gate.sheets()[0], kind));
      return call;
    };
    const result = await edited('x.txt', 'approve-all');
    expect(textOf(result)).toBe('created: other-x.txt (4 bytes)');
    expect(JSON.stringify(result.content)).toContain('The user edited this call before it ran (path).');
    expect(JSON.stringify(await edited('y.txt', 'deny-all'))).not.toContain('edited');
    const plain = client.callTool(write('z.txt'));
    await expect.poll(() => served.gate.sheets()).toHaveLength(1);
    served.gate.read();
    await served.gate.desk.decide(answerTo(served.gate.sheets()[0], 'approve-all'));
    expect((await plain).content).toHaveLength(1);
  });

  it('takes back what it asked when the client that asked is gone', async () => {
    const served = await serve();
    const client = await served.connect('fleeting');
    const call = client.callTool(write('x.txt')).catch(() => null);
    await expect.poll(() => served.gate.sheets().length).toBe(1);
    await client.close();
    await call;
    // Nothing empty stands before what waits; the person is told what was taken back.
    await expect.poll(() => served.gate.sheets()).toEqual([]);
    expect(served.gate.events.filter(({ type }) => type === 'taken-back')).toHaveLength(1);
  });

  it('waits in parse-only mode for the result that the person gives', async () => {
    const served = await serve({ mode: 'parse_only' });
    const client = await served.connect('patient');
    const call = client.callTool({ name: 'read_file', arguments: { path: 'whatever' } });
    await expect.poll(() => served.gate.orchestrator.activity.waiting).toBe(1);
    const asked = served.gate.journal.openBatches()[0]?.calls[0];
    const callId = asked?.settled === false ? asked.call.summary.callId : '';
    expect(served.gate.orchestrator.submitResult(callId, 'by hand', false)).toBe(true);
    expect(textOf(await call)).toBe('by hand');
  });

  it('offers nothing in disabled mode, and says so of every call', async () => {
    const served = await serve({ mode: 'disabled' });
    const client = await served.connect('hopeful');
    expect((await client.listTools()).tools).toEqual([]);
    const result = await client.callTool({ name: 'read_file', arguments: { path: 'x' } });
    expect(result.isError).toBe(true);
    expect(codeOf(result)).toBe('Disabled');
  });

  it('says what the gate says: outside, unknown, bad arguments', async () => {
    const served = await serve();
    const client = await served.connect('curious');
    const codes = await Promise.all(
      [
        { name: 'read_file', arguments: { path: '../outside' } },
        { name: 'no_such_tool', arguments: {} },
        { name: 'read_file', arguments: { path: 7 } },
        { name: 'read_file', arguments: { path: 'missing' } },
      ].map(async (call) => codeOf(await client.callTool(call))),
    );
    expect(codes).toEqual(['PathOutsideSandbox', 'UnknownTool', 'BadArgs', 'ExecutionFailed']);
  });
});
