import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolLifecycle } from '#contract/vocabulary/tools/sources.js';
import type { AdvertisedTool } from './gate.js';

/** A version of a tool that programs may call. */
export interface CatalogVersion {
  readonly version: string;
  readonly state: ToolLifecycle;
  /** When it was deprecated, as its source says (ISO); null where it says nothing. */
  readonly date: string | null;
  /** The tool to use in its place. */
  readonly use: string | null;
}

/** A tool with all its versions, for programs to choose from. */
export interface CatalogTool {
  readonly tool: AdvertisedTool;
  /** The first part of its id. */
  readonly source: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** The highest first, without those that were removed. */
  readonly versions: readonly CatalogVersion[];
}

/** Every tool that programs may call in a folder, sorted by name: however many there are. */
export interface ToolCatalog {
  listTools(folder: string): readonly CatalogTool[];
  /** Finds a tool by its id or its name; null for what programs can't call. */
  findTool(folder: string, asked: string): CatalogTool | null;
  /** Lists where the arguments don't fit, each by its place; empty where they fit or there is no such tool. */
  findMisfits(folder: string, asked: string, args: JsonObject): readonly Misfit[];
}

export interface Misfit {
  /** A JSON pointer from the arguments; for something missing, to the place where it belongs. */
  readonly at: string;
  readonly message: string;
  /** The values that would be right there, as the schema has them; undefined where it does not say. */
  readonly allowed?: readonly unknown[];
}
