/**
 * Whether a name says that what it names is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `MY_SECRET_VALUE`.
 * By its words, so that `monkey`, `tokenizer` and `password_reset_url` are none.
 */
export type Strength = 'none' | 'faint' | 'weak' | 'strong';

/** Hardly anything but a secret is called so. */
const STRONG = new Set(
  (
    'password passwords passwd passwds passphrase passphrases passcode passwort pwd secret secrets credential ' +
    'credentials apikey apikeys accesskey secretkey privatekey authtoken accesstoken refreshtoken sessiontoken ' +
    'bearertoken clientsecret dbpassword userpassword rootpassword storepass keypass authorization cookie cookies ' +
    'authkey encryptionkey signingkey masterkey sharedkey accountkey sharedaccesskey jwtsecret pgpassword mysqlpwd ' +
    'accesskeyid secretaccesskey webhooksecret secretaccess'
  ).split(' '),
);
/** Often something else: a token of a parser, an author's key. */
const WEAK = new Set('token tokens auth bearer jwt pass pat pin otp'.split(' '));
/** Words that, before `key`, make it one that is kept secret. */
const KEY_BEFORE = new Set(
  (
    'api access private secret signing encryption auth account shared master license service app application client ' +
    'storage function host admin deploy session hmac aes root wrapping ssh webhook subscription server consumer ' +
    'integration write ingest project bot'
  ).split(' '),
);
/** Words that, before `token`, leave no doubt of it. */
const TOKEN_BEFORE = new Set(
  (
    'access refresh auth api bearer session id csrf xsrf github gitlab npm slack bot vault secret private personal ' +
    'deploy registry security oauth service user client jwt ci runner webhook device identity web'
  ).split(' '),
);
/** Words that, after the secret's, say that the name is about the secret and not the secret. */
const WORDS_ABOUT_SECRETS = new Set(
  (
    'url uri file files filename path paths dir directory folder name names type types count counts length len limit ' +
    'limits expiry expires expired expiration expire ttl policy min max size host port endpoint region user username ' +
    'users algorithm alg header headers prefix suffix enabled disabled required optional field fields label labels ' +
    'hint hints placeholder reset rotation age manager provider service store storage list lists type method mode ' +
    'format regex pattern patterns rule rules validator validation error errors message messages visible visibility ' +
    'strength form input usage used per budget budgets total index ids offset position pos start end class kind is ' +
    'has title description desc changed change confirmation confirmed attempts attempt timeout at on last first ' +
    'previous next cost price stream parser lexer ring version versions ref refs reference arn env var variable created ' +
    'updated generator helper handler scheme schemes exists missing present status state group groups map mapping ' +
    'template templates managers'
  ).split(' '),
);

/** Cache of what names say: there are few, and a text has each of them often. */
const KNOWN_STRENGTHS = new Map<string, Strength>();

export function nameStrength(name: string): Strength {
  if (name.length > MAX_CACHED_LENGTH) return strengthByWords(name);
  const known = KNOWN_STRENGTHS.get(name);
  if (known !== undefined) return known;
  if (KNOWN_STRENGTHS.size >= MAX_CACHED_NAMES) KNOWN_STRENGTHS.clear();
  const strength = strengthByWords(name);
  KNOWN_STRENGTHS.set(name, strength);
  return strength;
}

function strengthByWords(name: string): Strength {
  const words = wordsOf(name.slice(-MAX_NAME_LENGTH));
  let found: Strength = 'none';
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at] ?? '';
    // What only is about it says so behind it.
    const strength = wordStrength(words, at);
    if (strength === 'none' && WORDS_ABOUT_SECRETS.has(word)) return found;
    if (strength === 'strong') return 'strong';
    if (strength !== 'none') found = strength;
  }
  return found;
}

const MAX_NAME_LENGTH = 80;
const MAX_CACHED_NAMES = 1000;
const MAX_CACHED_LENGTH = 32;

function wordStrength(words: readonly string[], at: number): Strength {
  const word = words[at] ?? '';
  const before = words[at - 1] ?? '';
  if (STRONG.has(word)) return 'strong';
  if (word === 'key' || word === 'keys') return KEY_BEFORE.has(before) ? 'strong' : 'none';
  // Most numbers of sessions are only that.
  if (word === 'sessionid' || (word === 'id' && before === 'session')) return 'faint';
  if (!WEAK.has(word)) return 'none';
  if (word === 'pass' && at > 0) return 'strong';
  return (word === 'token' || word === 'tokens') && TOKEN_BEFORE.has(before) && before !== 'user' ? 'strong' : 'weak';
}

/** `myAPIKey_2` → my, api, key. Numbers say nothing. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter((word) => word !== '');
}

/** Where a shell is, and was before: by these names and no others. */
export const isFolderName = (name: string): boolean => /^(?:OLD)?PWD$/u.test(name);

const CHECKED_NAMES = new Map<string, boolean>();

/** Whether a member of JSON has a secret's name: beside the names above `key` alone, as it always was. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_CACHED_LENGTH) return isUncachedSecretName(name);
  const known = CHECKED_NAMES.get(name);
  if (known !== undefined) return known;
  if (CHECKED_NAMES.size >= MAX_CACHED_NAMES) CHECKED_NAMES.clear();
  const is = isUncachedSecretName(name);
  CHECKED_NAMES.set(name, is);
  return is;
}

function isUncachedSecretName(name: string): boolean {
  // However its letters are written.
  const plain = /^[\x20-\x7e]*$/u.test(name) ? name : name.normalize('NFKC').replaceAll(UNSEEN, '');
  return (
    nameStrength(plain) !== 'none' || /(?:^|[-_])(?:key|auth)s?[-_]?\d{0,3}$/iu.test(plain.slice(-MAX_NAME_LENGTH))
  );
}

/** Marks that nobody sees: of no width, or only to break a line at. */
export const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
