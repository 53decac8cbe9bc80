/** Names whose values are secrets, as these programs' documentation has them. */
const SECRET_NAMES =
  /(?:^|[_-])(?:TOKEN|KEY|APIKEY|SECRET|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|BEARER)$/iu;
/** Beginnings of the keys of well-known services. */
const KEY_BEGINNINGS =
  /(?:^|[\s=:])(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abposr]-|AKIA|ASIA|AIza|ya29\.|hf_|npm_|pypi-|dop_v1_|lin_api_|ntn_|secret_|figd_|shpat_|SG\.|eyJ[\w-]{10,}\.)[\w.-]{8,}/u;
const PASSWORD_IN_ADDRESS = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@:]{0,200}:[^\s/@]{1,500}@/iu;
/** Values that are no secret, even under the name of one. */
const HARMLESS_VALUE = /^(?:true|false|null|none|\d+|(?:~|\.{0,2})[\\/].*)$/iu;
/** A placeholder for a secret, as documentation has it. */
const PLACEHOLDER =
  /^(?:<[^<>]*>|\[[^[\]]*\]|\{\{?[^{}]*\}?\}|(?:your|my|insert|enter|paste|replace|change)[-_ ]?.*|x{3,}|\.{3}|…|\*{3,}|(?:gh[pousr]_|github_pat_|sk-)(?:\.{3}|x{3,}|<.*>|your.*)?)$/iu;
const SCHEME = /^(?:Bearer|Basic|Token|Bot|ApiKey)\s+/iu;

export interface SecretMatch {
  /** The text before the secret that is none: “Bearer ”. */
  readonly before: string;
  /** Null where it is only a placeholder. */
  readonly value: string | null;
}

/** Null where the value of that variable or header is no secret by its looks. */
export function matchSecret(name: string, value: string): SecretMatch | null {
  const before = SCHEME.exec(value)?.[0] ?? '';
  const rest = value.slice(before.length).trim();
  const isNamed = SECRET_NAMES.test(name) || before !== '';
  if (isNamed && PLACEHOLDER.test(rest)) return { before, value: null };
  if (rest === '' || HARMLESS_VALUE.test(rest)) return null;
  return isNamed || looksSecret(rest) ? { before, value: rest } : null;
}

/** Whether a value looks like a secret, whatever its name is. */
const looksSecret = (value: string): boolean => KEY_BEGINNINGS.test(value) || PASSWORD_IN_ADDRESS.test(value);

/** Whether a word of a command line is a key: by its looks, or as what belongs to an option such as `--api-key`. */
export function hasSecret(word: string, before: string): boolean {
  const [option = '', value] = word.startsWith('-') ? word.split(/=(.*)/su, 2) : [before, word];
  return looksSecret(word) || (option.startsWith('-') && value !== undefined && matchSecret(option, value) !== null);
}

const BEGINNING_SHOWN = /^[A-Za-z]{2,8}[-_]/u;

/** So much that a person knows which it is, and nobody can use it. */
export function maskSecret(value: string): string {
  const beginning = value.length >= 20 ? (BEGINNING_SHOWN.exec(value)?.[0] ?? '') : '';
  return `${beginning}… (${value.length} characters)`;
}
