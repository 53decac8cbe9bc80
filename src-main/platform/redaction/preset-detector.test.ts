import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText } from '../../domain/text/redact.js';
import { NOTHING_KNOWN } from '../../domain/text/secrets/known-values.js';
import { SecretRuleSet } from '../../domain/text/secrets/rules.js';
import { redactSpans, mergeSpans } from '../../domain/text/secrets/spans.js';
import { createPresetDetector } from './preset-detector.js';

/** Put together here, so that no scanner takes this file for a leak. */
const glue = (...parts: string[]): string => parts.join('');
/** Characters that don't repeat within a sample, so that any eight that stay are seen. */
function letters(length: number, of = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'): string {
  let state = 7 + length;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return of.charAt(Math.floor((state / 2 ** 31) * of.length));
  }).join('');
}
const hex = (length: number): string => letters(length, '0123456789abcdef');
const alpha = (length: number): string => letters(length, 'abcdefghijkmnpqrstuvwxyz');
const digits = (length: number): string => letters(length, '0123456789');

/** Text before the value, the value, and text behind it. `{}`: any blanks and line breaks. */
type Sample = readonly [rule: string, before: string, value: string, after: string];

const ofBlock = (kind: string, body: string): Sample => [
  'privatekey',
  glue('-----BEGIN ', kind, 'PRIVATE', ' KEY-----\n'),
  body,
  glue('\n-----END ', kind, 'PRIVATE', ' KEY-----'),
];
const serviceAccount = Buffer.from(JSON.stringify({ email: letters(30), secretKey: letters(90), x: {} })).toString(
  'base64',
);

/** At least one sample for each rule, in every form of it. */
const SAMPLES: readonly Sample[] = [
  ['aws', 'aws_secret_access_key{}={}', letters(40), ''],
  ['aws', 'SecretAccessKey{}:{}"', letters(40), '"'],
  ['aws', "'AWS_SECRET_ACCESS_KEY'{}=>{}'", letters(40), "'"],
  ['npm', 'https://', hex(40), ':x-oauth-basic@github.com/o/r.git'],
  ['npm', '', glue('np', 'm_', letters(36)), ''],
  ['slack', '', glue('xox', 'b-', digits(12), '-', letters(24)), ''],
  ['slack', '', glue('xap', 'p-1-', letters(11), '-', digits(13), '-', hex(40)), ''],
  ['slack', 'https://hooks.slack.com/services/T12345678/B12345678/', letters(24), ''],
  ['basicauth', 'https://mallory:', letters(30), '@example.com'],
  ['openai', '', glue('sk-', letters(20), 'T3Blbk', 'FJ', letters(20)), ''],
  ['anthropic', '', glue('sk-', 'ant-api03-', letters(93), 'AA'), ''],
  ['groq', '', glue('gs', 'k_', letters(52)), ''],
  ['huggingface', '', glue('h', 'f_', alpha(34)), ''],
  ['linear', '', glue('lin', '_api_', letters(40)), ''],
  ['notion', '', glue('nt', 'n_', digits(11), letters(35)), ''],
  [
    'gcp',
    glue('{"private_key_id":"', hex(40), '","private_key":"-----BEGIN PRIVATE', ' KEY-----\\n'),
    glue('MI', letters(190)),
    glue('\\n-----END PRIVATE', ' KEY-----\\n"}'),
  ],
  ofBlock('RSA ', glue('MI', letters(190))),
  ofBlock('', glue('MI', letters(62), '\n', letters(60, 'ABCDEFGHIJKLMNOP'), '\n', hex(50))),
  ['sendgrid', '', glue('S', 'G.', letters(22), '.', letters(43)), ''],
  ['shopify', '', glue('shp', 'at_', letters(32)), ''],
  ['stripe', '', glue('sk', '_live_', letters(24)), ''],
  ['github', '', glue('gh', 'p_', letters(36)), ''],
  ['github', '', glue('github', '_pat_', letters(82)), ''],
  ['github', '', glue('gh', 's_123456_', letters(30), '.', letters(80, 'abcdefgh0123'), '.', hex(43)), ''],
  ['gitlab', '', glue('gl', 'pat-', letters(20)), ''],
  ['grafana', '', glue('gl', 'c_', letters(100)), ''],
  ['grafana', '', glue('gls', 'a_', letters(32), '_', hex(8)), ''],
  ['1password', '', glue('ops', '_', serviceAccount), ''],
  ['database-connection-string', 'mongodb+srv://mallory:', letters(24), '@db.example.com/shop?w=majority'],
  ['database-connection-string', 'jdbc:mysql://mallory:', letters(24), '@db.example.com:3306/shop'],
  ['database-connection-string', 'postgresql://mallory:', letters(24), '@db.example.com/shop'],
  ['hashicorp-vault', '', glue('hv', 's.', letters(95)), ''],
  ['vercel', '', glue('vc', 'p_', letters(24)), ''],
  ['databricks', '', glue('da', 'pi', hex(32)), ''],
  ['docker', '', glue('dckr', '_pat_', letters(27)), ''],
  ['figma', '', glue('fig', 'd_', letters(40)), ''],
  ['cloudflare', '', glue('cf', 'ut_', letters(40), hex(8)), ''],
  ['tailscale', '', glue('tskey', '-auth-', letters(12), '-', letters(32)), ''],
];

