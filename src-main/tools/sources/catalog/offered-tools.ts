import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { SourceConfig, ToolLifecycle } from '#contract/vocabulary/tools/sources.js';
import type { Offer, OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';
import { compareVersions, isToolId, isVersion } from '../../../domain/tool/tool-identity.js';
import { digestJson } from '../../../platform/digest.js';
import { admitSchema } from '../../foreign/foreign-admission.js';
import { assignOperationIds } from '../../foreign/model-names.js';

const MAX_TOOLS = 500;
/** The limit for all that one source lists; a document is bounded as a whole. */
const MAX_LISTED_BYTES = 8 * 2 ** 20;
const DAY_MS = 86_400_000;

/** An operation that can be taken for a tool. */
export interface OfferedTool {
  /**
   * The key that it is accepted by: its id, and with it its version where it says its id itself, since several can
   * exist side by side.
   */
  readonly key: string;
  readonly toolId: string;
  readonly operation: OfferedOperation;
  /** The digest of all that is accepted with it. */
  readonly digest: string;
  readonly lifecycle: ToolLifecycle;
  readonly remarks: readonly string[];
}

export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly refused: readonly RefusedOperation[];
  /** Remarks on the source as a whole. */
  readonly remarks: readonly string[];
}

interface OfferRules {
  readonly source: string;
  readonly settings: Pick<SourceConfig, 'include' | 'exclude'> & Partial<Pick<SourceConfig, 'kind'>>;
  readonly maxVersions: number;
  readonly warningDays: number;
  readonly now: number;
}

/** Takes from an offer what can be taken. Nothing is lost silently: what can't be taken is refused with its reason. */
export function admitOffer(offer: Offer, rules: OfferRules): OfferedTools {
  const { source, settings } = rules;
  const remarks: string[] = [];
  const wanted = offer.operations.filter(({ operation }) => isWanted(operation, settings));
  const named = wanted.toSorted((one, other) => (one.operation < other.operation ? -1 : 1));
  const within = new Set(named.slice(0, MAX_TOOLS));
  if (named.length > MAX_TOOLS)
    remarks.push(`It offers ${named.length} tools. The first ${MAX_TOOLS} by name are taken; choose with “include”.`);
  const operations = wanted.filter((operation) => within.has(operation));
  const refused = [...offer.refused];
  const tools: OfferedTool[] = [];
  const ids = assignToolIds(source, operations);
  let bytes = 0;
  let leftOut = 0;
  for (const operation of operations) {
    if (settings.kind !== 'openapi') bytes += measureOperation(operation);
    if (bytes > MAX_LISTED_BYTES) {
      refused.push(refuseOperation(operation, TOO_MUCH, null));
      leftOut += 1;
      continue;
    }
    const toolId = ids.get(operation);
    const admitted = typeof toolId === 'string' ? admitTool(toolId, operation, rules) : (toolId ?? LISTED_TWICE);
    if ('reason' in admitted) refused.push(refuseOperation(operation, admitted.reason, admitted.eCode));
    else tools.push(admitted);
  }
  if (leftOut > 0) remarks.push(`It lists more than ${MAX_LISTED_BYTES / 2 ** 20} MB. ${leftOut} tools are left out.`);
  const alone = dropDuplicates(tools, refused);
  return { tools: dropLowestVersions(alone, rules.maxVersions, refused), refused, remarks };
}

interface RefusalReason {
  readonly reason: string;
  readonly eCode: string | null;
}
const LISTED_TWICE: RefusalReason = { reason: 'it stands in its list twice: the first one counts.', eCode: null };

const refuseOperation = (
  { operation, from }: OfferedOperation,
  reason: string,
  eCode: string | null,
): RefusedOperation => ({
  what: operation,
  file: from?.file ?? null,
  line: from?.line ?? null,
  // What is wrong with a manifest has a code, whoever finds it.
  eCode: eCode ?? from?.eCode ?? null,
  reason,
});

const TOO_MUCH = `all that it lists is over ${MAX_LISTED_BYTES / 2 ** 20} MB.`;

const measureOperation = ({
  operation,
  title,
  description,
  inputSchema,
  outputSchema,
  pinned,
}: OfferedOperation): number =>
  Buffer.byteLength(JSON.stringify([operation, title, description, inputSchema, outputSchema, pinned]));

/** `*` stands for anything. */
export const isWanted = (operation: string, { include, exclude }: OfferRules['settings']): boolean =>
  include.some((pattern) => matchesPattern(operation, pattern)) &&
  !exclude.some((pattern) => matchesPattern(operation, pattern));

