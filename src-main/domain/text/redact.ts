import type { Json } from '#contract/vocabulary/json.js';
import { findSecrets, type SecretDetectors, STRUCTURE_ONLY } from './secrets/find.js';
import { isFolderName, isSecretName } from './secrets/names.js';
import { isOtherSecret } from './secrets/other-names.js';
import { redactSpans, REDACTED } from './secrets/spans.js';

export { REDACTED };

/** Secrets out of what is shown, logged, kept or exported. Better one too many than one too few; never a guarantee. */
export interface Redacted<T> {
  readonly value: T;
  /** How many places were blotted out. */
  readonly count: number;
}

export interface RedactOptions {
  /** Also e-mail addresses: for what leaves the machine or is kept for audit. */
  readonly emails?: boolean;
  readonly means?: SecretDetectors;
}

const EMAIL = /(?<![\w.%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}\b/gu;

export function redactText(text: string, options: RedactOptions = {}): Redacted<string> {
  const spans = findSecrets(text, options.means ?? STRUCTURE_ONLY);
  let value = spans.length === 0 ? text : redactSpans(text, spans);
  let count = spans.length;
  if (options.emails === true && value.includes('@')) {
    value = value.replace(EMAIL, () => {
      count += 1;
      return `${REDACTED} address`;
    });
  }
  return { value, count };
}

/** Strings anywhere, and whatever stands under a name that says it is a secret, or beside one as its value. */
export function redactJson<T extends Json>(json: T, options: RedactOptions = {}): Redacted<T> {
  const walk = new RedactionWalk(options);
  const value = walk.visit(json, 0) as T;
  return { value, count: walk.count };
}

/** Deep nesting is data, not a reason to run out of stack. */
const MAX_DEPTH = 500;

/** Names of members that hold no secret, by what they were looked at with: there are few, and they come with every call. */
const cleanNames = new WeakMap<SecretDetectors, Set<string>>();
const MAX_CACHED_NAMES = 1000;
const MAX_CACHED_LENGTH = 32;

function cleanNamesFor(means: SecretDetectors): Set<string> {
  const known = cleanNames.get(means);
  if (known !== undefined) return known;
  const names = new Set<string>();
  cleanNames.set(means, names);
  return names;
}

/**
 * A walk through a value. What holds no secret is given back as it is: most values do not, and a copy of each would be
 * made with every call.
 */
class RedactionWalk {
  count = 0;
  readonly #options: RedactOptions;
  readonly #cleanNames: Set<string>;

  constructor(options: RedactOptions) {
    this.#options = options;
    this.#cleanNames = cleanNamesFor(options.means ?? STRUCTURE_ONLY);
  }

  visit(value: Json, depth: number): Json {
    if (typeof value === 'string') return this.#text(value);
    if (value === null || typeof value !== 'object') return value;
    if (depth > MAX_DEPTH) return this.#mark();
    if (isArray(value)) return this.#array(value, depth);
    const named = pairedName(value);
    const isPair = named !== null && isSecretName(named);
    let isSame = true;
    const entries = Object.entries(value);
    for (const entry of entries) {
      const [name, member] = entry;
      const isFolder = isFolderName(name) && typeof member === 'string' && member.startsWith('/');
      if ((isSecretName(name) && !isFolder) || (isPair && /^(?:value|val|content)$/iu.test(name)))
        entry[1] = this.#whole(member, depth + 1);
      else if (typeof member === 'string' && isOtherSecret(name, member)) entry[1] = this.#mark();
      else {
        entry[0] = this.#name(name);
        entry[1] = this.visit(member, depth + 1);
      }
      isSame &&= entry[0] === name && entry[1] === member;
    }
    // Entries, not assignment: a key may be called __proto__.
    return isSame ? value : Object.fromEntries(entries);
  }

  /** Redacts an array: of `["--password", "x"]` and `["Authorization", "x"]` the second item. */
  #array(items: readonly Json[], depth: number): Json {
    const isPair = items.length === 2;
    const visited = items.map((item, at) => {
      const before = items[at - 1];
      const named =
        typeof before === 'string' && before.length < 100 && /^[\w-]+$/u.test(before) && isSecretName(before);
      const isValue =
        named && typeof item === 'string' && (isPair ? at === 1 : /^--?\w/u.test(before) && !item.startsWith('-'));
      return isValue ? this.#whole(item, depth + 1) : this.visit(item, depth + 1);
    });
    return visited.every((item, at) => item === items[at]) ? items : visited;
  }

  /** Redacts everything under a secret's name; its shape stays, for readers that have a schema. */
  #whole(value: Json, depth: number): Json {
    if (value === null || value === '' || typeof value === 'boolean' || value === REDACTED) return value;
    if (typeof value !== 'object' || depth > MAX_DEPTH) return this.#mark();
    if (isArray(value)) return value.map((item) => this.#whole(item, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#whole(member, depth + 1)]));
  }

  #name(name: string): string {
    // What has no such sign holds no address, and is as clean where those are looked for.
    if (name.length > MAX_CACHED_LENGTH || name.includes('@')) return this.#text(name);
    if (this.#cleanNames.has(name)) return name;
    const looked = this.#text(name);
    if (looked !== name) return looked;
    if (this.#cleanNames.size >= MAX_CACHED_NAMES) this.#cleanNames.clear();
    this.#cleanNames.add(name);
    return name;
  }

  #text(text: string): string {
    const { value, count } = redactText(text, this.#options);
    this.count += count;
    return value;
  }

  #mark(): string {
    this.count += 1;
    return REDACTED;
  }
}

/** `{ name: "Authorization", value: "x" }` */
function pairedName(value: { readonly [name: string]: Json }): string | null {
  const name = value['name'] ?? value['key'] ?? value['header'] ?? value['Name'] ?? value['Key'];
  return typeof name === 'string' && name.length < 200 ? name : null;
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
