import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AdvertisedTool } from './gate.js';
import type { Tool } from '../../tool/tool.js';

export interface RegisteredTool {
  readonly tool: Tool<unknown>;
  /** Null when the arguments fit; otherwise what is wrong, in words. */
  readonly checkInput: (args: unknown) => string | null;
  readonly checkOutput: (output: unknown) => string | null;
  /** Null for tools that are the person's own: they are in the set of no other door (door-tools.ts). */
  readonly advertised: AdvertisedTool | null;
}

/** A tool that nothing here runs: the person defined it, and gives its results by hand. */
export interface DefinedTool {
  readonly id: string;
  readonly version: string;
  /** What models call it. */
  readonly name: string;
  /** What the person called it. */
  readonly ownName: string;
  readonly checkInput: (args: unknown) => string | null;
  readonly advertised: AdvertisedTool;
}

export interface RefusedTool {
  /** As it calls itself. */
  readonly name: string;
  readonly problems: readonly string[];
}

export interface DefinedTools {
  readonly byName: ReadonlyMap<string, DefinedTool>;
  readonly refused: readonly RefusedTool[];
}

export interface ToolLookup {
  /** What a name stands for: the highest version of its tool. */
  lookup(name: string): RegisteredTool | null;
  /** Exactly this one, whatever its name stands for now. */
  exactly(id: string, version: string): RegisteredTool | null;
  /** Of each tool what its name stands for, sorted by name. */
  definitions(): readonly AdvertisedTool[];
  /** What the person defined in their configuration, as far as it can be taken. */
  defined(definitions: Config['tools']['definitions']): DefinedTools;
  onChange(listener: () => void): () => void;
}

/** The version that a call was recorded with; where that is gone, another of the same tool, and never another tool of that name. */
export function recordedTool(
  tools: Pick<ToolLookup, 'lookup' | 'exactly'>,
  { tool: name, toolId, version }: Pick<CallSummary, 'tool' | 'toolId' | 'version'>,
): Tool<unknown> | null {
  if (toolId === null || version === null) return null;
  const found = tools.exactly(toolId, version) ?? tools.lookup(name);
  return found?.tool.declaration.id === toolId ? found.tool : null;
}
