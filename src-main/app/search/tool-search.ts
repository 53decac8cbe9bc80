import { join } from 'node:path';
import type { Config } from '#contract/vocabulary/config.js';
import { isOfferedToPrograms, listOfferedTools } from '../../domain/policy/offered-tools.js';
import type { Embedder } from '../../domain/ports/embedder.js';
import { FIND_TOOLS_ID } from '../../domain/tool/call-tool.js';
import { createOutside } from '../../outside/outside-client.js';
import { readCachedBytes, writeCachedBytes } from '../../platform/files/cached-bytes.js';
import { OnDemandModel } from '../../platform/sentence-model/on-demand-model.js';
import { startProcess } from '../../platform/asked/start-process.js';
import { Throttle } from '../../platform/timing/throttle.js';
import { findToolsTool } from '../../tools/builtin/find-tools/handler.js';
import type { ToolRegistry } from '../../tools/registry/registry.js';
import { createOllamaEmbedder } from '../../tools/registry/search/ollama.js';
import { ToolSearch } from '../../tools/registry/search/tool-search.js';
import { done } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Shell } from '../shell.js';

export interface SearchWing {
  readonly search: ToolSearch;
  readonly close: () => void;
}

/** Sources come one after another, and say more of themselves as they do. */
const BETWEEN_MS = 2000;
const NOTHING_USED: ReadonlySet<string> = new Set();

/** How tools are found, by the person's own settings. */
export function openToolSearch(
  { config, built, paths, redactor, logger, shown }: Shell,
  registry: ToolRegistry,
): SearchWing {
  const outside = createOutside({ secret: () => null, variable: () => null });
  const held = new OnDemandModel({
    start: () =>
      startProcess(join(built, 'sentence-model.js'), 'Gatehouse sentence model', [
        join(built, '..', '..', 'resources', 'sentence-model'),
      ]),
    log: (message, details) => logger.warn(message, { details }),
  });
  const file = paths.toolVectors;
  const search = new ToolSearch({
    tools: registry,
    embedder: () => embedderBy(config.everywhere.search, held, outside),
    kept: { read: () => readCachedBytes(file), write: (bytes) => writeCachedBytes(file, bytes) },
    withoutSecrets: (text) => redactor.text(text).value,
  });
  registry.register(
    findToolsTool({
      finder: search,
      isOffered: (tool, settings) => isOfferedToPrograms(registry, tool.name, settings),
    }),
  );

  const preparing = new Throttle(BETWEEN_MS, async () => {
    await shown;
    // Where all are listed nobody searches, or one waits a moment.
    if (!listOfferedTools(registry, config.everywhere, NOTHING_USED).isShort) return;
    await search
      .prepare()
      .catch((error: unknown) => logger.warn('Tools could not be made ready to be found', { error }));
  });
  const stopFollowing = registry.onChange(() => preparing.ask());
  config.watch(
    ({ everywhere: { search: by, tools } }) => [by, tools.advertise_at_most],
    () => preparing.ask(),
  );
  return {
    search,
    close: () => {
      stopFollowing();
      held.close();
      outside.close();
    },
  };
}

function embedderBy(
  { provider, ollama_base_url: baseUrl, embedding_model: model, threshold }: Config['search'],
  held: Embedder,
  outside: ReturnType<typeof createOutside>,
): Embedder | null {
  switch (provider) {
    case 'builtin':
      return held;
    case 'ollama':
      return createOllamaEmbedder({ baseUrl, model, threshold }, outside);
    case 'words':
      return null;
  }
}

export const searchChannels = ({ search }: SearchWing) =>
  ({
    'tools.search': async ({ query, limit }) => {
      const { tools, by, problem } = await search.find(query, limit, ({ id }) => id !== FIND_TOOLS_ID);
      return done({
        tools: tools.map(({ name, toolId, source, title, score }) => ({ name, toolId, source, title, score })),
        search: by,
        warning: problem,
      });
    },
  }) satisfies Partial<Handlers>;
