import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, test, vi } from 'vitest';
import { type MarkdownBlocks, splitBlocks } from './blocks.js';
import { Markdown } from './markdown.js';
import { readReferences } from './references.js';
import { parseWebAddress } from './web-link.js';

vi.mock('./markdown.css', () => ({}));

const drawn = (text: string, open = false): string => renderToStaticMarkup(<Markdown text={text} open={open} />);

describe('what a model writes can do nothing', () => {
  test.each([
    ['a remote picture', '![x](https://evil.example/?secret)'],
    ['a picture of data', '![x](data:image/png;base64,AAAA)'],
    ['a picture by reference', '![x][y]\n\n[y]: https://evil.example/p.png'],
    ['HTML', '<img src="https://evil.example/p.png" onerror="alert(1)"><script>alert(1)</script>'],
    ['HTML in a line', 'a <b onclick="x()">b</b> <iframe src="https://evil.example"></iframe>'],
    ['HTML in a cell', '|a|\n|-|\n|<img src=https://evil.example>|'],
    ['a script’s address', '[x](javascript:alert(1)) <javascript:alert(1)>'],
    ['an address of data', '[x](data:text/html,<script>alert(1)</script>)'],
    ['entities', '[x](&#106;avascript:alert(1)) &lt;script&gt;'],
    ['a style', '<style>body{display:none}</style>'],
    ['a form', '<form action="https://evil.example"><input name=a></form>'],
    ['markup in the language of code', '```"><img src=x onerror=alert(1)>\na\n```'],
    ['markup in a title', '[x](https://e.example "\\"><img src=x>")'],
  ])('%s', (_what, text) => {
    for (const html of [drawn(text), drawn(text, true)]) {
      expect(html).not.toMatch(/<(?:img|script|iframe|style|form|input|object|embed|link|meta|base|video|audio)\b/iu);
      for (const [tag] of html.matchAll(/<[a-z][^>]*>/giu))
        expect(tag).not.toMatch(/\s(?:src|srcset|style|on\w+|action|poster)=/iu);
      expect([...html.matchAll(/href="([^"]*)"/gu)].map(([, href]) => href)).not.toContainEqual(
        expect.not.stringMatching(/^#open-link$/u),
      );
    }
  });

  it('only pages of the web are links', () => {
    expect(parseWebAddress('https://example.com/a')).toBe('https://example.com/a');
    expect(parseWebAddress('www.example.com')).toBe('https://www.example.com/');
    for (const other of [
      'javascript:alert(1)',
      'JAVASCRIPT:x',
      'data:text/html,x',
      'file:///etc/passwd',
      '/a',
      '#a',
      '',
    ])
      expect(parseWebAddress(other), other).toBeNull();
    expect(parseWebAddress('https://github.com@evil.example/')).toBeNull();
    expect(parseWebAddress('https://exаmple.com/')).toBe('https://xn--exmple-4nf.com/');
    expect(drawn('[safe](file:///etc/passwd)')).toContain('safe</span>'.slice(0, 4));
    expect(drawn('[safe](file:///etc/passwd)')).toContain('(file:///etc/passwd)');
  });

  it('characters that can’t be seen are shown, in text, code and links', () => {
    for (const text of [
      'a\u202Eb',
      '`a\u202Eb`',
      '```\na\u202Eb\n```',
      '[a\u202Eb](https://e.example)',
      '|a\u202Eb|\n|-|',
    ])
      expect(drawn(text), text).toContain('\\u{202e}');
  });
});

describe('it draws', () => {
  it('what people know', () => {
    const html = drawn(
      '# Title\n\nSome *em*, **strong**, ~~del~~ and `code`.\n\n- one\n- [x] two\n\n3. three\n\n> quoted\n\n|a|b|\n|:-:|-:|\n|1|2|\n\n---\n\n```ts\nconst a = 1;\n```\n',
    );
    expect(html).toContain('<h3>Title</h3>');
    expect(html).toContain('<em>em</em>');
    expect(html).toContain('<strong>strong</strong>');
    expect(html).toContain('<del>del</del>');
    expect(html).toContain('<ol start="3">');
    expect(html).toContain('<blockquote><p>quoted</p></blockquote>');
    expect(html).toContain('<th scope="col" class="gh-md-center">a</th>');
    expect(html).toContain('<hr/>');
    expect(html).toContain('gh-syntax-keyword');
    expect(html).toContain('☑');
  });

  it('what is being written as it will look: open marks are closed, what is undecided waits', () => {
    expect(drawn('some **bold', true)).toContain('<strong>bold</strong>');
    expect(drawn('see [the page](https://exam', true)).not.toContain('exam');
    expect(drawn('a `code', true)).toContain('<code class="gh-md-code">code</code>');
    expect(drawn('|a|b|', true)).not.toContain('|');
    expect(drawn('|a|b|\n|-|', true)).not.toContain('|');
    expect(drawn('text\n\n#', true)).not.toContain('#');
    expect(drawn('text\n-', true)).not.toContain('<h');
    expect(drawn('```ts\nconst a', true)).toContain('const a');
    expect(drawn('|a|b|', false)).toContain('|a|b|');
  });
});

describe('it is bounded, whatever is written', () => {
  const N = 20_000;
  test.each([
    ['quotes', '>'.repeat(N)],
    ['quotes and spaces', '> '.repeat(N)],
    ['ordered lists in each other', '1. '.repeat(N)],
    ['quotes and lists', '> - '.repeat(N)],
    ['lazy lines in quotes', '> a\nb\n'.repeat(14_000)],
    ['lazy lines in quoted lists', '> - a\nb\n'.repeat(11_000)],
    ['indented lists', Array.from({ length: 400 }, (_, at) => `${' '.repeat(2 * at)}- a`).join('\n')],
    ['brackets', '['.repeat(N)],
    ['half links', '[a]('.repeat(N / 4)],
    ['emphasis', 'a***'.repeat(N / 4)],
    ['stars', '*a **a '.repeat(N / 7)],
    ['an address that is none', `${'a.'.repeat(N / 2)}@`],
    ['a row', `|${'a|'.repeat(N / 6)}\n|${'-|'.repeat(N / 6)}\n|${'b|'.repeat(N / 6)}`],
    ['a table', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(20_000)}`],
    ['ticks', Array.from({ length: 200 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['marks in marks', `${'**a _b '.repeat(2000)}${'_ **'.repeat(2000)}`],
    ['a megabyte', 'lorem ipsum dolor sit amet '.repeat(40_000)],
    ['a megabyte of code', `\`\`\`ts\n${'const a = 1;\n'.repeat(80_000)}`],
    ['a line of a megabyte', 'x'.repeat(1_000_000)],
  ])(
    '%s',
    (_what, text) => {
      const html = drawn(text);
      expect(html.length).toBeLessThan(5_000_000);
      expect(deepest(html)).toBeLessThan(200);
      expect(drawn(text, true).length).toBeLessThan(5_000_000);
    },
    20_000,
  );
});