const detector = createPresetDetector();
const byRules = (text: string): string => redactSpans(text, mergeSpans(detector.flatMap(({ find }) => find(text))));
const byAll = (text: string): string => redactText(text, { means: { known: NOTHING_KNOWN, detector } }).value;

/** Every run of eight characters of a value that is still there. */
function left(value: string, shown: string): readonly string[] {
  const runs = Array.from({ length: value.length - 7 }, (_, at) => value.slice(at, at + 8));
  return runs.filter((run) => shown.includes(run));
}

describe('the detector of the preset', () => {
  it('has a sample of every rule', () => {
    const ids = (rules as unknown as readonly { readonly meta: { readonly id: string } }[])
      .map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', ''))
      .filter((id) => id !== 'filter-comments');
    expect([...new Set(SAMPLES.map(([rule]) => rule))].sort()).toEqual(ids.sort());
  });

  const blanks = (...kinds: readonly string[]) =>
    fc.array(fc.constantFrom(...kinds), { maxLength: 12 }).map((parts) => parts.join(''));

  // Tested with these rules alone, and with the others, whose spans may begin or end within theirs.
  it.each(SAMPLES)('%s: %s… is blotted out to its end, wherever it stands', (_, before, value, after) => {
    fc.assert(
      fc.property(
        blanks(' ', '\t', '\n', '\r\n', '# a note\n', 'name: x\n', '  - ', '👀 ', '> '),
        blanks(' ', '\t', '\n', '\r\n', '    '),
        blanks(' ', '\n', '\r\n', ' # a note', '\nname: x'),
        (head, gap, tail) => {
          const text = `${head} ${before.replaceAll('{}', gap)}${value}${after}\n${tail}`;
          for (const shown of [byRules(text), byAll(text)]) {
            expect(shown).toContain('[redacted]');
            expect(left(value, shown)).toEqual([]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(SAMPLES)('%s: %s… is found by the anchors as by all rules', (_, before, value, after) => {
    const set = new SecretRuleSet(detector);
    const around = blanks(' ', '\n', '"', '=', 'x', '-', '.', '👀', '// ', 'key: ');
    const part = fc.tuple(fc.nat(20), fc.nat(400)).map(([from, to]) => [from, to] as const);
    fc.assert(
      fc.property(around, blanks(' ', '\n', ''), part, around, (head, gap, [from, to], tail) => {
        const sample = `${before.replaceAll('{}', gap)}${value}${after}`;
        for (const text of [`${head}${sample}${tail}`, `${head}${sample.slice(from, to)}${tail}`]) {
          const spans = mergeSpans(detector.flatMap(({ find }) => find(text)));
          expect(mergeSpans(set.find(text))).toEqual(spans);
          if (spans.length > 0) expect(set.mayFind(text)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has anchors for each of its rules', () => {
    expect(detector.filter(({ anchors }) => anchors === null)).toEqual([]);
  });

  it('has a name of AWS and its value on the next line', () => {
    const value = letters(40);
    expect(byAll(`a\naws_secret_access_key =\n${value}\nb\n`)).toBe('a\n[redacted]\nb\n');
  });
});
