import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import type { MakeSource } from '../../domain/ports/sources/source.js';
import { createLangChainSource } from '../../tools/sources/langchain/langchain-source.js';
import { createOpenApiSource } from '../../tools/sources/openapi/openapi-source.js';
import type { KindParts } from './kind-parts.js';
import { mcpKind } from './mcp-kind.js';
import { programKind } from './program-kind.js';

export type SourceKinds = Partial<Readonly<Record<SourceKind, MakeSource>>>;

/** The kinds of sources that there are: one line each. */
export const sourceKinds = (parts: KindParts): SourceKinds => ({
  langchain: createLangChainSource(parts),
  mcp: mcpKind(parts),
  openapi: createOpenApiSource(parts),
  program: programKind(parts),
});
