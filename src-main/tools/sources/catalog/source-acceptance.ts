import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import type { SourceReview, SourceToolChange } from '#contract/window/tools/sources.js';
import { NOT_PINNED, type OfferedOperation } from '../../../domain/ports/sources/source.js';
import { digestJson } from '../../../platform/digest.js';
import type { OfferedTool } from './offered-tools.js';

/** The parts of a source that the person accepted: its identity, and each of its tools, whole. */
export interface AcceptedSource {
  /** Null: nothing of the server is accepted yet. */
  readonly server: AcceptedServer | null;
  /**
   * Accepted tools by key. Tools that the source no longer offers stay: if one comes back otherwise, it is changed and
   * not new.
   */
  readonly tools: ReadonlyMap<string, AcceptedTool>;
}

export interface AcceptedServer {
  /** Kind, command and arguments, address, names of what it is given. */
  readonly identity: JsonObject;
  /** The name that the server gives itself. */
  readonly ownName: string | null;
}

export type AcceptedTool = Pick<OfferedTool, 'key' | 'toolId' | 'operation' | 'digest' | 'lifecycle' | 'remarks'> & {
  /** Taken as seen first, and nobody looked at it yet: models are given its name and schema, and none of its words. */
  readonly isUnread?: true;
};

export const NOTHING_ACCEPTED: AcceptedSource = { server: null, tools: new Map() };

/** The source's current offer, as far as it was asked. */
export interface CurrentOffer {
  readonly server: AcceptedServer;
  readonly tools: readonly OfferedTool[];
}

export const toServerJson = ({ identity, ownName }: AcceptedServer): JsonObject => ({ ...identity, ownName });

/** Whether tools may write to what stands at a path now. */
export type IsWritablePath = (path: string) => boolean;

/**
 * Whether the source is another server than the accepted one. As long as it was not asked, its own name, and whatever
 * else is only known then, is not known to differ.
 */
export function isOtherServer(
  accepted: AcceptedServer | null,
  identity: JsonObject,
  offered: CurrentOffer | null,
  mayBeWritten: IsWritablePath,
): boolean {
  if (accepted === null) return false;
  const { files: acceptedFiles = {}, [NOT_PINNED]: acceptedReasons = [], ...was } = accepted.identity;
  const { files = {}, [NOT_PINNED]: reasons = [], ...is } = identity;
  if (hasOtherFiles(acceptedFiles, files, mayBeWritten) || hasMoreReasons(acceptedReasons, reasons)) return true;
  if (offered !== null) return digestJson(was) !== digestJson(is) || offered.server.ownName !== accepted.ownName;
  return Object.entries(is).some(([name, value]) => digestJson(value) !== digestJson(was[name] ?? null));
}

/**
 * Compares the files that were accepted with the current ones, wherever they lie and whatever is open. A file that was
 * not accepted with them counts where tools may write.
 */
function hasOtherFiles(accepted: Json, now: Json, mayBeWritten: IsWritablePath): boolean {
  const [was, is] = [readFileDigests(accepted), readFileDigests(now)];
  return (
    Object.entries(was).some(([path, digest]) => is[path] !== digest) ||
    Object.keys(is).some((path) => !Object.hasOwn(was, path) && mayBeWritten(path))
  );
}

const readFileDigests = (value: Json): JsonObject => (isJsonObject(value) ? value : {});

/** The yes named each of them, or it was none to that. */
const hasMoreReasons = (accepted: Json, now: Json): boolean =>
  Array.isArray(now) && now.some((reason) => !Array.isArray(accepted) || !accepted.includes(reason));

/** Files that were seen later, where no tool may write, are what they are compared with from now on. */
export function addSeenFiles({ server, tools }: AcceptedSource, identity: JsonObject): AcceptedSource | null {
  const now = readFileDigests(identity['files'] ?? {});
  const was = readFileDigests(server?.identity['files'] ?? {});
  if (server === null || Object.keys(now).every((path) => Object.hasOwn(was, path))) return null;
  return { server: { ...server, identity: { ...server.identity, files: { ...now, ...was } } }, tools };
}

/** The facts that `first` is decided by. */
export interface FirstSeenFacts {
  readonly kind: SourceKind;
  readonly mayBeWritten: IsWritablePath;
}

/**
 * `first`: what is seen first in a server that is accepted, or was never seen, is accepted with it. What changed never is; nor what stands in
 * files that tools may write to, what a manifest adds later, and a program that can be another than was looked at.
 */
