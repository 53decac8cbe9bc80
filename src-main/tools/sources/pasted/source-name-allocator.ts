const MAX_NAME_LENGTH = 32;
/** Ours alone. */
const RESERVED = 'gatehouse';

/** Names as sources may have them, each given once. */
export class SourceNameAllocator {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...taken, RESERVED]);
  }

  /** The nearest to what it was called. */
  give(called: string): string {
    const plain = called
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, '-')
      .replaceAll(/^-+|-+$/gu, '')
      .slice(0, MAX_NAME_LENGTH)
      .replace(/-+$/u, '');
    const base = plain === '' ? 'server' : plain;
    let name = base;
    for (let number = 2; this.#taken.has(name); number += 1) {
      const mark = `-${number}`;
      name = `${base.slice(0, MAX_NAME_LENGTH - mark.length)}${mark}`;
    }
    this.#taken.add(name);
    return name;
  }
}

/** Names a server that nobody named: by its package, its program, its host. */
export function nameFromLaunch(words: readonly string[]): string {
  const [program = '', ...args] = words;
  const runner =
    /(?:^|[\\/])(?:npx|bunx|pnpx|uvx|pipx|node|python3?|deno|docker|uv|bun|pnpm|yarn)(?:\.exe|\.cmd)?$/u.test(program);
  const what = runner
    ? args.find((word) => !word.startsWith('-') && !/^(?:run|exec|dlx|x|tool)$/u.test(word))
    : program;
  return (what ?? program)
    .replace(/(?<=.)@[^@/]*$/u, '')
    .replace(/^.*[\\/]/u, '')
    .replace(/\.\w{1,4}$/u, '');
}
