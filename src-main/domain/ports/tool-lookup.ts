import type { AdvertisedTool } from './gate.js';
import type { Tool } from '../tool/tool.js';

export interface RegisteredTool {
  readonly tool: Tool<unknown>;
  /** Null when the arguments fit; otherwise what is wrong, in words. */
  readonly checkInput: (args: unknown) => string | null;
  readonly checkOutput: (output: unknown) => string | null;
  /** Null for tools that are the person's own: they are in the set of no other door (door-tools.ts). */
  readonly advertised: AdvertisedTool | null;
}

export interface ToolLookup {
  lookup(name: string): RegisteredTool | null;
  /** Sorted by name. */
  definitions(): readonly AdvertisedTool[];
  onChange(listener: () => void): () => void;
}
