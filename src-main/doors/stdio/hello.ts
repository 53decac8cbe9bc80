import type { Socket } from 'node:net';
import { AGENT_NAME } from '../../domain/ports/agents.js';

/** The first line each way over the app's socket; after it every line is a message of the protocol. */
export interface Hello {
  /** Which agent this pipe is; null for an unnamed one. */
  readonly agent: string | null;
}

export type Welcome = { readonly ok: true } | { readonly ok: false; readonly problem: string };

const KIND = 'gatehouse-pipe-1';
const LONGEST = 4096;
const PATIENCE_MS = 10_000;

export const helloLine = ({ agent }: Hello): string => `${JSON.stringify({ kind: KIND, agent })}\n`;
export const welcomeLine = (welcome: Welcome): string => `${JSON.stringify({ kind: KIND, ...welcome })}\n`;

export function asHello(text: string): Hello | null {
  const { kind, agent } = parsed(text);
  if (kind !== KIND) return null;
  if (agent === null) return { agent };
  return typeof agent === 'string' && AGENT_NAME.test(agent) ? { agent } : null;
}

export function asWelcome(text: string): Welcome | null {
  const { kind, ok, problem } = parsed(text);
  if (kind !== KIND) return null;
  if (ok === true) return { ok };
  return typeof problem === 'string' ? { ok: false, problem } : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The first line; what came with it is put back for who reads next. Null: it was too long, too slow, or there was none. */
export function firstLine(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const timer = setTimeout(() => finish(null), PATIENCE_MS);
    const finish = (line: string | null): void => {
      clearTimeout(timer);
      socket.off('data', onData);
      socket.off('close', onClose);
      socket.pause();
      resolve(line);
    };
    const onClose = (): void => finish(null);
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(0x0a);
      if (end === -1) {
        if (bytes.length > LONGEST) finish(null);
        return;
      }
      const rest = bytes.subarray(end + 1);
      finish(end > LONGEST ? null : bytes.toString('utf8', 0, end));
      if (rest.length > 0) socket.unshift(rest);
    };
    socket.on('data', onData);
    socket.once('close', onClose);
  });
}
