/** Finds the supervisor's word that the command is over in the stream, wherever it is cut, and takes it out. */
export interface EndMarkScanner {
  push(bytes: Buffer): { readonly output: readonly Buffer[]; readonly word: string | null };
  /** The bytes that were held back because they might have been the beginning of a mark. */
  end(): Buffer;
}

const SEPARATOR = 0x1e;
const WORD_LENGTH = 8;

export function createEndMarkScanner(mark: string): EndMarkScanner {
  const pattern = Buffer.from(`\u{1e}${mark} `);
  let held: Buffer = Buffer.alloc(0);
  let found = false;

  return {
    push(bytes) {
      if (found) return { output: bytes.length === 0 ? [] : [bytes], word: null };
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      held = Buffer.alloc(0);
      const at = all.indexOf(pattern);
      if (at !== -1) {
        const wordAt = at + pattern.length;
        const end = all.indexOf(SEPARATOR, wordAt);
        if (end !== -1) {
          found = true;
          const output = [all.subarray(0, at), all.subarray(end + 1)].filter((part) => part.length > 0);
          return { output, word: all.toString('latin1', wordAt, end) };
        }
        if (all.length - wordAt < WORD_LENGTH) {
          held = all.subarray(at);
          return { output: at === 0 ? [] : [all.subarray(0, at)], word: null };
        }
      }
      const keep = possibleBeginning(all, pattern);
      if (keep < all.length) held = all.subarray(keep);
      return { output: keep === 0 ? [] : [all.subarray(0, keep)], word: null };
    },
    end() {
      const rest = held;
      held = Buffer.alloc(0);
      return rest;
    },
  };
}

/** Where a mark that is cut off by the end of the bytes would begin; their length if there is none. */
function possibleBeginning(bytes: Buffer, pattern: Buffer): number {
  const from = Math.max(0, bytes.length - pattern.length + 1);
  for (let at = bytes.indexOf(SEPARATOR, from); at !== -1; at = bytes.indexOf(SEPARATOR, at + 1)) {
    if (pattern.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
  }
  return bytes.length;
}
