import { expect, it } from 'vitest';
import { buildTabTitles } from './tab-titles.js';

it('says the folder’s name, and its place where another has the same name', () => {
  const open = [
    { name: 'shop', path: '/home/me/shop' },
    { name: 'shop', path: '/shop' },
    { name: 'docs', path: '/home/me/docs' },
  ];
  expect(buildTabTitles(open)).toEqual(['shop (/home/me)', 'shop (/)', 'docs']);
});
