import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { Visible } from './visible.js';

vi.mock('./visible.css', () => ({}));

it('keeps markup inert and marks what can’t be seen', () => {
  const html = renderToStaticMarkup(<Visible text={'<img src=x onerror=alert(1)>\u202Etxt'} />);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).not.toContain('<img');
  expect(html).toMatch(/<span class="gh-escape"[^>]*>\\u\{202e\}<\/span>txt/);
});
