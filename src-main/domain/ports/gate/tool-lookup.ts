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
  /** Why calls of it are denied as things stand, whatever else says; null where nothing is. */
  readonly stopped: Failure | null;
  /** What each caller of it is told, such as that it is deprecated. */
  readonly warnings: readonly string[];
  /** Which of its versions a name, or a range, may stand for. */
  readonly lifecycle: ToolLifecycle;
  /** What its source says to use in its place. */
  readonly insteadUse: string | null;
  /** What its source says of it besides; left out: nothing. */
  readonly about?: ToolAbout;
}

export interface ToolAbout {
  readonly category: string;
  readonly tags: readonly string[];
  /** ISO; null where it says none. */
  readonly deprecationDate: string | null;
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
  /** Why nothing goes by a name that there is a tool for: not accepted, or no version of it that a name stands for; null where there is none. */
  absent(name: string): Failure | null;
  /** Exactly this one, whatever its name stands for now. */
  exactly(id: string, version: string): RegisteredTool | null;
  /** Of each tool what its name stands for, sorted by name. */
  definitions(): readonly AdvertisedTool[];
  /** What the person defined in their configuration, as far as it can be taken. */
  defined(definitions: Config['tools']['definitions']): DefinedTools;
  onChange(listener: () => void): () => void;
}
