import type { Failure } from '#contract/vocabulary/outcomes.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Asker } from '../call/asker.js';
import type { DeclaredCall, ValidatedCall } from '../call/call-stages.js';
import type { DefinedTool, RegisteredTool, ToolLookup } from '../ports/gate/tool-lookup.js';
import type { ToolDeclaration } from '../tool/tool.js';
import type { ToolIdentity } from '../tool/tool-identity.js';

/** The part of a tool that the rules look at. */
export interface JudgedTool extends Pick<
  ToolDeclaration,
  'name' | 'id' | 'version' | 'sideEffecting' | 'requiresApproval'
> {
  /** Whether the tool is offered at the person's doors alone. */
  readonly personsOwn: boolean;
  /** Why it does not run as things stand; left out where nothing is against it. */
  readonly stopped?: Failure;
  /**
   * Whether the tool came with the package of a domain that the person took: their yes covers what it would ask about.
   */
  readonly ofDomain?: true;
}

/**
 * Whether the asker's door reaches a tool. Each door has its set: the person's reach every tool, all others those that
 * are advertised.
 */
export const canReachTool = ({ person }: Asker, { personsOwn }: Pick<JudgedTool, 'personsOwn'>): boolean =>
  person || !personsOwn;

export function judgedTool({ tool, advertised, stopped }: RegisteredTool): JudgedTool {
  const { name, id, version, sideEffecting, requiresApproval, ofDomain } = tool.declaration;
  return {
    name,
    id,
    version,
    sideEffecting,
    requiresApproval,
    personsOwn: advertised === null,
    ...(stopped === null ? {} : { stopped }),
    ...(ofDomain === undefined ? {} : { ofDomain }),
  };
}

/** A name, with the versions that are meant where its program says which. */
export const requestedName = ({ toolName, wanted }: Pick<DeclaredCall, 'toolName' | 'wanted'>): string =>
  wanted === undefined ? toolName : `${toolName}@${wanted.versions}`;

/**
 * Resolves the tool that a call's name means, whoever asks: for a call that was judged, the very version it was judged
 * on, as long as that exists.
 */
function resolveTool(tools: ToolLookup, call: DeclaredCall | ValidatedCall): RegisteredTool | null {
  if (!('tool' in call)) return tools.lookup(requestedName(call));
  const { id, version } = call.tool.declaration;
  return tools.lookupVersion(id, version) ?? tools.lookup(requestedName(call));
}

export function findJudgedTool(tools: ToolLookup, call: DeclaredCall | ValidatedCall): JudgedTool | null {
  const found = resolveTool(tools, call);
  return found === null ? null : judgedTool(found);
}

/** The tool of a call, as its asker finds it. */
export function findReachableTool(tools: ToolLookup, call: DeclaredCall | ValidatedCall): RegisteredTool | null {
  const found = resolveTool(tools, call);
  return found !== null && canReachTool(call.asker, judgedTool(found)) ? found : null;
}

/**
 * Resolves the identity of the tool that a call means. Where tools only wait for results, the person's own definitions
 * count too.
 */
export function identifyTool(tools: ToolLookup, call: DeclaredCall | ValidatedCall, config: Config): ToolIdentity {
  const found = findReachableTool(tools, call)?.tool.declaration ?? findDefinedTool(tools, call.toolName, config);
  return { name: found?.name ?? call.toolName, id: found?.id ?? null, version: found?.version ?? null };
}

export function findDefinedTool(tools: ToolLookup, name: string, { tools: settings }: Config): DefinedTool | null {
  return settings.mode === 'parse_only' ? (tools.readDefined(settings.definitions).byName.get(name) ?? null) : null;
}

export const unknownToolFailure = (name: string): Failure => ({
  code: 'UnknownTool',
  message: `There is no tool “${toVisibleLine(name, 100)}”.`,
});
