import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedactingStream, type ReleasedText } from '../redacting-stream.js';
import { findSecrets, mayHoldSecrets, type SecretDetectors, buildRules } from './find.js';
import { knownValues } from './known-values.js';
import { anchorOf, type SecretRule, SecretRuleSet } from './rules.js';
import { HARMLESS } from './harmless-samples.test-support.js';
import { SECRETS } from './samples.test-support.js';
import { mergeSpans, type Span } from './spans.js';
import { FORMS } from './tokens.js';

const KNOWN = [
  'näive "pass"/+phrase',
  'ſtrange-Kelvin',
  'swordfish👀9',
  '👀👀👀👀',
  'öööööö',
  'first long line of it\nsecond long line of it',
];
const means: SecretDetectors = { known: knownValues(KNOWN), detector: [] };

/** Finds spans by every rule, whatever stands in the text. */
function byAll(text: string): readonly Span[] {
  const everywhere = Array.from({ length: text.length }, (_, at) => at);
  const { rules } = buildRules(means);
  return mergeSpans(rules.flatMap((rule) => ('find' in rule ? rule.find(text) : rule.findAt(text, everywhere))));
}

/** Expects that rules find by their anchors what they find without. */
function expectSame(text: string): number {
  const spans = byAll(text);
  expect(findSecrets(text, means)).toEqual(spans);
  if (spans.length > 0) expect(mayHoldSecrets(text, means)).toBe(true);
  return spans.length;
}

const glue = (...parts: string[]): string => parts.join('');
const BLANK = 'Nothing to see here on a line that is as long as lines are, or nearly so.\n';

describe('the anchors leave out no rule that would find something', () => {
  it.each(FORMS)('%s: in every token of the form %s', (_, form) => {
    const around = fc.constantFrom('', ' ', '"', '=', 'x', '.', '\n', '👀');
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^${form}$`, 'u')), around, around, (token, before, after) => {
        expectSame(`${before}${token}${after}`);
      }),
      { numRuns: 60 },
    );
    const alone = fc.sample(fc.stringMatching(new RegExp(`^${form}$`, 'u')), 20);
    expect(alone.every((token) => findSecrets(`it is ${token}, no?`, means).length > 0)).toBe(true);
  });

  const WORDS = (
    'pass pwd secret token key api_key credential cookie auth bearer jwt session signature sig pin otp pat http https curl docker ' +
    'az oc zip rar 7z mysql login -p -u a:b : = => "x" \' ` ${X} { } [ ] , ; & ? % %3D %22 %20 \\u0022 \\u0070 \\ $ $6$ :5432: :*: ' +
    'machine login password account default PRIVATE KEY ----- eyJ . .. / // :// @ Private-Lines: | > - # é ſ K ✓ 👀 ſecret toKen ' +
    'hooks.slack.com/services/ HOOKS.SLACK.COM /hook/ discord.com/api/webhooks/ sk- sk_live_ a1B2c3D4e5F6g7H8i9J0 123456789'
  ).split(' ');
  const word = fc.constantFrom(...WORDS, '\n', '\r\n', '\t', ' ', '\u{a0}', '\u{2028}');
  const sample = fc.constantFrom(...SECRETS.map(([, text]) => text), ...HARMLESS, ...means.known.forms);
  const part = fc.tuple(sample, fc.nat(80), fc.nat(80)).map(([text, from, length]) => text.slice(from, from + length));
  const letters = fc.stringMatching(/^[\w.+/=-]{0,45}$/u);
  const piece = fc.oneof({ weight: 4, arbitrary: word }, sample, part, letters);
  /** Two letters beyond ASCII are `s` and `k` where case is folded. */
  const folded = (text: string): string => text.replaceAll(/s/giu, 'ſ').replaceAll(/k/giu, '\u{212a}');

  it('in any text', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom('', ' ', '\n'),
        fc.nat(5),
        (pieces, between, way) => {
          const text = pieces.join(between);
          found += expectSame(way === 0 ? folded(text) : text);
        },
      ),
      { numRuns: 4000 },
    );
    expect(found).toBeGreaterThan(1000);
  });

  it('where a token lies across the end of a block of 65,536 characters', () => {
    const tokens = [
      glue('gh', 'p_', 'a1B2c3D4'.repeat(5)),
      'password=hunter2',
      'swordfish👀9',
      '%22token%22%3A%22hunter-2%22',
    ];
    for (const token of tokens) {
      for (let before = 0; before <= token.length + 1; before += 1) {
        const text = `${'# \n\n'.repeat(16_384).slice(0, 65_536 - before)}${token}\n${BLANK}`;
        expect(findSecrets(text, means)).toHaveLength(1);
        expect(mayHoldSecrets(text, means)).toBe(true);
      }
    }
  });

  it('of a text without an anchor, which is said to hold nothing before any rule is run', () => {
    const text = BLANK.repeat(4000);
    expect(mayHoldSecrets(text, means)).toBe(false);
    const rule: SecretRule = { anchors: [anchorOf('secr', /secret/u)], find: () => expect.unreachable() };
    expect(new SecretRuleSet([rule]).find(`${text}secrecy, and a secre`)).toEqual([]);
  });

  it('that has no anchors: it is always run', () => {
    const set = new SecretRuleSet([{ anchors: null, find: () => [{ start: 0, end: 1 }] }]);
    expect(set.mayFind('x')).toBe(true);
    expect(set.find('x')).toEqual([{ start: 0, end: 1 }]);
  });
});

describe('a text in pieces', () => {
  /** The pieces before and after are long enough for what was given out to be forgotten. */
  async function through(
    pieces: readonly string[],
    find: (text: string) => readonly Span[],
  ): Promise<readonly ReleasedText[]> {
    const stream = new RedactingStream((text) => Promise.resolve(find(text)));
    const released: ReleasedText[] = [];
    for (const each of pieces) released.push(await stream.push(each));
    return [...released, await stream.end()];
  }
  const looked = (text: string): readonly Span[] => (mayHoldSecrets(text, means) ? findSecrets(text, means) : []);

  it.each(SECRETS)(
    '%s: is redacted by anchors as by all rules, wherever a piece ends in it',
    async (_, text, ...secrets) => {
      const whole = `${BLANK.repeat(70)}${text}\n${BLANK.repeat(70)}`;
      const from = 70 * BLANK.length;
      const step = Math.max(1, Math.floor(text.length / 8));
      for (let cut = from; cut <= from + text.length + 1; cut += step) {
        const pieces = [whole.slice(0, cut), whole.slice(cut)];
        const released = await through(pieces, looked);
        expect(released).toEqual(await through(pieces, byAll));
        const shown = released.map((each) => each.text).join('');
        for (const secret of secrets) expect(shown).not.toContain(secret);
      }
    },
  );
});
