import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { DiffRowView } from './diff-row-view.js';
import { cutAtCharacter, splitFarBlanks } from './far-blanks.js';
import type { DiffLine } from './line-diff.js';

vi.mock('../../ui/text/visible.css', () => ({}));
// Main is not asked for anything here, and without a window there is no bridge to it.
vi.mock('../../bridge/client.js', () => ({ client: {} }));

const line = (text: string, changed: DiffLine['changed'] = null): DiffLine => ({
  kind: 'added',
  text,
  oldNumber: null,
  newNumber: 1,
  changed,
  noNewline: false,
});
const drawn = (text: string, changed: DiffLine['changed'] = null): string =>
  renderToStaticMarkup(
    <DiffRowView
      row={{ kind: 'row', index: 0, path: 'a.js', row: { kind: 'line', line: line(text, changed) } }}
      onOpenLine={null}
      onOpenGap={() => undefined}
    />,
  );

describe('text behind a long run of blanks', () => {
  it.each([
    ['', 80],
    ['ok();', 300],
    ['ok();', 5000],
    ['  "name": "x",', 100_000],
  ])('is drawn beside what went before: %j, %i', (before, blanks) => {
    const html = drawn(`${before}${' '.repeat(blanks)}evil();`);
    expect(html).toContain(`${blanks.toLocaleString('en')} blanks`);
    expect(html).toContain('evil');
    expect(html).not.toContain('Show more');
  });

  it('is pointed at where tabs push it, and where a change begins among the blanks', () => {
    expect(drawn(`ok();${'\t'.repeat(20)}evil();`)).toContain('20 blanks');
    const halves = drawn(`ok();${' '.repeat(200)}evil();`, [105, 211]);
    expect(halves.match(/100 blanks/gu)).toHaveLength(2);
  });

  it('is left alone where it is no more than an indentation', () => {
    for (const text of [`${' '.repeat(40)}deep();`, `${'\t'.repeat(8)}deep();`, 'a  b'])
      expect(drawn(text)).not.toContain('blanks');
  });

  it('is said to hold hidden characters where it is cut', () => {
    expect(drawn('x'.repeat(3000))).toContain('Show more (1,000 characters left)');
    expect(drawn(`${'x'.repeat(3000)}\u{202e}y`)).toContain('hidden characters among them');
    expect(drawn('a\u{202e}b\u{200b}')).toMatch(/202e.*200b/u);
  });

  it('loses and adds nothing', () => {
    const piece = fc.constantFrom('a', ' ', '\t', ' '.repeat(59), ' '.repeat(60), '\t'.repeat(15), 'b c');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(400), (pieces, limit) => {
        const text = pieces.join('');
        const parts = splitFarBlanks(text);
        const length = parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : part.count), 0);
        expect(length).toBe(text.length);
        expect(parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')).not.toMatch(/ {60}/u);
        const cut = cutAtCharacter(text, limit);
        expect(cut).toBeLessThanOrEqual(text.length);
        if (text.length <= limit) expect(cut).toBe(text.length);
      }),
      { examples: [[['\t'.repeat(15)], 15]] },
    );
  });
});
