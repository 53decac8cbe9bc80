import type { Effect } from '#contract/vocabulary/effects.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SourceConfig } from '#contract/vocabulary/tools/sources.js';
import type { GuardCall } from '../../../domain/ports/workspace/workspace-watch.js';
import type { SourceAnswer } from '../../../domain/ports/sources/source.js';
import type { RegisteredTool, ToolDetails } from '../../../domain/ports/gate/tool-lookup.js';
import type { TermsSituation, ToolTerms } from '../../../domain/tool/terms.js';
import { panicFailure } from '../../../domain/call/failures.js';
import { sanitizeJson } from '../../../domain/text/sanitize.js';
import {
  type ProcessBounds,
  NO_OUTPUT,
  type Tool,
  type ToolContext,
  type ToolDeclaration,
  ToolFailure,
  ToolFailureWithOutput,
  type ToolOutput,
} from '../../../domain/tool/tool.js';
import { translateDraftFour } from '../../foreign/draft-four.js';
import { admitSchema } from '../../foreign/foreign-admission.js';
import { toModelDescription, toModelSchema, removeSchemaTexts, removeHidden } from '../../foreign/model-texts.js';
import type { AcceptedTool } from './source-acceptance.js';
import { askAboutNamedFiles, type IsDeniedPath } from './named-files.js';

/** The parts that a source's tool is made of. */
export interface SourceToolOptions {
  readonly source: string;
  readonly accepted: AcceptedTool;
  readonly name: string;
  /** The digest of the server and the tool together. */
  readonly digest: string;
  readonly settings: SourceConfig;
  readonly gets: (situation: TermsSituation) => Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'>;
  /** The resources that a process of one call may have at most; null where nothing limits it. */
  readonly bounds: ProcessBounds | null;
  readonly isDenied: IsDeniedPath;
  /** A call of a program that may write to the folder, in its turn there. */
  readonly guardCall: GuardCall;
  readonly call: (args: JsonObject, context: ToolContext<'remote'>) => Promise<SourceAnswer>;
}

/** An accepted operation as the registry has it: as it was accepted, and no otherwise. */
export function createSourceTool(parts: SourceToolOptions): Omit<RegisteredTool, 'stopped'> {
  const { accepted } = parts;
  const misfit = createLazyChecker(accepted.operation.inputSchema, 'object');
  // How they don't fit is told in the schema's words, too.
  const input =
    accepted.isUnread === true
      ? (args: unknown) => (misfit(args) === null ? null : 'the arguments don’t fit its schema')
      : misfit;
  const output = createLazyChecker(accepted.operation.outputSchema, 'anything');
  const declaration = buildDeclaration(parts);
  const { id, version, name, title, description, inputSchema } = declaration;
  const { lifecycle } = accepted.operation;
  const outputSchema = isJsonObject(accepted.operation.outputSchema) ? declaration.outputSchema : null;
  const unchecked = accepted.remarks.filter((remark) => remark.startsWith(UNCHECKED));
  const isPromised = outputSchema !== null && unchecked.length === 0;
  return {
    tool: buildTool(declaration, parts, isPromised ? output : () => null),
    checkInput: input,
    // The output was checked against its own schema where it came in.
    checkOutput: () => null,
    advertised: {
      id,
      version,
      name,
      title,
      description,
      inputSchema,
      outputSchema: isPromised ? toModelSchema(outputSchema) : null,
      declaration,
    },
    warnings: [
      ...(accepted.lifecycle === 'deprecated' ? [deprecationWarning(id, version, lifecycle)] : []),
      ...unchecked,
    ],
    lifecycle: accepted.lifecycle,
    insteadUse: lifecycle?.insteadUse ?? null,
    about: readAbout(accepted),
  };
}

