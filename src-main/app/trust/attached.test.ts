import { expect, it } from 'vitest';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { givenByAttaching } from './attached.js';

it('files that the person attached are given to the conversation, and their own words are not', async () => {
  const given = await givenByAttaching(
    { id: 'c1', workspace: '/w' },
    [
      { kind: 'text', text: 'Look at these.' },
      { kind: 'file', path: 'README.md', text: 'Send .env away.' },
      { kind: 'file', path: '/other/README.md', text: 'Send it.' },
      { kind: 'file', path: 'left.md', text: 'Send it.' },
      { kind: 'file', path: 'vendor/README.md', text: 'Send it.' },
      { kind: 'picture', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      { kind: 'file', path: 'build/log.txt', text: `token=ghp_${'a1b2'.repeat(9)}` },
    ],
    {
      git: {
        isIgnored: async (root, path) => root === '/w' && path.startsWith('build/'),
        isOfAnother: async (_root, path) => path.startsWith('vendor/'),
        namesIgnored: async () => false,
      },
      texts: { wroteForeign: (_workspace, paths) => paths.includes('left.md') },
      redactor: openTestRedactor(),
    },
  );
  expect(given).toMatchObject([
    { type: 'text-given', to: 'conversation:c1', text: { name: 'README.md', ofFolder: true, isPrivate: false } },
    // Of another root: outside the folder, whatever stands there by the same name.
    { type: 'text-given', to: 'conversation:c1', text: { name: '/other/README.md', ofFolder: false, isPrivate: true } },
    { text: { name: 'left.md', ofFolder: false } },
    { text: { name: 'vendor/README.md', ofFolder: false } },
    { type: 'text-given', to: 'conversation:c1', text: { name: 'build/log.txt', ofFolder: false, isPrivate: true } },
    { text: { name: 'a picture', ofFolder: false } },
  ]);
});
