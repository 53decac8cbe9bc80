import type { JsonObject } from '#contract/vocabulary/json.js';
import type { DomainFileChange, DomainReview, DomainToolChange } from '#contract/window/tools/domain.js';
import { parseAddress } from '../../domain/outside/address.js';
import { sha256 } from '../../platform/digest.js';
import type { PackageFile, PackageFiles } from '../../platform/packages/package-files.js';
import { type DomainPackage, type PackagedTool, resolveTimeoutSec } from '../../tools/packages/domain-package.js';
import type { WaitingPackage } from '../../tools/packages/package-host.js';

/** Compares what waits with what was accepted, as the person reads it. */
export function reviewOf(
  { digest, offered, before, accepted }: WaitingPackage,
  here: ReadonlySet<string>,
): DomainReview {
  const { package: now, files } = offered;
  const [was, is] = [before?.package.policies.egress ?? accepted?.egress ?? null, now.policies.egress];
  return {
    digest,
    domainId: now.domainId,
    version: now.version,
    from: accepted === null ? null : `${accepted.domainId} ${accepted.version}`,
    packageDigest: `sha256:${files.digest}`,
    tools: toolChanges(before?.package ?? null, now, here),
    files: fileChanges(before?.files.files ?? NO_FILES, files.files),
    reach:
      accepted === null || reachWords(was) === reachWords(is)
        ? null
        : { before: reachWords(was), after: reachWords(is) },
  };
}

const NOWHERE: ReadonlySet<string> = new Set();
const NO_FILES: PackageFiles['files'] = new Map();

const reachWords = (egress: readonly string[] | null): string =>
  egress === null ? 'Whatever the tools list' : egress.length === 0 ? 'Nothing' : egress.join('\n');

/** Where its tools elsewhere are: by origin. */
export const addressesOf = (tools: readonly PackagedTool[]): ReadonlyMap<string, string> =>
  new Map(
    tools.flatMap(({ baseUrl }) => {
      const read = baseUrl === null ? null : parseAddress(baseUrl);
      return read?.ok === true && baseUrl !== null ? [[read.address.origin, baseUrl] as const] : [];
    }),
  );

function toolChanges(
  before: DomainPackage | null,
  now: DomainPackage,
  here: ReadonlySet<string>,
): readonly DomainToolChange[] {
  const known = new Map(before?.tools.map((tool) => [tool.id, tool]));
  const offered = now.tools.flatMap((tool): readonly DomainToolChange[] => {
    const was = known.get(tool.id);
    known.delete(tool.id);
    if (was?.digest === tool.digest) return [];
    const accepted = was === undefined || before === null ? null : describeTool(was, before);
    return [
      { id: tool.id, change: accepted === null ? 'new' : 'changed', accepted, offered: describeTool(tool, now, here) },
    ];
  });
  const gone = [...known.values()].map(({ id }) => ({ id, change: 'gone', accepted: null, offered: null }) as const);
  return [...offered, ...gone];
}

const NOT_HERE = 'not on this computer';

/** Lists, field by field, everything that a tool may do and is given. */
function describeTool(
  tool: PackagedTool,
  { policies }: DomainPackage,
  here: ReadonlySet<string> = NOWHERE,
): JsonObject {
  const { worker } = tool;
  const runs = worker?.runs;
  const all: JsonObject = {
    version: tool.version,
    title: tool.displayName,
    description: tool.description,
    capabilities: tool.capabilities,
    worker: worker === null ? null : worker.name,
    command: runs?.kind === 'command' ? runs.command : null,
    build: runs?.kind === 'build' ? runs.folder : null,
    builtOn:
      runs?.kind === 'build' ? Object.entries(runs.bases).map(([name, id]) => `${name} ${id ?? NOT_HERE}`) : null,
    image: runs?.kind === 'image' ? runs.image : null,
    imageId: runs?.kind === 'image' ? (runs.id ?? NOT_HERE) : null,
    gvisor: worker?.gvisor ?? false,
    starts: tool.kind === 'job_worker' ? 'once a call' : 'with Gatehouse',
    address: tool.baseUrl,
    leadsHere: [...addressesOf([tool]).keys()].some((origin) => here.has(origin)) ? true : null,
    path: tool.endpoint,
    reaches: tool.egress,
    secrets: tool.secrets,
    asksYou: tool.requiresApproval,
    hasEffects: tool.sideEffecting,
    idempotent: tool.idempotent,
    risk: tool.risk,
    securityLevel: tool.securityLevel,
    timeoutSeconds: resolveTimeoutSec(tool, policies),
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
  };
  // What is left open says nothing.
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}

/** Drawn whole; what is longer is told by its digest. */
const MAX_FILE = 64 * 1024;
const MAX_TEXT = 1024 * 1024;

function fileChanges(before: PackageFiles['files'], now: PackageFiles['files']): readonly DomainFileChange[] {
  let left = MAX_TEXT;
  const shown = (file: PackageFile | undefined): string | null => {
    if (file === undefined) return null;
    const { bytes, executable } = file;
    const text = bytes.length > Math.min(MAX_FILE, left) ? null : textOf(bytes);
    const rights = executable ? '(a program)\n' : '';
    if (text === null) return `${rights}${bytes.length} bytes, SHA-256 ${sha256(bytes)}`;
    left -= bytes.length;
    return `${rights}${text}`;
  };
  const paths = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [was, is] = [before.get(path), now.get(path)];
    if (was !== undefined && is !== undefined && isSame(was, is)) return [];
    return [{ path, before: shown(was), after: shown(is) }];
  });
}

const isSame = (one: PackageFile, other: PackageFile): boolean =>
  one.executable === other.executable && Buffer.compare(one.bytes, other.bytes) === 0;

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
