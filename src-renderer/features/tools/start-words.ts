import { commandLine } from '#contract/vocabulary/text/command-words.js';
import type { SourceKind, SourceSettings } from '#contract/vocabulary/tools/sources.js';

export const KIND_WORDS: Readonly<Record<SourceKind, string>> = {
  mcp: 'MCP server',
  openapi: 'OpenAPI',
  langchain: 'LangChain',
  program: 'Program',
};

/** Words in one line what is started, or where it is reached. */
export function startWords(settings: SourceSettings): string {
  const { command, args = [], url, file, manifest } = settings;
  if (command !== undefined) return commandLine([command, ...args]);
  return url ?? file ?? manifest ?? '';
}
