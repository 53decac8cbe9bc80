import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolLifecycle } from '#contract/vocabulary/tools/sources.js';
import type { AdvertisedTool } from './gate.js';

/** One version of a tool that programs may call. */
export interface CatalogVersion {
  readonly version: string;
  readonly state: ToolLifecycle;
  /** When it was deprecated, as its source says (ISO); null where it says nothing. */
  readonly date: string | null;
  /** What to use in its place. */
  readonly use: string | null;
}

/** A tool with all versions of it, as programs choose by. */
export interface CatalogTool {
  readonly tool: AdvertisedTool;
  /** The first part of its id. */
  readonly source: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** The highest first, without those that were removed. */
  readonly versions: readonly CatalogVersion[];
}

/** All that programs may call in a folder, sorted by name: however many there are. */
export interface ToolCatalog {
  all(folder: string): readonly CatalogTool[];
  /** By its id or its name; null for what programs can't call. */
  named(folder: string, asked: string): CatalogTool | null;
  /** What its arguments don't fit, each by its place; empty where they fit or there is no such tool. */
  misfits(folder: string, asked: string, args: JsonObject): readonly Misfit[];
}

export interface Misfit {
  /** A JSON pointer from the arguments; of what is missing its own place. */
  readonly at: string;
  readonly message: string;
  /** What would be right there, as the schema has it; undefined where it does not say. */
  readonly allowed?: readonly unknown[];
}
