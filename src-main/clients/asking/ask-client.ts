import type { StartCommand } from '../../domain/ports/started-command.js';
import { type ToolQuery, SERVER } from '../table/spec.js';
import { openModelStandIn } from './model-stand-in.js';

export interface ClientToolReport {
  /** The version that it says; null where it says none. */
  readonly version: string | null;
  /** The tools that its model gets besides ours and harmless ones; null where it could not be asked. */
  readonly left: readonly string[] | null;
}

export interface AskClientOptions {
  readonly start: StartCommand;
  /** The program, by its path. */
  readonly program: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly patienceMs: number;
}

const MAX_VERSION = 40;

/** Starts a client as the person would, against a stand-in of its model, and ends it when it has shown its tools. */
export async function askClient(asks: ToolQuery, parts: AskClientOptions): Promise<ClientToolReport> {
  const version = await readVersion(parts);
  const model = await openModelStandIn();
  const { program, folder, environment, patienceMs } = parts;
  const command = parts.start(program, asks.args(model.url), {
    folder,
    environment: { ...environment, ...asks.environment(model.url) },
  });
  command.closeInput();
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), patienceMs);
  try {
    const names = await Promise.race([model.named, over, command.ended.then(() => null)]);
    return { version, left: names === null ? null : names.filter((name) => !isHarmlessTool(name, asks)) };
  } finally {
    clearTimeout(timer);
    command.end();
    // A client that goes on is killed a moment later; whoever asked is there until then.
    await command.ended;
    model.close();
  }
}

/**
 * Whether a tool is ours or harmless. Ours go by their server's name in whatever way a client puts the two together.
 */
const isHarmlessTool = (name: string, { harmless }: ToolQuery): boolean =>
  new RegExp(`^(?:mcp_+)?${SERVER}_+\\w`, 'u').test(name) || harmless.includes(name);

async function readVersion({
  start,
  program,
  folder,
  environment,
  patienceMs,
}: AskClientOptions): Promise<string | null> {
  const command = start(program, ['--version'], { folder, environment });
  command.closeInput();
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), patienceMs);
  try {
    const said = await Promise.race([readFirstLine(command.lines), over]);
    return /\d+(?:\.\d+)+\S*/u.exec(said ?? '')?.[0].slice(0, MAX_VERSION) ?? null;
  } finally {
    clearTimeout(timer);
    command.end();
  }
}

async function readFirstLine(lines: AsyncIterable<string>): Promise<string | null> {
  for await (const line of lines) return line;
  return null;
}
