import { expect, it } from 'vitest';
import { addOpenFolderHint } from './open-folder-hint.js';

it('a refused path that lies in another open folder names that folder, and no other failure is changed', () => {
  const outside = (attempted: string) =>
    ({ code: 'PathOutsideSandbox', attempted, message: 'It is refused.' }) as const;
  expect(addOpenFolderHint(outside('/p/other/a.txt'), ['/p/other']).message).toBe(
    'It is refused. /p/other is open, too: start the agent there.',
  );
  for (const path of ['/p/otherwise/a.txt', '/p', 'a.txt'])
    expect(addOpenFolderHint(outside(path), ['/p/other']).message).toBe('It is refused.');
  expect(addOpenFolderHint(outside('/p/other/a.txt'), []).message).toBe('It is refused.');
  const bad = { code: 'BadArgs', message: 'No.' } as const;
  expect(addOpenFolderHint(bad, ['/p/other'])).toBe(bad);
});
