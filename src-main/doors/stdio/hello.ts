import type { Socket } from 'node:net';
import { AGENT_NAME } from '../../domain/ports/agents.js';

/** The first line each way over the app's socket; after it every line is a message of the protocol. */
export interface Hello {
  /** The agent of this pipe; null for an unnamed one. */
  readonly agent: string | null;
  /** Whether it only wants to know if it would be accepted. */
  readonly knocks: boolean;
  /** The folder that it was told to work in, by its real path: opened where it is not open. */
  readonly workspace: string | null;
  /** Where its agent was started; null where that can't be said. */
  readonly place: string | null;
  /** The folder that it was given at first, for who comes back. */
  readonly settled: string | null;
  /** The window started it for its own test call, by this word of its own. */
  readonly test: string | null;
  /** The id by which the app knows it when it comes back; null where its command is older. */
  readonly pipe: string | null;
}

export type Welcome =
  /** `workspace`: where it works from now on, and after a restart, whether or not it is open yet; '' where there is none. */
  { readonly ok: true; readonly workspace: string } | { readonly ok: false; readonly problem: string };

const KIND = 'gatehouse-pipe-3';
/** An app and a command of different versions understand this much of each other: why not. */
const ANY_KIND = /^gatehouse-pipe-\d+$/u;
/** A path is no longer than 4096 bytes, which JSON may write at six times the length. */
const LONGEST = 100_000;
const LONGEST_ID = 100;
const PATIENCE_MS = 10_000;

export const helloLine = (hello: Hello): string => `${JSON.stringify({ kind: KIND, ...hello })}\n`;
export const welcomeLine = (welcome: Welcome): string => `${JSON.stringify({ kind: KIND, ...welcome })}\n`;

export function asHello(text: string): Hello | null {
  const { kind, agent, knocks, workspace, place, settled, test, pipe = null } = parsed(text);
  if (kind !== KIND || typeof knocks !== 'boolean') return null;
  if (!isText(workspace) || !isText(place) || !isText(settled) || !isText(test)) return null;
  if (!isText(pipe) || (pipe !== null && pipe.length > LONGEST_ID)) return null;
  if (agent !== null && (typeof agent !== 'string' || !AGENT_NAME.test(agent))) return null;
  return { agent, knocks, workspace, place, settled, test, pipe };
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

export function asWelcome(text: string): Welcome | null {
  const { kind, ok, workspace, problem } = parsed(text);
  if (kind === KIND && ok === true && typeof workspace === 'string') return { ok, workspace };
  return isOurs(kind) && typeof problem === 'string' ? { ok: false, problem } : null;
}

/** Whether somebody of another version is asking: they are told so, and not left without an answer. */
export const isOtherVersion = (text: string): boolean => {
  const { kind } = parsed(text);
  return isOurs(kind) && kind !== KIND;
};

const isOurs = (kind: unknown): boolean => typeof kind === 'string' && ANY_KIND.test(kind);

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