export function acceptFirstSeen(
  accepted: AcceptedSource,
  offered: CurrentOffer,
  { kind, mayBeWritten }: FirstSeenFacts,
): AcceptedSource {
  const { identity } = offered.server;
  if (isOtherServer(accepted.server, identity, offered, mayBeWritten)) return accepted;
  const isOfFiles = kind !== 'mcp' && Object.keys(readFileDigests(identity['files'] ?? {})).some(mayBeWritten);
  const isLaterManifest = kind === 'program' && accepted.server !== null;
  if (isOfFiles || isLaterManifest || (accepted.server === null && identity[NOT_PINNED] !== undefined)) return accepted;
  const unseen = offered.tools.filter(({ key }) => !accepted.tools.has(key));
  if (unseen.length === 0 && accepted.server !== null) return accepted;
  return {
    server: accepted.server ?? offered.server,
    tools: new Map([
      ...accepted.tools,
      ...unseen.map((tool) => [tool.key, { ...tool, isUnread: true as const }] as const),
    ]),
  };
}

/** The person looked at what it offers. Null where they had read all of it. */
export function markAllRead({ server, tools }: AcceptedSource): AcceptedSource | null {
  if ([...tools.values()].every(({ isUnread }) => isUnread !== true)) return null;
  const read = [...tools].map(([key, { isUnread: _unread, ...tool }]) => [key, tool] as const);
  return { server, tools: new Map(read) };
}

/** Adds the person's yes to these keys. The server is accepted with them. */
export function acceptTools(
  accepted: AcceptedSource,
  offered: CurrentOffer,
  keys: ReadonlySet<string>,
  mayBeWritten: IsWritablePath,
): AcceptedSource {
  const isOther = isOtherServer(accepted.server, offered.server.identity, offered, mayBeWritten);
  // A yes to some tools of another server is none to those that were accepted of the one before.
  const kept = isOther ? [] : [...accepted.tools];
  const taken = offered.tools.filter(({ key }) => keys.has(key));
  return { server: offered.server, tools: new Map([...kept, ...taken.map((tool) => [tool.key, tool] as const)]) };
}

/** Lists every difference, as the person reviews it. */
export function buildReview(
  name: string,
  accepted: AcceptedSource,
  offered: CurrentOffer,
  nameOf: (toolId: string) => string | null,
  mayBeWritten: IsWritablePath,
): Omit<SourceReview, 'isStarted'> {
  const isOther = isOtherServer(accepted.server, offered.server.identity, offered, mayBeWritten);
  const change = (known: AcceptedTool | undefined, now: OfferedTool | undefined): readonly SourceToolChange[] => {
    const shown = now ?? known;
    if (shown === undefined || (!isOther && known?.digest === now?.digest)) return [];
    const { toolId, operation } = shown;
    return [
      {
        operation: operation.operation,
        toolId: shown.key,
        version: operation.version,
        name: nameOf(toolId),
        change: known === undefined ? 'new' : now === undefined ? 'gone' : 'changed',
        accepted: known === undefined ? null : toPinned(known.operation),
        offered: now === undefined ? null : toPinned(now.operation),
      },
    ];
  };
  const keys = new Set([...offered.tools.map(({ key }) => key), ...accepted.tools.keys()]);
  const offeredByKey = new Map(offered.tools.map((tool) => [tool.key, tool]));
  const tools = [...keys].flatMap((key) => change(accepted.tools.get(key), offeredByKey.get(key)));
  const server = {
    accepted: accepted.server === null ? null : toServerJson(accepted.server),
    offered: toServerJson(offered.server),
  };
  const digest = digestJson({ name, server, tools } as unknown as Json);
  return { name, digest, server, tools };
}

const toPinned = ({
  operation,
  title,
  description,
  inputSchema,
  outputSchema,
  pinned,
}: OfferedOperation): JsonObject => ({
  operation,
  title,
  description,
  inputSchema,
  outputSchema,
  ...pinned,
});

/** The acceptance in the form that is kept on disk. */
export function serializeAccepted({ server, tools }: AcceptedSource): string {
  return `${JSON.stringify({ version: 1, server, tools: [...tools.values()] }, null, 1)}\n`;
}

/** Reads a kept acceptance. Parts that can't be read count as not accepted. */
export function readAccepted(text: string | null): AcceptedSource {
  if (text === null) return NOTHING_ACCEPTED;
  try {
    const kept = JSON.parse(text) as Json;
    if (!isJsonObject(kept) || !isJsonObject(kept['server'] ?? null) || !Array.isArray(kept['tools']))
      return NOTHING_ACCEPTED;
    const tools = (kept['tools'] as unknown as readonly AcceptedTool[]).filter(isCompleteTool);
    return {
      server: kept['server'] as unknown as AcceptedServer,
      tools: new Map(tools.map((tool) => [tool.key, tool])),
    };
  } catch {
    return NOTHING_ACCEPTED;
  }
}

const isCompleteTool = ({ key, toolId, digest, operation }: AcceptedTool): boolean =>
  [key, toolId, digest].every((part) => typeof part === 'string') && typeof operation.inputSchema === 'object';