function deepest(html: string): number {
  let depth = 0;
  let most = 0;
  for (const [, closing, single] of html.matchAll(/<(\/?)[a-z][^>]*?(\/?)>/giu)) {
    if (closing === '/') depth -= 1;
    else if (single !== '/') most = Math.max(most, ++depth);
  }
  return most;
}

describe('blocks', () => {
  it('what is too long to be read at once is one, and what stands before and after it are as they were', () => {
    const long = '> - a\nb\n'.repeat(3000);
    const code = `\`\`\`ts\n${'const a = 1;\n'.repeat(3000)}\`\`\`\n`;
    const raws = splitBlocks(`# One\n\ntwo\n\n${long}\n- three\n\n${code}`).blocks.map(({ raw }) => raw.trim());
    expect(raws).toEqual(['# One', 'two', long.trim(), '- three', code.trim()]);
    let read = splitBlocks(`# One\n\ntwo\n\n${long}`);
    for (let more = 0; more < 5; more += 1) read = splitBlocks(`${read.text}> - a\nb\n`, read);
    expect(read.blocks.slice(0, 2).map(({ raw }) => raw.trim())).toEqual(['# One', 'two']);
  });

  const FRAGMENTS = [
    'word ', 'word\n', '\n\n', '- item\n', '  more\n', '1. one\n', '```ts\n', 'code();\n', '```\n', '> quote\n', '# head\n', '|a|b|\n', '|-|-|\n',
    '    indented\n', '***', '`', '===\n', '---\n', '<div>\n', '\t', '\r\n', '\r', '~~~\n', '[x]: http://e\n', ' ',
  ]; // prettier-ignore

  it('read piece by piece are those of the whole, and what is settled stays', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }), (pieces) => {
        let text = '';
        let read: MarkdownBlocks | undefined;
        for (const piece of pieces) {
          text += piece;
          const before = read?.blocks.slice(0, -2) ?? [];
          read = splitBlocks(text, read);
          if (!text.includes('\r')) expect(read.blocks.slice(0, before.length)).toEqual(before);
        }
        expect(read ?? splitBlocks('')).toEqual(splitBlocks(text));
        const whole = text.replace(/\r\n?/gu, '\n');
        const told = (read?.blocks ?? []).map(({ raw }) => raw).join('');
        expect(told.replaceAll(/\s/gu, '')).toBe(whole.replaceAll(/\s/gu, ''));
        for (const { at, raw } of read?.blocks ?? []) expect(whole.slice(at, at + raw.length)).toBe(raw);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('what is said elsewhere in the text', () => {
  const defined =
    '\n\n[Docs]: https://docs.example/a "The docs"\n[bad]: javascript:alert(1)\n[file]: file:///etc/passwd';

  it('links by reference lead to pages of the web, and to no others', () => {
    const html = drawn(`See [the docs][docs], [Docs] and [docs][]. [x][bad] [y][file] [z][none]${defined}`);
    expect([...html.matchAll(/<a [^>]*>(.*?)<\/a>/gu)].map(([, text]) => text?.replaceAll(/<[^>]*>/gu, ''))).toEqual([
      expect.stringContaining('the docs'),
      expect.stringContaining('Docs'),
      expect.stringContaining('docs'),
      // Where it is defined: nothing is hidden.
      expect.stringContaining('Docs'),
      expect.stringContaining('https://docs.example/a'),
    ]);
    expect(html).toContain('[x][bad]');
    expect(html).toContain('javascript:alert(1)');
    expect(html).toContain('[z][none]');
  });

  it('a definition in code is none, the first of two counts, and names of objects are no addresses', () => {
    expect(readReferences('```\n[a]: https://code.example\n```')).toEqual({});
    expect(readReferences('[a]: https://one.example\n[A]: https://two.example')).toEqual({ a: 'https://one.example' });
    expect(drawn(`[x][toString] [constructor]${defined}`)).toContain('[x][toString] [constructor]');
  });

  it('what is the same stays the same object while more comes', () => {
    const first = readReferences('[a]: https://one.example\n\nText');
    expect(readReferences('[a]: https://one.example\n\nText and more', first)).toBe(first);
  });

  it('footnotes are raised where they are referred to and where they stand', () => {
    const html = drawn('So it is[^1], and[^long-one].\n\n[^1]: Because.\n[^long-one]: Really.');
    expect([...html.matchAll(/<sup>(.*?)<\/sup>/gu)].map(([, text]) => text)).toEqual([
      '[1]',
      '[long-one]',
      '[1]',
      '[long-one]',
    ]);
    expect(html).toContain('Because.');
    expect(drawn(`With links too[^1].${defined}`)).toContain('<sup>[1]</sup>');
  });
});
