import { type NetworkTerms, NO_NETWORK } from '#contract/vocabulary/network.js';
import { parseAddress } from '../../../domain/outside/address.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AdvertisedTool } from '../../../domain/ports/gate/gate.js';
import type { ToolFinder } from '../../../domain/ports/gate/tool-finder.js';
import { FIND_TOOLS_ID } from '../../../domain/tool/call-tool.js';
import { defineTool } from '../../define-tool.js';
import { fileToolOutput } from '../file-tool-parts.js';
import { findTools, type FindToolsResult } from './definition.js';

export interface FindToolsDeps {
  readonly finder: ToolFinder;
  /** Whether a program may call it, by the settings of its call. */
  readonly isOffered: (tool: AdvertisedTool, config: Config) => boolean;
}

const USUAL_LIMIT = 10;
/** Length of a description that a model reads to choose by; the rest it learns as it calls. */
const MAX_DESCRIPTION_LENGTH = 600;
/** Time for the model’s own start and many new tools, on a slow machine. */
const TIME_LIMIT_MS = 30_000;

export const findToolsTool = ({ finder, isOffered }: FindToolsDeps) =>
  defineTool(findTools, {
    timeoutMs: () => TIME_LIMIT_MS,
    sends: ({ search }) => (search.provider === 'ollama' ? networkForSearch(search.ollama_base_url) : NO_NETWORK),
    parse: ({ query, limit = USUAL_LIMIT }) => ({ query, limit }),
    summary: ({ query }) => `Find tools: ${query}`,
    preflight: () => Promise.resolve({ risk: 'low', mustAsk: null }),
    effect: () => Promise.resolve({ kind: 'arguments' }),
    async execute({ query, limit }, { config }) {
      const { tools, by, problem } = await finder.find(
        query,
        limit,
        (tool) => tool.id !== FIND_TOOLS_ID && isOffered(tool, config),
      );
      const warnings = problem === null ? [] : [`E3005: Only words were compared. ${problem}`];
      const found: FindToolsResult = {
        tools: tools.map(({ name, toolId, description, source, score }) => ({
          name,
          tool_id: toolId,
          description: shortened(description),
          source,
          score,
        })),
        ...(by === 'words' ? { search: by } : {}),
        ...(warnings.length === 0 ? {} : { warnings }),
      };
      return fileToolOutput(JSON.stringify(found), found, { allowTruncation: false, warnings });
    },
  });

/** Determines where a search sends its words; an Ollama on this computer tells nobody. */
function networkForSearch(baseUrl: string): NetworkTerms {
  const read = parseAddress(baseUrl);
  if (!read.ok || read.address.isLoopback) return NO_NETWORK;
  return { reach: 'hosts', hosts: [read.address.url.host], by: 'settings' };
}

const shortened = (text: string): string =>
  text.length > MAX_DESCRIPTION_LENGTH ? `${text.slice(0, MAX_DESCRIPTION_LENGTH - 1)}…` : text;
