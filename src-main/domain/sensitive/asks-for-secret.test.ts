import { expect, it } from 'vitest';
import { asksForSecret } from './asks-for-secret.js';

it.each([
  ['api_key', 'apiKey', 'API key', 'PASSWORD', 'clientSecret', 'Your PIN', 'userPin', 'CVC'],
  ['Passwort', 'Contraseña', 'contrasena', 'Mot de passe', 'Hasło', 'Jelszó', 'Şifre', 'Mật khẩu', 'Lösenord'],
  ['Пароль', 'Введите пароль', 'Κωδικός', 'סיסמה', 'كلمة المرور', 'كَلِمَةُ السِّرّ', 'पासवर्ड', 'รหัสผ่าน', 'գաղտնաբառ'],
  ['密码', '請輸入密碼', 'パスワード', 'ﾊﾟｽﾜｰﾄﾞ', '暗証番号', '비밀번호', '비밀번호를 입력하세요'],
  // Letters that look like others, wide ones, and what isn't seen between them.
  [
    'раsswоrd',
    'Тоken',
    'ｐａｓｓｗｏｒｄ',
    'pass\u200bword',
    'p a s s w o r d',
    'pa\u00adss-word',
    '𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝',
    'pássword',
  ],
])('%s asks for a secret', (...words) => {
  for (const each of words) expect([each, asksForSecret(each)]).toEqual([each, true]);
});

it.each([
  'Your name',
  'count',
  'spinner',
  'San Diego',
  'Shipping address',
  'Имя',
  '名前',
  '이름',
  'الاسم',
  'Prénom',
  'keyboard',
  '',
])('“%s” does not', (words) => {
  expect(asksForSecret(words)).toBe(false);
});