/** A manifest says more of itself than others do. */
function readAbout({ operation: { pinned, lifecycle }, isUnread }: AcceptedTool): ToolDetails {
  const { manifest } = pinned;
  const { category = '', tags = [] } = isJsonObject(manifest ?? null) ? (manifest as JsonObject) : {};
  const isShown = (text: Json): text is string => typeof text === 'string' && (isUnread !== true || LABEL.test(text));
  return {
    category: isShown(category) ? removeHidden(category) : '',
    tags: Array.isArray(tags) ? tags.filter(isShown).map(removeHidden) : [],
    deprecationDate: lifecycle?.deprecationDate ?? null,
  };
}

/** A word by itself, which tells a model to do nothing: what nobody has read yet may be found by it. */
const LABEL = /^[\w-]{1,32}$/u;

/** How a remark begins that says that results are not checked. */
export const UNCHECKED = 'Its results aren’t checked';

function deprecationWarning(id: string, version: string, lifecycle: AcceptedTool['operation']['lifecycle']): string {
  const { insteadUse = null, deprecationDate = null } = lifecycle ?? {};
  const since = deprecationDate === null ? '' : ` since ${deprecationDate}`;
  return `E3003: version ${version} of ${id} is deprecated${since}.${insteadUse === null ? '' : ` Use ${insteadUse} instead.`}`;
}

/** Schemas were admitted when they were accepted; they are compiled when they are first needed. */
function createLazyChecker(schema: Json, of: 'object' | 'anything'): (value: unknown) => string | null {
  let check: ((value: unknown) => string | null) | null = null;
  return (value) => {
    if (check === null) {
      const admitted = isJsonObject(schema) ? admitSchema(schema, of) : null;
      check = admitted?.ok === true ? admitted.checkInput : () => 'its schema can’t be checked any more';
    }
    return check(value);
  };
}

const MAX_OUTPUT_BYTES = 2 ** 40;
const MAX_TITLE_LENGTH = 200;

function buildDeclaration({ source, accepted, name, digest, settings }: SourceToolOptions): ToolDeclaration<'remote'> {
  const { toolId } = accepted;
  const operation = accepted.isUnread === true ? removeTexts(accepted.operation) : accepted.operation;
  const { claims } = operation;
  // The person's own choice, and nothing else, makes of what a source says of itself a permission.
  const readsOnly = settings.approval === 'annotations' && claims.readOnly && !claims.requiresApproval;
  const title = removeHidden(operation.title).trim().slice(0, MAX_TITLE_LENGTH);
  const description = toModelDescription(operation.description);
  return {
    id: toolId,
    version: operation.version,
    name,
    title: title === '' ? name : title,
    description: description === '' ? `A tool of ${source}.` : description,
    nature: 'remote',
    takesBack: 'never',
    inputSchema: { ...toModelSchema(translateDraftFour(operation.inputSchema as JsonObject)), type: 'object' },
    outputSchema: isJsonObject(operation.outputSchema) ? operation.outputSchema : {},
    requiredCapabilities: ['upstream'],
    resourceLimits: { maxExecutionTimeMs: resolveTimeoutMs(accepted, settings), maxOutputBytes: MAX_OUTPUT_BYTES },
    deterministic: false,
    // What a source says of that is no reason to send anything twice.
    idempotent: false,
    sideEffecting: !readsOnly,
    requiresApproval: !readsOnly,
    risk: claims.destructive && !claims.readOnly ? 'high' : 'medium',
    openWorld: claims.openWorld,
    destructive: claims.destructive,
    accepted: digest,
  };
}

/** Removes the words of a tool that nobody read: a model is given what it takes to call it. */
const removeTexts = (operation: AcceptedTool['operation']): AcceptedTool['operation'] => ({
  ...operation,
  title: '',
  description: '',
  inputSchema: isJsonObject(operation.inputSchema) ? removeSchemaTexts(operation.inputSchema) : {},
  outputSchema: isJsonObject(operation.outputSchema) ? removeSchemaTexts(operation.outputSchema) : null,
});

const resolveTimeoutMs = ({ operation }: AcceptedTool, { timeout_seconds: seconds }: SourceConfig): number =>
  operation.timeoutMs === null ? seconds * 1000 : Math.min(operation.timeoutMs, seconds * 1000);

