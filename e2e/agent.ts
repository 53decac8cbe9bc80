import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface GatewayFile {
  readonly url: string;
  readonly token: string;
}

/** gateway.json, once the app serves. */
export async function gatewayOf(dataDir: string): Promise<GatewayFile> {
  const file = join(dataDir, 'gateway.json');
  await expect.poll(() => existsSync(file)).toBe(true);
  return JSON.parse(readFileSync(file, 'utf8')) as GatewayFile;
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
  const { _meta: said, ...result } = await client.callTool({ name: tool, arguments: args }, { timeout: 60_000 });
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
