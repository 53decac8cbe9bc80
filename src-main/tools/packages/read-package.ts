import { posix } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../domain/outside/address.js';
import { parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import type { ImageIds } from '../../domain/ports/sources/worker.js';
import { isBuiltinTool, isToolId, isVersion, getToolSource } from '../../domain/tool/tool-identity.js';
import { isMetadataHost } from '../../platform/addresses/reachable-addresses.js';
import { digestJson } from '../../platform/digest.js';
import { type Validator, compileValidator } from '../../platform/json-schema.js';
import { readBuildFile } from '../../platform/packages/build-file.js';
import { digestFiles, type PackageFiles } from '../../platform/packages/package-files.js';
import { readStrictJson } from '../../platform/reading/strict-json.js';
import { readStrictYaml, type StrictYaml } from '../../platform/reading/strict-yaml.js';
import { admitSchema } from '../foreign/foreign-admission.js';
import type { DomainPackage, PackagedTool, PackagedWorker, PackagePolicies } from './domain-package.js';
import {
  type PackageManifest,
  ManifestSchema,
  type ManifestTool,
  PoliciesSchema,
  type WorkerShape,
} from './manifest-shape.js';

export type PackageRead =
  /** `manifest.yaml:12: reason`, each. */
  { readonly ok: false; readonly problems: readonly string[] } | { readonly ok: true; readonly package: DomainPackage };

const MANIFEST = 'manifest.yaml';
const POLICIES = 'policies.yaml';

type YamlPath = readonly (string | number)[];
type RefuseAt = (at: YamlPath, reason: string) => void;
type ParsedYaml = Extract<StrictYaml, { ok: true }>;

/** Reads a package, or reports everything that is wrong in it. `sources`: the names that its groups must not have. */
export function readDomainPackage({ files, digest }: PackageFiles, sources: readonly string[]): PackageRead {
  const problems: string[] = [];
  const manifest = readYamlFile(files, MANIFEST, problems);
  if (manifest === null) return { ok: false, problems };
  const refuse: RefuseAt = (at, reason) => problems.push(`${MANIFEST}:${manifest.lineOf(at)}: ${reason}`);
  const shaped = checkShape(checkManifest, manifest.value, refuse);
  const tools = shaped === null ? [] : readTools(shaped, files, sources, refuse);
  const policies = readPolicies(files, new Set(shaped?.tools.map(({ tool_id: id }) => id)), problems);
  if (shaped === null || policies === null || problems.length > 0) return { ok: false, problems };
  const unversioned = new Map([...files].filter(([path]) => path !== POLICIES));
  return {
    ok: true,
    package: {
      domainId: shaped.domain_id,
      version: shaped.version,
      tools: tools.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      policies,
      digest,
      versionDigest: digestFiles(unversioned),
    },
  };
}

type FileMap = PackageFiles['files'];

function readText(files: FileMap, path: string): string | null {
  const file = files.get(path);
  if (file === undefined) return null;
  return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
}

function readYamlFile(files: FileMap, path: string, problems: string[]): ParsedYaml | null {
  let text: string | null;
  try {
    text = readText(files, path);
  } catch {
    problems.push(`${path}:1: it is not text in UTF-8`);
    return null;
  }
  if (text === null) {
    problems.push(`${path}:1: the package has no such file`);
    return null;
  }
  const read = readStrictYaml(text);
  if (read.ok) return read;
  problems.push(`${path}:${read.line}: it ${read.problem}`);
  return null;
}

const checkManifest = compileValidator(ManifestSchema);
const checkPolicies = compileValidator(PoliciesSchema);

function checkShape<T>(check: Validator<T>, value: Json, refuse: RefuseAt): T | null {
  const checked = check(value);
  if (checked.ok) return checked.value;
  for (const { path, message } of checked.problems) {
    const at = path === '' ? [] : path.split('.').map((part) => (/^\d+$/u.test(part) ? Number(part) : part));
    const unknown = /^has “(.+)”, which is not known here$/u.exec(message)?.[1];
    refuse(unknown === undefined ? at : [...at, unknown], `${path === '' ? 'it' : path} ${message}`);
  }
  return null;
}

function readTools(
  manifest: PackageManifest,
  files: FileMap,
  sources: readonly string[],
  refuse: RefuseAt,
): readonly PackagedTool[] {
  const seen = new Map<string, string>();
  return manifest.tools.flatMap((tool, index) => {
    const at: YamlPath = ['tools', index];
    const id = tool.tool_id;
    const wrong = findIdProblem(id, sources);
    if (wrong !== null) refuse([...at, 'tool_id'], wrong);
    const alike = seen.get(id.toLowerCase());
    if (alike !== undefined) refuse([...at, 'tool_id'], `tool_id “${id}” stands there already as “${alike}”`);
    seen.set(id.toLowerCase(), id);
    return readTool(tool, files, (below, reason) => refuse([...at, ...below], reason)) ?? [];
  });
}

function findIdProblem(id: string, sources: readonly string[]): string | null {
  if (!isToolId(id)) return `tool_id “${id.slice(0, 100)}” is not <group>.<operation>`;
  const group = getToolSource(id).toLowerCase();
  if (isBuiltinTool(group + id.slice(group.length)))
    return 'tool_id begins with “gatehouse.”, which is Gatehouse’s own group';
  return sources.includes(group) ? `tool_id begins with “${getToolSource(id)}.”, which is the name of a source` : null;
}

function readTool(tool: ManifestTool, files: FileMap, refuse: RefuseAt): PackagedTool | null {
  const before = countProblems(refuse);
  const version = tool.version ?? '1.0.0';
  if (!isVersion(version)) before.refuse(['version'], `version “${version}” is not major.minor.patch`);
  const egress = tool.egress_allowlist ?? [];
  for (const [index, entry] of egress.entries()) {
    const why = findEgressProblem(entry);
    if (why !== null) before.refuse(['egress_allowlist', index], why);
  }
  const input = readSchema(files, tool.input_schema_ref, 'object', ['input_schema_ref'], before.refuse);
  const output = readSchema(files, tool.output_schema_ref, 'anything', ['output_schema_ref'], before.refuse);
  const where = readTransport(tool, before.refuse);
  const worker = tool.worker === undefined ? null : readWorker(tool, tool.worker, files, before.refuse);
  if (tool.worker === undefined && tool.kind === 'job_worker')
    before.refuse(['kind'], 'a job_worker is started by Gatehouse: say how, as `worker`');
  if (before.count > 0) return null;
  const made = worker?.runs.kind === 'build' ? filesBelow(files, worker.runs.folder) : worker === null ? null : files;
  return {
    id: tool.tool_id,
    version,
    kind: tool.kind,
    displayName: tool.display_name ?? tool.tool_id,
    description: tool.description ?? '',
    capabilities: tool.capabilities ?? [],
    timeoutSec: tool.timeout_sec ?? null,
    egress,
    inputSchema: input,
    outputSchema: output,
    idempotent: tool.idempotent ?? false,
    sideEffecting: tool.side_effecting ?? true,
    requiresApproval: tool.requires_approval ?? true,
    risk: tool.risk ?? 'medium',
    securityLevel: tool.security_level ?? null,
    secrets: tool.secrets ?? [],
    endpoint: where.endpoint,
    worker,
    baseUrl: worker === null ? where.baseUrl : null,
    digest: digestJson({
      tool: tool as unknown as Json,
      input,
      output,
      // What it runs; of a program everything in the package, policies aside, may be loaded by it.
      files: made === null ? null : digestFiles(new Map([...made].filter(([path]) => !DESCRIPTION_FILES.has(path)))),
    }),
  };
}

/** Say what tools are, and are no part of a worker. */
const DESCRIPTION_FILES: ReadonlySet<string> = new Set([MANIFEST, POLICIES]);

const filesBelow = (files: FileMap, folder: string): FileMap =>
  new Map([...files].filter(([path]) => path.startsWith(`${folder}/`)));

function countProblems(refuse: RefuseAt) {
  const counted = {
    count: 0,
    refuse: (at: YamlPath, reason: string): void => {
      counted.count += 1;
      refuse(at, reason);
    },
  };
  return counted;
}

function findEgressProblem(entry: string): string | null {
  const read = parseAllowedHost(entry);
  if (!read.ok) return read.problem;
  return read.allowed.port === null ? `“${entry.slice(0, 200)}” has no port: write host:port` : null;
}

/** The canonical path inside the package; null for one that leads out. */
function resolveInside(path: string): string | null {
  if (path.includes('\\') || path.includes('\0') || path.startsWith('/')) return null;
  const plain = posix.normalize(path).replace(/\/$/u, '');
  return plain === '..' || plain.startsWith('../') || plain === '.' ? null : plain;
}

function readSchema(
  files: FileMap,
  ref: string | undefined,
  of: 'object' | 'anything',
  at: YamlPath,
  refuse: RefuseAt,
): JsonObject | null {
  if (ref === undefined) return null;
  const no = (reason: string): null => {
    refuse(at, `${at.join('.')} “${ref.slice(0, 200)}” ${reason}`);
    return null;
  };
  const path = resolveInside(ref);
  if (path === null) return no('leads out of the package');
  const file = files.get(path);
  if (file === undefined) return no('is no file of the package');
  const read = /\.ya?ml$/iu.test(path) ? parseYaml(file.bytes) : readStrictJson(file.bytes);
  if (!read.ok) return no(read.problem);
  if (!isJsonObject(read.value)) return no('is no schema: it holds no object');
  const admitted = admitSchema(read.value, of);
  return admitted.ok ? read.value : no(admitted.problems.join('; '));
}

function parseYaml(bytes: Uint8Array): ReturnType<typeof readStrictJson> {
  try {
    const read = readStrictYaml(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return read.ok ? read : { ok: false, problem: `${read.problem} (its line ${read.line})` };
  } catch {
    return { ok: false, problem: 'is not text in UTF-8' };
  }
}

interface TransportAddress {
  readonly baseUrl: string | null;
  readonly endpoint: string;
}

function readTransport({ transport, worker }: ManifestTool, refuse: RefuseAt): TransportAddress {
  const endpoint = transport?.endpoint ?? '/run';
  if (!/^\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$/u.test(endpoint) || endpoint.startsWith('//') || hasDots(endpoint))
    refuse(['transport', 'endpoint'], `transport.endpoint “${endpoint.slice(0, 200)}” is no plain path such as /run`);
  const given = transport?.base_url ?? null;
  const why = given === null ? null : findBaseUrlProblem(given);
  if (why !== null) refuse(['transport', 'base_url'], `transport.base_url can’t be used: ${why}`);
  if (given === null && worker === undefined)
    refuse(['transport'], 'it has neither a worker nor transport.base_url: nobody could run it');
  return { baseUrl: given, endpoint };
}

const hasDots = (path: string): boolean => path.split('/').some((part) => /^(?:\.|%2e){1,2}$/iu.test(part));

function findBaseUrlProblem(url: string): string | null {
  const read = parseAddress(url);
  if (!read.ok) return read.problem;
  const host = read.address.url.hostname.replace(/^\[|\]$/gu, '');
  return isMetadataHost(host) ? `${host} is next to this computer, where a cloud keeps its metadata.` : null;
}

const PROXY_VARIABLES = /^(?:https?_proxy|no_proxy|all_proxy)$/iu;

function readWorker(tool: ManifestTool, shape: WorkerShape, files: FileMap, refuse: RefuseAt): PackagedWorker | null {
  const { image, build, command, port_env: portEnv = 'PORT', isolation } = shape;
  const ways = [image, build, command].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    refuse(['worker'], 'worker says one of image, build and command');
    return null;
  }
  for (const [index, name] of (tool.secrets ?? []).entries())
    if (name === portEnv || PROXY_VARIABLES.test(name))
      refuse(['secrets', index], `the secret ${name} has the name of a variable that Gatehouse sets itself`);
  const port = shape.port ?? readPort(tool.transport?.base_url);
  let runs: PackagedWorker['runs'];
  let name = tool.tool_id;
  if (command !== undefined) {
    runs = { kind: 'command', command, portEnv };
    const program = command.map(resolveInside).find((word) => word !== null && files.has(word)) ?? null;
    name = workerName(program) ?? name;
    for (const [index, word] of command.entries())
      if (leadsOut(word, index))
        refuse(['worker', 'command', index], `“${word.slice(0, 200)}” leads out of the package`);
  } else if (build !== undefined) {
    const folder = resolveInside(build);
    if (folder === null || ![...files.keys()].some((path) => path.startsWith(`${folder}/`))) {
      refuse(['worker', 'build'], `“${build.slice(0, 200)}” is no folder of the package`);
      return null;
    }
    if (!['Containerfile', 'Dockerfile'].some((each) => files.has(`${folder}/${each}`)))
      refuse(['worker', 'build'], `“${folder}” has no Containerfile`);
    runs = { kind: 'build', folder, bases: readBaseImages(files, folder), port };
    name = folder.split('/').at(-1) ?? name;
  } else {
    runs = { kind: 'image', image: image ?? '', id: null, port };
    if (!/^[a-z0-9][\w.:/@-]*$/iu.test(image ?? ''))
      refuse(['worker', 'image'], `“${image ?? ''}” is no name of an image`);
  }
  const gvisor = isolation === 'gvisor';
  const { kind, secrets = [], egress_allowlist: egress = [] } = tool;
  const key = digestJson({
    runs: runs as unknown as Json,
    gvisor,
    kind,
    secrets: secrets.toSorted(),
    egress: egress.toSorted(),
  });
  return { name, key, runs, gvisor };
}

/** The images that a Containerfile names, not yet looked up. One that is refused is not built: its start says why. */
function readBaseImages(files: FileMap, folder: string): ImageIds {
  const name = ['Containerfile', 'Dockerfile'].find((each) => files.has(`${folder}/${each}`)) ?? '';
  try {
    const { bases } = readBuildFile(readText(files, `${folder}/${name}`) ?? '', name);
    return Object.fromEntries(bases.map((base) => [base, null]));
  } catch {
    return {};
  }
}

/** A path of its own that climbs out; what is no path (a flag, the name of a program) leads nowhere. */
const leadsOut = (word: string, index: number): boolean =>
  word.split('/').includes('..') || (index > 0 && word.startsWith('/') && !word.startsWith('/usr/'));

const workerName = (program: string | null): string | null =>
  program === null ? null : (/^workers\/([^/]+)\//u.exec(program)?.[1] ?? null);

const readPort = (baseUrl: string | undefined): number => {
  const port = baseUrl === undefined ? '' : (URL.parse(baseUrl)?.port ?? '');
  return port === '' ? 8080 : Number(port);
};

/** Not there, or all of it is empty or a comment. */
function isBlankFile(files: FileMap, path: string): boolean {
  const text = Buffer.from(files.get(path)?.bytes ?? []).toString();
  return text.split('\n').every((line) => /^[ \t\r]*(?:#|$)/u.test(line));
}

function readPolicies(files: FileMap, ids: ReadonlySet<string>, problems: string[]): PackagePolicies | null {
  const before = problems.length;
  const yaml: ParsedYaml | null = isBlankFile(files, POLICIES)
    ? { ok: true, value: {}, lineOf: () => 1 }
    : readYamlFile(files, POLICIES, problems);
  if (yaml === null) return null;
  const refuse: RefuseAt = (at, reason) => problems.push(`${POLICIES}:${yaml.lineOf(at)}: ${reason}`);
  const shaped = checkShape(checkPolicies, yaml.value, refuse);
  if (shaped === null) return null;
  const { default: perToolDefault = 2, ...perTool } = shaped.concurrency?.per_tool ?? {};
  for (const id of Object.keys(perTool))
    if (ids.size > 0 && !ids.has(id)) refuse(['concurrency', 'per_tool', id], `the manifest has no tool “${id}”`);
  for (const [index, entry] of (shaped.egress_allowlist ?? []).entries()) {
    const why = findEgressProblem(entry);
    if (why !== null) refuse(['egress_allowlist', index], why);
  }
  if (problems.length > before) return null;
  return {
    global: shaped.concurrency?.global ?? 8,
    perTool,
    perToolDefault,
    defaultTimeoutSec: shaped.default_timeout_sec ?? 30,
    egress: emptyToNull(shaped.egress_allowlist),
    logLevel: shaped.logging?.level ?? 'info',
    maxWaiting: shaped.queue?.max_waiting ?? 100,
    maxWaitSec: shaped.queue?.max_wait_sec ?? 30,
  };
}

/** An empty list narrows nothing. */
const emptyToNull = (list: readonly string[] | undefined): readonly string[] | null =>
  list === undefined || list.length === 0 ? null : list;
