import type { AdvertisedTool } from './gate.js';

export interface FoundTool {
  readonly name: string;
  readonly toolId: string;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  /** How well it answers, 0–1. */
  readonly score: number;
}

export interface SearchAnswer {
  /** Best first. */
  readonly tools: readonly FoundTool[];
  readonly by: 'meaning' | 'words';
  /** Why words alone counted where meaning was to count too; null where nothing went wrong. */
  readonly problem: string | null;
}

/** Finds the tools that answer a question. */
export interface ToolFinder {
  find(query: string, limit: number, isOffered: (tool: AdvertisedTool) => boolean): Promise<SearchAnswer>;
}

export const MAX_QUERY_CHARACTERS = 4000;
