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
    expect(defaults.denying(ROOT, path)).not.toBeNull();
  });

  it.each(['', 'a', 'ssh/config', 'pem', 'a.pemx', 'keys', 'src/key.ts', 'id-rsa.md', '.sshx/a', 'monkey'])(
    'lets %s be',
    (path) => {
      expect(defaults.denying(ROOT, path)).toBeNull();
    },
  );

  it('names the pattern that denies', () => {
    expect(defaults.denying(ROOT, 'a/X.PEM')).toBe('**/*.pem');
    expect(only('secrets/**').denying(ROOT, 'secrets')).toBe('secrets/**');
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
      expect(defaults.denying(ROOT, path), path).not.toBeNull();
    }
    expect(only('caf\u00e9/**').denying(ROOT, 'cafe\u0301/menu')).not.toBeNull();
    expect(only('cafe\u0301').denying(ROOT, 'CAF\u00c9')).not.toBeNull();
  });

  it('is not fooled by line breaks in names', () => {
    expect(defaults.denying(ROOT, 'a\nb/.ssh/x\ny')).not.toBeNull();
    expect(defaults.denying(ROOT, 'a\r\nb.pem')).not.toBeNull();
  });

  it('takes patterns from the root, whole ones, and bare names', () => {
    expect(only('secrets').denying(ROOT, 'secrets/a/b')).not.toBeNull();
    expect(only('secrets/').denying(ROOT, 'secrets')).not.toBeNull();
    expect(only('./secrets/*').denying(ROOT, 'secrets/a')).not.toBeNull();
    expect(only('secrets').denying(ROOT, 'other/secrets')).toBeNull();
    expect(only('/home/person/project/private/**').denying(ROOT, 'private/x')).not.toBeNull();
    expect(only('**/{a,b}.txt').denying(ROOT, 'x/b.txt')).not.toBeNull();
    expect(only('**').denying(ROOT, '')).not.toBeNull();
    expect(defaults.denying('/', 'etc/shadow')).not.toBeNull();
    expect(defaults.denying('/home/person/.ssh', 'config')).not.toBeNull();
    expect(defaults.denying('/home/x.pem', 'plain')).not.toBeNull();
  });

  it('takes characters of regular expressions for themselves', () => {
    expect(only('a+(b)|c').denying(ROOT, 'a+(b)|c')).not.toBeNull();
    expect(only('(a|b)').denying(ROOT, 'a')).toBeNull();
    expect(only('!a').denying(ROOT, 'b')).toBeNull();
  });

  it('can only get stricter by more patterns', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 })), fc.string({ maxLength: 20 }), (patterns, path) => {
        const more = new DeniedPatterns(
          patterns.filter((pattern) => pattern !== ''),
          true,
        );
        return defaults.denying(ROOT, path) === null || more.denying(ROOT, path) !== null;
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
        expect(new DeniedPatterns(some, defaultsToo).denying(ROOT, asked)).toBe(thorough.denying(ROOT, asked));
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
    for (const pattern of hostile) only(pattern).denying(ROOT, long);
    expect(only(`${'*a'.repeat(60)}*`).denying(ROOT, 'a'.repeat(255))).not.toBeNull();
    expect(only('x/{a,b}{a,b}{a,b}{a,b}{a,b}').denying(ROOT, 'x/ababa')).not.toBeNull();
  });
});
