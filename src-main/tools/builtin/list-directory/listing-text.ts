import type { ListDirectoryResult, ListedEntry } from './definition.js';

/** JSON that no later step needs to clean: DEL and C1, which JSON lets through, are escaped like the rest. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Collects entries while they fit; entries are dropped whole, never characters. */
export class ListingText {
  readonly #path: string;
  readonly #maxEntries: number;
  readonly #limit: number;
  readonly #entries: ListedEntry[] = [];
  readonly #texts: string[] = [];
  #bytes: number;
  #reason: ListDirectoryResult['truncated_reason'] = null;

  constructor(path: string, maxEntries: number, limit: number) {
    this.#path = path;
    this.#maxEntries = maxEntries;
    this.#limit = limit;
    // As large as what stands around the entries can get.
    this.#bytes = Buffer.byteLength(this.#text([], '', maxEntries, 'max_output_bytes'));
  }

  /** Whether it has room for even an empty listing. */
  get possible(): boolean {
    return this.#bytes <= this.#limit;
  }

  get full(): boolean {
    return this.#reason !== null;
  }

  add(entry: ListedEntry): void {
    if (this.#entries.length >= this.#maxEntries) {
      this.#reason = 'max_entries';
      return;
    }
    const text = plainJson(entry);
    const bytes = Buffer.byteLength(text) + (this.#entries.length > 0 ? 1 : 0);
    if (this.#bytes + bytes > this.#limit) {
      this.#reason = 'max_output_bytes';
      return;
    }
    this.#bytes += bytes;
    this.#entries.push(entry);
    this.#texts.push(text);
  }

  finish(): { readonly content: string; readonly result: ListDirectoryResult } {
    const result = this.#result(this.#entries, this.#entries.length, this.#reason);
    return { content: this.#text(this.#entries, this.#texts.join(','), this.#entries.length, this.#reason), result };
  }

  #result(
    entries: ListedEntry[],
    returned: number,
    reason: ListDirectoryResult['truncated_reason'],
  ): ListDirectoryResult {
    return {
      path: this.#path,
      entries,
      returned,
      max_entries: this.#maxEntries,
      truncated: reason !== null,
      truncated_reason: reason,
    };
  }

  /** The same as `plainJson` of the result, without spelling each entry twice. */
  #text(
    entries: ListedEntry[],
    texts: string,
    returned: number,
    reason: ListDirectoryResult['truncated_reason'],
  ): string {
    const { path, entries: _, ...rest } = this.#result(entries, returned, reason);
    return `{"path":${plainJson(path)},"entries":[${texts}],${plainJson(rest).slice(1)}`;
  }
}
