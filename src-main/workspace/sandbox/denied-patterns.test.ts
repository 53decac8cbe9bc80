import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeniedPatterns } from './denied-patterns.js';

const defaults = new DeniedPatterns([], true);
const only = (...patterns: string[]) => new DeniedPatterns(patterns, false);
const ROOT = '/home/person/project';

describe('T-SBX-03 denied patterns', () => {
  it.each([
    '.ssh',
    '.ssh/config',
    'a/.ssh',
    'a/b/.SSH/known_hosts',
    '.gnupg',
    '.GnuPG/secring.gpg',
    'id_rsa',
    'keys/ID_RSA.pub',
    'x.pem',
    'X.PEM',
    '.hidden/a.pem',
    '.pem',
    'a/.b.key',
    'server.Key',
    'bundle.pem/inside/it',
    'deep/id_ed25519',
    '.aws/credentials',
  ])('denies %s by default', (path) => {
    expect(defaults.findDenying(ROOT, path)).not.toBeNull();
  });

  it.each(['', 'a', 'ssh/config', 'pem', 'a.pemx', 'keys', 'src/key.ts', 'id-rsa.md', '.sshx/a', 'monkey'])(
    'lets %s be',
    (path) => {
      expect(defaults.findDenying(ROOT, path)).toBeNull();
    },
  );

  it('names the pattern that denies', () => {
    expect(defaults.findDenying(ROOT, 'a/X.PEM')).toBe('**/*.pem');
    expect(only('secrets/**').findDenying(ROOT, 'secrets')).toBe('secrets/**');
  });

  it('sees through names that some file system takes for the same', () => {
    for (const path of [
      '.ſsh/config',
      '.s\u200csh/config',
      '.ssh./config',
      '.ssh /config',
      'a.\u212Aey',
      'a.pem.',
      'ａ.ｐｅｍ',
    ]) {
      expect(defaults.findDenying(ROOT, path), path).not.toBeNull();
    }
    expect(only('caf\u00e9/**').findDenying(ROOT, 'cafe\u0301/menu')).not.toBeNull();
    expect(only('cafe\u0301').findDenying(ROOT, 'CAF\u00c9')).not.toBeNull();
  });

  it('is not fooled by line breaks in names', () => {
    expect(defaults.findDenying(ROOT, 'a\nb/.ssh/x\ny')).not.toBeNull();
    expect(defaults.findDenying(ROOT, 'a\r\nb.pem')).not.toBeNull();
  });

  it('takes patterns from the root, whole ones, and bare names', () => {
    expect(only('secrets').findDenying(ROOT, 'secrets/a/b')).not.toBeNull();
    expect(only('secrets/').findDenying(ROOT, 'secrets')).not.toBeNull();
    expect(only('./secrets/*').findDenying(ROOT, 'secrets/a')).not.toBeNull();
    expect(only('secrets').findDenying(ROOT, 'other/secrets')).toBeNull();
    expect(only('/home/person/project/private/**').findDenying(ROOT, 'private/x')).not.toBeNull();
    expect(only('**/{a,b}.txt').findDenying(ROOT, 'x/b.txt')).not.toBeNull();
    expect(only('**').findDenying(ROOT, '')).not.toBeNull();
    expect(defaults.findDenying('/', 'etc/shadow')).not.toBeNull();
    expect(defaults.findDenying('/home/person/.ssh', 'config')).not.toBeNull();
    expect(defaults.findDenying('/home/x.pem', 'plain')).not.toBeNull();
  });

  it('takes characters of regular expressions for themselves', () => {
    expect(only('a+(b)|c').findDenying(ROOT, 'a+(b)|c')).not.toBeNull();
    expect(only('(a|b)').findDenying(ROOT, 'a')).toBeNull();
    expect(only('!a').findDenying(ROOT, 'b')).toBeNull();
  });

  it('can only get stricter by more patterns', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 })), fc.string({ maxLength: 20 }), (patterns, path) => {
        const more = new DeniedPatterns(
          patterns.filter((pattern) => pattern !== ''),
          true,
        );
        return defaults.findDenying(ROOT, path) === null || more.findDenying(ROOT, path) !== null;
      }),
    );
  });

  it('looks closer wherever it matters: the quick look at names loses nothing', () => {
    const part = fc.constantFrom('a', 'b', '*', '**', '?', '.x', 'a*', '*b', 'A.pem', '.ssh', 'x.KEY.', 'home');
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const patterns = fc.array(
      fc.tuple(fc.constantFrom('', '/', '**/'), path).map((two) => two.join('')),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(patterns, path, fc.boolean(), (some, asked, defaultsToo) => {
        // A pattern whose name can't be told makes everything be looked at closely.
        const thorough = new DeniedPatterns([...some, '[n]othing-like-it'], defaultsToo);
        expect(new DeniedPatterns(some, defaultsToo).findDenying(ROOT, asked)).toBe(thorough.findDenying(ROOT, asked));
      }),
      { numRuns: 500 },
    );
  });

  it('answers whatever the pattern, and denies no less for a pattern that had to be bounded', () => {
    const long = `${'a'.repeat(255)}/${'ab'.repeat(120)}`;
    const hostile = [
      '*a'.repeat(60),
      '{a,aa}'.repeat(40),
      '**/a/'.repeat(40),
      '+(a|aa)'.repeat(20),
      '[ab]+'.repeat(40),
    ];
    for (const pattern of hostile) only(pattern).findDenying(ROOT, long);
    expect(only(`${'*a'.repeat(60)}*`).findDenying(ROOT, 'a'.repeat(255))).not.toBeNull();
    expect(only('x/{a,b}{a,b}{a,b}{a,b}{a,b}').findDenying(ROOT, 'x/ababa')).not.toBeNull();
  });
});
