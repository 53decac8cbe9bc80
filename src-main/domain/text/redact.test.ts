import { describe, expect, it } from 'vitest';
import { REDACTED, redactJson, redactText } from './redact.js';
import { STRUCTURE_ONLY } from './secrets/find.js';
import { knownValues } from './secrets/known-values.js';

/** Put together here, so that no scanner takes this file for a leak. */
const glue = (...parts: string[]): string => parts.join('');
const SECRETS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['authorization header', 'Authorization: Bearer abc.def-123', 'abc.def-123'],
  ['basic authorization', 'curl -H "Authorization: Basic dXNlcjpwYXNz"', 'dXNlcjpwYXNz'],
  ['lone bearer', 'use bearer 0123456789abcdef0123', '0123456789abcdef0123'],
  ['cookie', 'Cookie: sid=31d4d96e407aad42', '31d4d96e407aad42'],
  ['URL credentials', 'git clone https://me:hunter2@example.com/x.git', 'hunter2'],
  ['database URL', 'postgres://app:s3cr3t@db:5432/x', 's3cr3t'],
  ['assignment', 'export DB_PASSWORD=hunter2', 'hunter2'],
  ['quoted assignment', 'API_KEY="hunter two"', 'hunter two'],
  ['JSON member', '{"client_secret": "hunter2"}', 'hunter2'],
  ['YAML', 'password: hunter2', 'hunter2'],
  ['option with a value', 'mysql --password hunter2 -e x', 'hunter2'],
  ['option with =', 'tool --api-key=hunter2', 'hunter2'],
  ['prefixed option', "tool --github-token 'hunter2'", 'hunter2'],
  ['GitHub token', glue('ghp_', 'a1B2'.repeat(9)), 'a1B2a1B2'],
  ['fine-grained GitHub token', glue('github_pat_', 'a1B2_'.repeat(9)), 'a1B2_a1B2'],
  ['GitLab token', glue('glpat-', 'a1B2'.repeat(5)), 'a1B2a1B2'],
  ['Slack token', glue('xoxb-', '1234-5678-abcd'), '1234-5678'],
  ['AWS key id', glue('AKIA', 'ABCDEFGHIJKLMNOP'), 'ABCDEFGHIJ'],
  ['Google key', glue('AIza', 'a1B2'.repeat(9)), 'a1B2a1B2'],
  ['model provider key', glue('sk-', 'proj-a1B2a1B2a1B2a1B2'), 'a1B2a1B2'],
  ['payment key', glue('sk_live_', 'a1B2a1B2a1B2'), 'a1B2a1B2'],
  ['npm token', glue('npm_', 'a1B2'.repeat(9)), 'a1B2a1B2'],
  ['JSON web token', glue('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.c2lnbmF0dXJl'), 'c2lnbmF0dXJl'],
  [
    'one among dots and dashes',
    glue('a.b-eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.c2lnbmF0dXJl.z'),
    'c2lnbmF0dXJl',
  ],
  ['one without a signature', glue('id_token.eyJhbGciOiJub25lIn0', '.eyJzdWIiOiIxIn0'), 'eyJzdWIiOiIxIn0'],
  ['private key', glue('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIE\n-----END RSA PRIVATE', ' KEY-----'), 'MIIE'],
  ['private key cut off', glue('-----BEGIN OPENSSH PRIVATE', ' KEY-----\nb3BlbnNz'), 'b3BlbnNz'],
];

describe('secrets are taken out', () => {
  it.each(SECRETS)('%s', (_, text, secret) => {
    const { value, count } = redactText(`before ${text} after`);
    expect(value).not.toContain(secret);
    expect(value).toContain(REDACTED);
    expect(value.startsWith('before ')).toBe(true);
    expect(count).toBeGreaterThanOrEqual(1);
  });

  it.each([
    'npm run build -- --watch',
    'the key to success is patience',
    'max_tokens',
    'const keyboard = layout',
    'https://example.com/path?x=1',
    'git@github.com:me/x.git',
    'me@example.com',
    'monkey: banana',
  ])('leaves %j alone', (text) => {
    expect(redactText(text)).toEqual({ value: text, count: 0 });
  });

  it('takes e-mail addresses where asked', () => {
    expect(redactText('from me@example.com to you@example.org', { emails: true })).toEqual({
      value: `from ${REDACTED} address to ${REDACTED} address`,
      count: 2,
    });
  });

  it('keeps quotes, names and the rest of the line', () => {
    expect(redactText('PASSWORD="a b" make test').value).toBe(`PASSWORD="${REDACTED}" make test`);
    expect(redactText('x https://u:p@h/y z').value).toBe(`x https://${REDACTED}@h/y z`);
  });

  it('leaves what only looks like the beginning of a token', () => {
    for (const text of ['eyJhbGciOiJIUzI1NiJ9', 'eyJ.x.y', 'a.eyJhbGciOiJub25l.b', '-eyJ'.repeat(200_000)]) {
      expect(redactText(text)).toEqual({ value: text, count: 0 });
    }
  });

  it('walks JSON: secret names, strings anywhere, and nothing else', () => {
    const redacted = redactJson({
      path: 'a.txt',
      env: { DB_PASSWORD: 'hunter2', apiKey: 12, PATH: '/bin', token: '', deep: ['password=hunter2', 1, null] },
      headers: { Authorization: { scheme: 'x', value: 'y' } },
      key: 'k',
    });
    expect(redacted.value).toEqual({
      path: 'a.txt',
      env: {
        DB_PASSWORD: REDACTED,
        apiKey: REDACTED,
        PATH: '/bin',
        token: '',
        deep: [`password=${REDACTED}`, 1, null],
      },
      // Its shape stays, for whoever reads it by a schema.
      headers: { Authorization: { scheme: REDACTED, value: REDACTED } },
      key: REDACTED,
    });
    expect(redacted.count).toBe(6);
  });

  it('gives back as it is what holds nothing, and only that', () => {
    const plain = { path: 'a.txt', lines: ['one', { two: null }], bytes: 3 };
    expect(redactJson(plain).value).toBe(plain);
    const mixed = { plain, said: 'password=hunter2' };
    const { value } = redactJson(mixed);
    expect(value).toEqual({ plain, said: `password=${REDACTED}` });
    expect(value.plain).toBe(plain);
    expect(mixed.said).toBe('password=hunter2');
  });

  it('redacts names of members each time, also those that became known as secrets later', () => {
    const name = glue('ghp_', 'a1B2'.repeat(9));
    for (const _ of [1, 2]) expect(JSON.stringify(redactJson({ [name]: 1 }))).not.toContain(name);
    const clean = { 'only-a-name': 1 };
    expect(redactJson(clean).count).toBe(0);
    const means = { ...STRUCTURE_ONLY, known: knownValues(['only-a-name']) };
    expect(redactJson(clean, { means })).toEqual({ value: { [REDACTED]: 1 }, count: 1 });
    expect(redactJson({ 'me@example.com': 1 }).count).toBe(0);
    expect(redactJson({ 'me@example.com': 1 }, { emails: true }).count).toBe(1);
  });

  it('changes no prototype and does not run out of stack', () => {
    const hostile = JSON.parse('{"__proto__":{"token":"x"}}') as Record<string, never>;
    expect(JSON.stringify(redactJson(hostile).value)).toBe(`{"__proto__":{"token":"${REDACTED}"}}`);
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as never;
    expect(redactJson(deep).count).toBe(1);
  });
});
