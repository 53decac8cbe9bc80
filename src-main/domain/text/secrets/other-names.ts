import { findNameAround, findValues } from './named-values.js';
import { anchorOf, type SecretRule, type Sign, signOf } from './rules.js';
import type { Span } from './spans.js';

/** Names of a password in the languages that most people speak besides English. */
const LETTERS =
  'contraseña contrasena clave senha motdepasse mot_de_passe mot-de-passe mdp kennwort passwort parola şifre sifre hasło haslo ' +
  'wachtwoord lösenord heslo katasandi kata_sandi sandi пароль';
const WITH_BLANKS = ['mot de passe', 'kata sandi', 'mật khẩu', 'mat khau'];
/** Written without blanks between words, or with letters of their own that join them. */
const SIGNS = [
  '密码',
  '密碼',
  '口令',
  'パスワード',
  '비밀번호',
  '암호',
  'كلمة المرور',
  'كلمة السر',
  'पासवर्ड',
  'পাসওয়ার্ড',
  'پاس ورڈ',
];
const MORE_SIGNS = ['گذرواژه', 'رمز عبور', 'סיסמה', 'סיסמא', 'รหัสผ่าน', 'κωδικός'];

const inForms = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap((word) => [word.normalize('NFC'), word.normalize('NFD')])),
];
const SPELLED = inForms([...LETTERS.split(' '), ...WITH_BLANKS]);
const SIGNED = inForms([...SIGNS, ...MORE_SIGNS]);
const NAME = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:${SPELLED.join('|')})s?(?![\\p{L}\\p{M}])|(?:${SIGNED.join('|')})`,
  'giu',
);
const ALL = [...SPELLED, ...SIGNED];
/** A text that is written in such letters is full of them: most begin no such word. */
const BEGINS = new Uint8Array(65_536);
for (const word of [...ALL, 'ſ', '\u{212a}'])
  for (const each of [word, word.toUpperCase()]) BEGINS[each.charCodeAt(0)] = 1;

/**
 * Signs of a word: of two characters, with what may stand behind them; of long words by what stands further in, as many
 * begin alike.
 */
function signsOf(word: string): readonly Sign[] {
  if (word.length === 2) return [':', ' ', '\uff1a'].map((next) => ({ three: `${word}${next}` }));
  const behind = word.length < 6 ? 0 : 2;
  return [{ ...signOf(word.slice(behind)), behind }];
}
const begins = anchorOf(ALL.flatMap(signsOf), NAME);

export const OTHER_NAMES: SecretRule = {
  anchors: [
    { signs: begins.signs, at: (text, index) => BEGINS[text.charCodeAt(index)] === 1 && begins.at(text, index) },
  ],
  find: otherSecrets,
};

const LONG = 256;

function otherSecrets(text: string): Span[] {
  const spans: Span[] = [];
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const name = findNameAround(text, match.index, match.index + match[0].length);
    const next = Math.max(name.end, NAME.lastIndex);
    const values = findValues(text, { ...name, strength: 'strong' });
    spans.push(...values.filter(({ start, end }) => isSecret(text.slice(start, end), text.charAt(start - 1))));
    // What is long is not looked into again for each name in it.
    const last = values.at(-1);
    const isLong = last !== undefined && last.end - last.start > LONG;
    NAME.lastIndex = Math.max(next, (isLong ? last : spans.at(-1))?.end ?? 0);
  }
  return spans;
}

/** Forms and their translations have words there: a secret has figures or signs, or stands where a variable is set. */
const isSecret = (value: string, before: string): boolean =>
  /^[\x21-\x7e]+$/u.test(value)
    ? before === '=' || /[\d!@#$%^&*+~]/u.test(value)
    : /^[\x20-\x7e]+$/u.test(value) && /[\d@#$%^&*+~]/u.test(value);

/** Whether a member of JSON is secret: a name that says so, and a value that is one. */
export function isOtherSecret(name: string, value: string): boolean {
  NAME.lastIndex = 0;
  return NAME.test(name) && isSecret(value, '');
}
