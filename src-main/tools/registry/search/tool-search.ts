import type { Embedder } from '../../../domain/ports/embedder.js';
import type { AdvertisedTool } from '../../../domain/ports/gate/gate.js';
import type { FoundTool, SearchAnswer, ToolFinder } from '../../../domain/ports/gate/tool-finder.js';
import type { ToolLookup } from '../../../domain/ports/gate/tool-lookup.js';
import { SerialQueue } from '../../../platform/serial-queue.js';
import { cosine, type VectorStore, VectorCache } from './vector-cache.js';
import { type SearchEntry, toSearchEntry } from './search-entry.js';
import { WordIndex } from './word-index.js';

export interface ToolSearchDeps {
  readonly tools: Pick<ToolLookup, 'listDefinitions'>;
  /** The embedder by the current settings; null where only words are to count. */
  readonly embedder: () => Embedder | null;
  readonly kept: VectorStore;
  /** Takes secrets out of what is asked, before it goes to a model. */
  readonly withoutSecrets: (text: string) => string;
  /** So long a question waits for descriptions that are new; left out, ten seconds. */
  readonly patienceMs?: number;
}

/** Tried on sixty questions (tool-search.integration.test.ts): 0.2 to 0.4 are alike. */
const WORDS_WEIGHT = 0.3;
/** The least score: a tool below it has nothing to do with the question. */
const MIN_SCORE = 0.1;
/** The score from which a tool that comes with Gatehouse is an answer, and no other comes before it. */
const BUILTIN_ANSWER_SCORE = 0.25;
const PATIENCE_MS = 10_000;

interface SearchIndex {
  readonly of: readonly AdvertisedTool[];
  readonly tools: readonly SearchEntry[];
  readonly words: WordIndex;
}

/** The tools that answer a question, by meaning and by words together. It says what there is, and decides nothing. */
export class ToolSearch implements ToolFinder {
  readonly #parts: ToolSearchDeps;
  readonly #vectors: VectorCache;
  readonly #making = new SerialQueue();
  /** Search entries, cached for as long as their tools are the same. */
  readonly #searched = new WeakMap<AdvertisedTool, SearchEntry>();
  #index: SearchIndex | null = null;

  constructor(parts: ToolSearchDeps) {
    this.#parts = parts;
    this.#vectors = new VectorCache(parts.kept);
  }

  async find(query: string, limit: number, isOffered: (tool: AdvertisedTool) => boolean): Promise<SearchAnswer> {
    const asked = query.trim();
    const embedder = this.#parts.embedder();
    if (asked === '') return toSearchAnswer([], embedder === null, null);
    const index = this.#current();
    const ofWords = index.words.scores(asked);
    const meant = embedder === null ? null : await this.#meanings(asked, index, embedder);
    const problem = typeof meant === 'string' ? meant : null;
    const meanings = meant === null || typeof meant === 'string' ? null : meant;
    // What came, went or changed meanwhile was not looked at.
    const now = this.#current();
    const still = now === index ? null : new Map(now.tools.map(({ tool: { id }, digest }) => [id, digest]));
    const scored = index.tools.flatMap((searched, at) => {
      const byWords = ofWords[at] ?? 0;
      const own = meanings === null ? byWords : combineScores(byWords, meanings[at] ?? 0);
      const isIn =
        own >= (meanings === null ? Number.MIN_VALUE : MIN_SCORE) &&
        (still === null || still.get(searched.tool.id) === searched.digest);
      return isIn && isOffered(searched.tool) ? [{ searched, own }] : [];
    });
    return toSearchAnswer(rankTools(scored).slice(0, limit), meanings === null, problem);
  }

  /** Makes what a question will need, so that the first one need not wait for it. */
  async prepare(): Promise<void> {
    const embedder = this.#parts.embedder();
    if (embedder === null) return;
    await this.#making.run(() => this.#vectors.makeFor(this.#current().tools, embedder));
  }

  #current(): SearchIndex {
    const of = this.#parts.tools.listDefinitions();
    if (this.#index?.of === of) return this.#index;
    const tools = of.map((tool) => {
      const known = this.#searched.get(tool) ?? toSearchEntry(tool);
      this.#searched.set(tool, known);
      return known;
    });
    this.#index = { of, tools, words: new WordIndex(tools) };
    return this.#index;
  }

  /** Scores by meaning, in the order of the tools; or the reason, in words, why there are none. */
  async #meanings(asked: string, { tools }: SearchIndex, embedder: Embedder): Promise<Float32Array | string> {
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => resolve(NOT_YET), this.#parts.patienceMs ?? PATIENCE_MS);
    try {
      return await Promise.race([this.#compared(asked, tools, embedder), late]);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #compared(asked: string, tools: readonly SearchEntry[], embedder: Embedder): Promise<Float32Array> {
    const vectors = await this.#making.run(async () => {
      await this.#vectors.makeFor(tools, embedder);
      return tools.map((tool) => this.#vectors.of(tool));
    });
    const [question] = await embedder.embed([this.#parts.withoutSecrets(asked)]);
    if (question === undefined) throw new Error('The model gave no vector for the question.');
    if (vectors.some((vector) => vector?.length !== question.length)) {
      this.#vectors.forget();
      throw new Error('The model gave a vector of another length for the question than for the tools.');
    }
    return Float32Array.from(vectors, (vector) => {
      const near = vector === null ? 0 : cosine(question, vector);
      return near < embedder.threshold ? 0 : near;
    });
  }
}

const NOT_YET = 'The tools’ descriptions are not read yet. Ask again in a moment.';

const combineScores = (words: number, meaning: number): number =>
  Math.min(1, WORDS_WEIGHT * words + (1 - WORDS_WEIGHT) * Math.max(0, meaning));

interface ScoredTool {
  readonly searched: SearchEntry;
  readonly own: number;
}

/** Best first. Whatever others write of theirs, a tool of ours that is an answer is as good as the best of them, and so stands before it. */
function rankTools(scored: readonly ScoredTool[]): readonly (FoundTool & { readonly own: number })[] {
  const bestOfOthers = Math.max(0, ...scored.filter(({ searched }) => !searched.isOurs).map(({ own }) => own));
  return scored
    .map(({ searched: { tool, source, isOurs }, own }) => ({
      name: tool.name,
      toolId: tool.id,
      title: tool.title,
      description: tool.description,
      source,
      isOurs,
      score: roundScore(isOurs && own >= BUILTIN_ANSWER_SCORE ? Math.max(own, bestOfOthers) : own),
      own,
    }))
    .toSorted(
      (one, other) =>
        other.score - one.score ||
        Number(other.isOurs) - Number(one.isOurs) ||
        other.own - one.own ||
        (one.name < other.name ? -1 : 1),
    );
}

const roundScore = (score: number): number => Math.round(score * 1000) / 1000;

function toSearchAnswer(
  found: readonly (FoundTool & { readonly own?: number })[],
  wordsOnly: boolean,
  problem: string | null,
): SearchAnswer {
  return {
    tools: found.map(({ name, toolId, title, description, source, score }) => ({
      name,
      toolId,
      title,
      description,
      source,
      score,
    })),
    by: wordsOnly ? 'words' : 'meaning',
    problem,
  };
}