function buildTool(
  declaration: ToolDeclaration<'remote'>,
  parts: SourceToolOptions,
  misfit: (structured: unknown) => string | null,
): Tool<unknown> {
  const timeoutMs = (): number => declaration.resourceLimits.maxExecutionTimeMs;
  const tool: Tool<JsonObject, 'remote'> = {
    declaration,
    argumentsBoundedElsewhere: [],
    ...(parts.bounds === null ? {} : { bounds: parts.bounds }),
    timeoutMs,
    termsFor: (situation) => ({
      nature: 'remote',
      ...parts.gets(situation),
      limits: { timeMs: timeoutMs(), outputBytes: situation.config.tools.output.max_bytes },
    }),
    ruleScope: () => ({ of: 'tool' }),
    parse: (args) => args,
    summary: () => `${declaration.title} (${parts.source})`,
    preflight: async (args, { config }) => {
      const { paths } = parts.gets({
        config,
        confinement: { available: true, problem: null },
        network: NOTHING_ALLOWED,
      });
      const asked = askAboutNamedFiles(args, paths, config, parts.isDenied);
      return { ...asked, risk: asked.mustAsk === null ? declaration.risk : 'high' };
    },
    effect: async (): Promise<Effect> => ({ kind: 'arguments' }),
    execute: (args, context) =>
      runGuarded(parts, context, async () =>
        toToolOutput(await parts.call(args, context), declaration.name, misfit, context),
      ),
  };
  return tool;
}

/**
 * Runs the work of a program that may write to the folder, and keeps nothing that it left of the files that other
 * programs obey. What else it left is told however it ended, or was stopped.
 */
async function runGuarded(
  { guardCall }: SourceToolOptions,
  { terms, folder, callId, signal }: ToolContext<'remote'>,
  work: () => Promise<ToolOutput>,
): Promise<ToolOutput> {
  if (terms.paths !== 'change' || terms.process === null || folder === null) return work();
  const { done, left } = await guardCall(callId, folder, signal, work);
  const { changedFiles, createdFolders, ...others } = left;
  const aftermath = { ...others, networkUse: null };
  if (done.status === 'fulfilled' && !signal.aborted) return { ...done.value, changedFiles, createdFolders, aftermath };
  const reason: unknown = done.status === 'rejected' ? done.reason : signal.reason;
  const output = reason instanceof ToolFailureWithOutput ? reason.output : NO_OUTPUT;
  const [failure, options] =
    reason instanceof ToolFailure ? [reason.failure] : [panicFailure(reason), { cause: reason }];
  throw new ToolFailureWithOutput(failure, { ...output, changedFiles, createdFolders, aftermath }, options);
}

/**
 * Turns an answer into a result. It is another's text: its control characters go, and what does not fit the schema that
 * it promised is no result.
 */
function toToolOutput(
  { content, structured, storedOutputs, confinement, warnings }: SourceAnswer,
  name: string,
  misfit: (structured: unknown) => string | null,
  { outputLimit }: ToolContext<'remote'>,
): ToolOutput {
  const wrong = misfit(structured);
  if (wrong !== null) {
    const message = `${name} gave a result that does not fit what it promised: ${wrong}`;
    throw new ToolFailure({ code: 'OutputInvalid', message, eCode: 'E3501' });
  }
  const shown = isJsonObject(structured) ? (sanitizeJson(structured) as JsonObject) : null;
  const tooLarge = shown !== null && Buffer.byteLength(JSON.stringify(shown)) > outputLimit;
  return {
    content,
    structured: tooLarge ? null : shown,
    allowTruncation: true,
    outputBytes: Buffer.byteLength(content),
    outputBytesLeftOut: 0,
    storedOutputs,
    changedFiles: [],
    confinement,
    resources: null,
    warnings: tooLarge
      ? [...warnings, 'Its structured result was left out: it is larger than the limit for results.']
      : warnings,
  };
}