function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** The id of each, or why it has none. */
function assignToolIds(
  source: string,
  operations: readonly OfferedOperation[],
): ReadonlyMap<OfferedOperation, string | RefusalReason> {
  const ids = new Map<OfferedOperation, string | RefusalReason>();
  const unnamed = operations.filter(({ toolId }) => toolId === null);
  for (const [at, id] of assignOperationIds(
    source,
    unnamed.map(({ operation }) => operation),
  ).entries()) {
    const operation = unnamed[at];
    if (operation !== undefined) ids.set(operation, id ?? LISTED_TWICE);
  }
  for (const operation of operations) {
    const { toolId } = operation;
    if (toolId !== null) ids.set(operation, findIdProblem(source, toolId) ?? toolId);
  }
  return ids;
}

function findIdProblem(source: string, toolId: string): RefusalReason | null {
  if (!isToolId(toolId))
    return { reason: `its tool_id “${toolId.slice(0, 100)}” is not <group>.<operation>.`, eCode: 'E3008' };
  return toolId.startsWith(`${source}.`)
    ? null
    : { reason: `its tool_id “${toolId}” must begin with “${source}.”, the source’s name.`, eCode: 'E3008' };
}

function admitTool(toolId: string, operation: OfferedOperation, rules: OfferRules): OfferedTool | RefusalReason {
  const { inputSchema, outputSchema, version } = operation;
  if (!isVersion(version))
    return { reason: `its version “${version.slice(0, 60)}” is not major.minor.patch.`, eCode: 'E3008' };
  if (!isJsonObject(inputSchema)) return { reason: 'its input schema is no object.', eCode: null };
  const input = admitSchema(inputSchema);
  if (!input.ok) return { reason: `its input schema ${input.problems.join('; ')}.`, eCode: null };
  const remarks: string[] = input.isAsMeant ? [DRAFT_FOUR_REMARK] : [];
  const unusable = outputSchema === null ? null : findSchemaProblem(outputSchema);
  if (unusable !== null) remarks.push(`Its results aren’t checked: its output schema ${unusable}.`);
  const { lifecycle, held } = resolveLifecycle(operation, rules);
  if (held !== null) remarks.push(held);
  const key = operation.toolId === null ? toolId : `${toolId}@${version}`;
  return { key, toolId, operation, digest: digestJson(toAcceptedFields(operation)), lifecycle, remarks };
}

const DRAFT_FOUR_REMARK =
  'Its schema says “exclusiveMinimum” or “exclusiveMaximum” with true or false, as draft 4 did. It is read as what that means.';

/** The fields of an operation that are accepted: every one that counts, also those that its kind forgot to name. */
const toAcceptedFields = ({
  pinned,
  title,
  description,
  inputSchema,
  outputSchema,
  claims,
  operation,
}: OfferedOperation): Json => ({
  pinned,
  title,
  description,
  inputSchema,
  outputSchema,
  claims: { ...claims },
  operation,
});

/** Null for one that can be checked. */
export function findSchemaProblem(schema: Json): string | null {
  if (!isJsonObject(schema)) return 'is no object';
  const admitted = admitSchema(schema, 'anything');
  return admitted.ok ? null : admitted.problems.join('; ');
}

/** The lifecycle of an operation. One that is marked removed too early can still be asked for by its exact version. */
function resolveLifecycle(
  { lifecycle, version }: OfferedOperation,
  { warningDays, now }: OfferRules,
): { readonly lifecycle: ToolLifecycle; readonly held: string | null } {
  if (lifecycle === null) return { lifecycle: 'active', held: null };
  const { state, deprecationDate } = lifecycle;
  if (state !== 'removed') return { lifecycle: state, held: null };
  const since = deprecationDate === null ? NaN : Date.parse(deprecationDate);
  if (now - since >= warningDays * DAY_MS) return { lifecycle: 'removed', held: null };
  const held = `Version ${version} was marked removed before ${warningDays} days of notice were over: it is held at sunset.`;
  return { lifecycle: 'sunset', held };
}

/** The same id and version with other content: the first one stays. */
function dropDuplicates(tools: readonly OfferedTool[], refused: RefusedOperation[]): readonly OfferedTool[] {
  const first = new Map<string, OfferedTool>();
  for (const tool of tools) {
    const known = first.get(tool.key);
    if (known === undefined) first.set(tool.key, tool);
    else if (known.digest !== tool.digest) {
      const reason = `${tool.key} is there already with other content: the first one counts.`;
      refused.push(refuseOperation(tool.operation, reason, 'E3007'));
    }
  }
  return [...first.values()];
}

function dropLowestVersions(
  tools: readonly OfferedTool[],
  most: number,
  refused: RefusedOperation[],
): readonly OfferedTool[] {
  const byId = Map.groupBy(tools, ({ toolId }) => toolId);
  const lowest = [...byId.values()].flatMap((versions) =>
    versions.toSorted((one, other) => compareVersions(other.operation.version, one.operation.version)).slice(most),
  );
  for (const { operation } of lowest)
    refused.push(
      refuseOperation(operation, `only ${most} versions of a tool are kept, and ${operation.version} is lower.`, null),
    );
  return tools.filter((tool) => !lowest.includes(tool));
}
