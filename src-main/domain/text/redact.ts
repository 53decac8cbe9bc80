import type { Json } from '../../../src-preload/contract/json.js';

/** Secrets out of what is shown, logged or exported. Better one too many than one too few; never a guarantee. */
export interface Redacted<T> {
  readonly value: T;
  readonly count: number;
}

export interface RedactOptions {
  /** Also e-mail addresses: for what leaves the machine or is kept for audit. */
  readonly emails?: boolean;
}

export const REDACTED = '[redacted]';

const SECRET_WORD =
  'passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[-_ ]?key|apikey|access[-_]?key|private[-_]?key|secret[-_]?key|' +
  'signing[-_]?key|encryption[-_]?key|auth[-_]?key|credentials?|client[-_]?secret|session[-_]?id|cookie|authorization|bearer';
/** A name that holds a secret: the word stands at its end, perhaps before a number or a plural. */
const SECRET_NAME = new RegExp(`(?:${SECRET_WORD}|(?:^|[-_])key|(?:^|[-_])auth)s?[-_]?\\d{0,3}$`, 'iu');

interface Rule {
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
}

const whole = (): string => REDACTED;
/** Quantifiers are bounded and what they repeat does not overlap, so no text makes these slow. */
const RULES: readonly Rule[] = [
  {
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/gu,
    replace: () => `${REDACTED} private key`,
  },
  {
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,8}[:=]\s{0,8}["']?)(?:(?:basic|bearer|digest|token|negotiate|aws4-hmac-sha256)\s{1,8})?[^\s"'\r\n]{1,8192}/giu,
    replace: (_, head) => `${head}${REDACTED}`,
  },
  {
    pattern: /\b(bearer|basic)\s{1,8}(?=[A-Za-z0-9+/_.~=-]{0,60}[0-9=])[A-Za-z0-9+/_.~=-]{12,8192}/giu,
    replace: (_, head) => `${head} ${REDACTED}`,
  },
  {
    pattern: /\b((?:set-)?cookie\s{0,8}:\s{0,8})[^\r\n"']{1,8192}/giu,
    replace: (_, head) => `${head}${REDACTED}`,
  },
  {
    pattern: /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:"'<>]{0,256}:[^\s/@"'<>]{1,512}@/giu,
    replace: (_, scheme) => `${scheme}${REDACTED}@`,
  },
  // A JSON web token, somewhere in words that are joined by dots. All of them at once, and from their beginning only:
  // sought from each place where one could begin, a text full of beginnings takes its square.
  {
    pattern: /(?<![\w-])[\w-]+(?:\.[\w-]*)+/gu,
    replace: (joined) => withoutTokens(joined),
  },
  // Tokens that say themselves what they are.
  {
    pattern:
      /\b(?:sk-[A-Za-z0-9_-]{16,256}|sk_(?:live|test)_[A-Za-z0-9]{10,128}|rk_live_[A-Za-z0-9]{10,128}|gh[opusr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{15,128}|xox[abeoprs]-[A-Za-z0-9-]{8,255}|xapp-[A-Za-z0-9-]{8,255}|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,50}|ya29\.[A-Za-z0-9_-]{20,512}|npm_[A-Za-z0-9]{30,64}|pypi-[A-Za-z0-9_-]{30,255}|hf_[A-Za-z0-9]{20,64}|dop_v1_[a-f0-9]{32,128}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}|shp(?:at|ss|ca|pa)_[a-f0-9]{24,64}|dckr_pat_[A-Za-z0-9_-]{20,64})/gu,
    replace: whole,
  },
  // name=value, "name": "value", --name value
  {
    pattern: new RegExp(
      `((?:${SECRET_WORD})s?[-_]?\\d{0,3}["']?\\s{0,8}(?:=|:(?!//)|=>)\\s{0,8})("[^"\\r\\n]{1,8192}"?|'[^'\\r\\n]{1,8192}'?|[^\\s"',;&|)}\\]]{1,8192})`,
      'giu',
    ),
    replace: (match, head, value) => (value.includes(REDACTED) ? match : `${head}${quoted(value)}`),
  },
  {
    pattern: new RegExp(
      `(--?(?:[a-z0-9]{1,40}-){0,4}(?:${SECRET_WORD})s?\\s{1,8})("[^"]{1,8192}"|'[^']{1,8192}'|(?!-)[^\\s"';&|]{1,8192})`,
      'giu',
    ),
    replace: (match, head, value) => (value.includes(REDACTED) ? match : `${head}${quoted(value)}`),
  },
];

function withoutTokens(joined: string): string {
  const parts = joined.split('.');
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    const begin = part.search(/\beyJ/u);
    const isToken = begin !== -1 && part.length - begin >= 11 && (parts[at + 1]?.length ?? 0) >= 4;
    kept.push(isToken ? `${part.slice(0, begin)}${REDACTED}` : part);
    // Its head, its claims and, where there is one, its signature.
    if (isToken) at += 2;
  }
  return kept.join('.');
}

const EMAIL = /\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}\b/gu;

function quoted(value: string): string {
  const quote = value.startsWith('"') ? '"' : value.startsWith("'") ? "'" : '';
  return `${quote}${REDACTED}${quote}`;
}

export function redactText(text: string, options: RedactOptions = {}): Redacted<string> {
  let count = 0;
  let value = text;
  for (const rule of RULES) {
    value = value.replace(rule.pattern, (match: string, ...groups: string[]) => {
      const replaced = rule.replace(match, ...groups);
      if (replaced !== match) count += 1;
      return replaced;
    });
  }
  if (options.emails === true) {
    value = value.replace(EMAIL, () => {
      count += 1;
      return `${REDACTED} address`;
    });
  }
  return { value, count };
}

/** Strings anywhere, and whatever stands under a name that says it is a secret. */
export function redactJson<T extends Json>(json: T, options: RedactOptions = {}): Redacted<T> {
  let count = 0;
  const text = (value: string): string => {
    const redacted = redactText(value, options);
    count += redacted.count;
    return redacted.value;
  };
  /** Deep nesting is data, not a reason to run out of stack. */
  const visit = (value: Json, depth: number): Json => {
    if (typeof value === 'string') return text(value);
    if (value === null || typeof value !== 'object') return value;
    if (depth > MAX_DEPTH) {
      count += 1;
      return REDACTED;
    }
    if (isArray(value)) return value.map((item) => visit(item, depth + 1));
    // Entries, not assignment: a key may be called __proto__.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (!isSecretName(name) || isEmpty(member)) return [text(name), visit(member, depth + 1)];
        count += 1;
        return [name, REDACTED];
      }),
    );
  };
  const value = visit(json, 0) as T;
  return { value, count };
}

const MAX_DEPTH = 500;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name.slice(-200));

const isEmpty = (value: Json): boolean => value === null || value === '' || typeof value === 'boolean';
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
