import type { SearchEntry } from './search-entry.js';
import { extractWords } from './extract-words.js';

/** Weights of a word by where it occurs; in a description of usual length a word weighs 1. */
const NAME_WEIGHT = 1.3;
const SOURCE_WEIGHT = 1;
const PARAMETER_WEIGHT = 0.3;
const LENGTH_WEIGHT = 0.6;

/**
 * Searches by words: BM25 where a word counts once however often it occurs in a text, so that repeating it is no use,
 * and where in a text of many words each weighs the less.
 */
export class WordIndex {
  readonly #count: number;
  /** Postings by word: the tools that have it, and its weight for each. */
  readonly #postings = new Map<string, { readonly at: number; readonly says: number }[]>();

  constructor(tools: readonly SearchEntry[]) {
    this.#count = tools.length;
    const all = tools.reduce((sum, { words }) => sum + countWords(words), 0);
    const usual = Math.max(1, all / Math.max(1, tools.length));
    for (const [at, { words }] of tools.entries()) {
      const each = (1 + LENGTH_WEIGHT) / (1 + (LENGTH_WEIGHT * countWords(words)) / usual);
      const says = new Map<string, number>();
      const add = (some: ReadonlySet<string>, much: number): void => {
        for (const word of some) says.set(word, Math.max(much, says.get(word) ?? 0));
      };
      add(words.ofParameters, PARAMETER_WEIGHT * each);
      add(words.ofDescription, each);
      add(words.ofSource, SOURCE_WEIGHT);
      add(words.ofName, NAME_WEIGHT);
      for (const [word, much] of says) {
        const having = this.#postings.get(word) ?? [];
        if (having.length === 0) this.#postings.set(word, having);
        having.push({ at, says: much });
      }
    }
  }

  /** Scores each tool by how much of the question occurs in it, 0–1. */
  scores(query: string): Float32Array {
    const scores = new Float32Array(this.#count);
    let most = 0;
    for (const word of extractWords(query)) {
      const having = this.#postings.get(word) ?? [];
      const rare = Math.log(1 + (this.#count - having.length + 0.5) / (having.length + 0.5));
      most += rare * NAME_WEIGHT;
      for (const { at, says } of having) scores[at] = (scores[at] ?? 0) + rare * says;
    }
    return most === 0 ? scores : scores.map((score) => Math.min(1, score / most));
  }
}

const countWords = ({ ofDescription, ofParameters }: SearchEntry['words']): number =>
  ofDescription.size + ofParameters.size;
