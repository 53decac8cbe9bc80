/**
 * Whether words ask for what nobody should type for somebody else: a password, a key, a code. By the words for it in many languages,
 * whatever letters they are written in: with marks or without, wide, with nothing that is seen in between, or with letters that look like
 * others.
 */
export function asksForSecret(words: string): boolean {
  const written = plain(words.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  return [written, replaceLookalikes(written)].some((text) => {
    const parts = text.split(/[^\p{L}\p{N}]+/u);
    return parts.some((part) => WHOLE.has(part)) || IN_PART.some((secret) => parts.join('').includes(secret));
  });
}

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();

/** Rewrites the text as somebody reads it who takes each letter for the Latin one that it looks like. */
const replaceLookalikes = (text: string): string =>
  text.replaceAll(/\p{L}/gu, (letter) => LOOKS_LIKE.get(letter) ?? letter);

/**
 * Letters, each with the one that it looks like: Cyrillic, Greek, Armenian, and Latin ones that are on no plain
 * keyboard.
 */
const LOOKALIKES = 'аaеeоoрpсcуyхxкkмmтtнhвbіiјjѕsԁdԛqԝwһhѵv αaεeοoρpτtυuχxκkνvιi օoոn ɑaɡgıiɩi';
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [...LOOKALIKES.matchAll(/(\p{L})(\p{L})/gu)].map(([, letter = '', like = '']) => [letter, like]),
);

const splitWords = (list: string): readonly string[] => list.trim().split(/\s+/u).map(plain);

/** Too short, or too much like a part of others, to count within a longer word. */
const WHOLE: ReadonlySet<string> = new Set(
  splitWords(`
    pin otp cvv cvc pwd passwd clave jeton senha geheim schlüssel sleutel chiave parola parole parool hasło
    haslo heslo geslo şifre sandi ключ пін пин
  `),
);

/**
 * Words for secrets by language: of Western and Northern Europe, the rest of Europe, the Caucasus, Western Asia, India,
 * Eastern Asia.
 */
const IN_PART: readonly string[] = splitWords(`
  password passphrase passcode secret token apikey privatekey accesskey credential cardnumber securitycode
  recoverycode recoveryphrase seedphrase onetimecode verificationcode
  passwort kennwort losungswort geheimzahl zugangsdaten zugangscode apischlüssel kartennummer wachtwoord
  toegangscode adgangskode kodeord passord lösenord lykilorð
  motdepasse codesecret codeconfidentiel identifiants cléapi cléprivée numérodecarte contraseña claveapi
  credencial secreto segredo palavrapasse palavradepasse chavedeacesso númerodetarjeta númerodocartão
  codicesegreto segreto credenziali numerodicarta
  salasana salasõna jelszó slaptažodis lozinka zaporka parolanız şifreniz mậtkhẩu katasandi
  парол секрет токен лозинка κωδικ συνθηματικ գաղտնաբառ პაროლი
  סיסמה סיסמא סיסמת كلمةالمرور كلمةمرور كلمةالسر كلمةسر الرقمالسري رمزالمرور رمزعبور گذرواژه پاسورڈ
  पासवर्ड कूटशब्द পাসওয়ার্ড கடவுச்சொல் รหัสผ่าน
  密码 密碼 口令 密钥 密鑰 令牌 私钥 私鑰 验证码 驗證碼 凭证 憑證 パスワード 暗証番号 秘密鍵 トークン 認証コード 合言葉 비밀번호 암호 토큰 인증번호
`);
