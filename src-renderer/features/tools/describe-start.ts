import { joinCommandLine } from '#contract/vocabulary/text/command-line.js';
import type { SourceKind, SourceSettings } from '#contract/vocabulary/tools/sources.js';

export const KIND_LABELS: Readonly<Record<SourceKind, string>> = {
  mcp: 'MCP server',
  openapi: 'OpenAPI',
  langchain: 'LangChain',
  program: 'Program',
};

/** Words in one line what is started, or where it is reached. */
export function describeStart(settings: SourceSettings): string {
  const { command, args = [], url, file, manifest } = settings;
  if (command !== undefined) return joinCommandLine([command, ...args]);
  return url ?? file ?? manifest ?? '';
}
