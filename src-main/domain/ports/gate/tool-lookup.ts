import type { Config } from '#contract/vocabulary/config.js';
import type { AdvertisedTool } from './gate.js';
import type { ToolLifecycle } from '#contract/vocabulary/tools/sources.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Tool } from '../../tool/tool.js';

export interface RegisteredTool {
  readonly tool: Tool<unknown>;
  /** Null when the arguments fit; otherwise what is wrong, in words. */
  readonly checkInput: (args: unknown) => string | null;
  readonly checkOutput: (output: unknown) => string | null;
  /** Null for tools that are the person's own: they are in the set of no other door (door-tools.ts). */
  readonly advertised: AdvertisedTool | null;
  /** The failure that denies its calls now, whatever else is said; null where nothing does. */
  readonly stopped: Failure | null;
  /** Warnings that each caller of it is told, such as that it is deprecated. */
  readonly warnings: readonly string[];
  /** The state of this version, by which a name, or a range, may resolve to it. */
  readonly lifecycle: ToolLifecycle;
  /** The tool that its source says to use in its place. */
  readonly insteadUse: string | null;
  /** Further words of its source about it; left out: none. */
  readonly about?: ToolDetails;
}

export interface ToolDetails {
  readonly category: string;
  readonly tags: readonly string[];
  /** ISO; null where it says none. */
  readonly deprecationDate: string | null;
}

/** A tool that nothing here runs: the person defined it, and gives its results by hand. */
export interface DefinedTool {
  readonly id: string;
  readonly version: string;
  /** The name that models call it by. */
  readonly name: string;
  /** The name that the person gave it. */
  readonly ownName: string;
  readonly checkInput: (args: unknown) => string | null;
  readonly advertised: AdvertisedTool;
}

export interface RefusedTool {
  /** The name that it has in the configuration. */
  readonly name: string;
  readonly problems: readonly string[];
}

export interface DefinedTools {
  readonly byName: ReadonlyMap<string, DefinedTool>;
  readonly refused: readonly RefusedTool[];
}

export interface ToolLookup {
  /** Resolves a name: to the highest version of its tool. */
  lookup(name: string): RegisteredTool | null;
  /**
   * Says why a name does not resolve though there is a tool for it: not accepted, or no version of it that a name
   * resolves to; null where there is none.
   */
  explainAbsence(name: string): Failure | null;
  /** Finds exactly this version, whatever its name resolves to now. */
  lookupVersion(id: string, version: string): RegisteredTool | null;
  /** The version of each tool that its name resolves to, sorted by name. */
  listDefinitions(): readonly AdvertisedTool[];
  /** Reads the tools that the person defined in their configuration, as far as they can be taken. */
  readDefined(definitions: Config['tools']['definitions']): DefinedTools;
  onChange(listener: () => void): () => void;
}
