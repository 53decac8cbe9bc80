import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface GatewayFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** gateway.json, once that app serves: one that was killed leaves its own behind. */
export async function gatewayOf(dataDir: string, pid: number | undefined): Promise<GatewayFile> {
  const file = join(dataDir, 'gateway.json');
  const read = () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GatewayFile) : null);
  await expect.poll(() => read()?.pid).toBe(pid);
  const gateway = read();
  if (gateway === null) throw new Error('It stopped serving.');
  return gateway;
}

/** The read side, as any program would ask it. */
export async function ask<T>({ url, token }: GatewayFile, path: string): Promise<T> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as T;
}

/** An agent that speaks MCP through the official client. */
export async function connectAgent(gateway: GatewayFile, name = 'test agent'): Promise<Client> {
  const client = new Client({ name, version: '1.2' });
  const headers = { authorization: `Bearer ${gateway.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), { requestInit: { headers } }));
  return client;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly code: string | null;
  readonly callId: string;
  readonly structured: Readonly<Record<string, unknown>> | null;
}

export async function callTool(client: Client, tool: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const { _meta: said, ...result } = await client.callTool({ name: tool, arguments: args }, { timeout: 180_000 });
  const meta = (said ?? {}) as Record<string, unknown>;
  const blocks = result.content as ReadonlyArray<{ readonly type: string; readonly text?: string }>;
  return {
    text: blocks.map(({ text }) => text ?? '').join(''),
    isError: result.isError === true,
    code: (meta['gatehouse/code'] as string | undefined) ?? null,
    callId: String(meta['gatehouse/callId']),
    structured: (result.structuredContent as Record<string, unknown> | undefined) ?? null,
  };
}
