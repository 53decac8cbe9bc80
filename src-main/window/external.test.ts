import { expect, it, vi } from 'vitest';
import { isWebPage, openLink } from './external.js';

const opened = vi.hoisted(() => vi.fn(async () => {}));
vi.mock('electron', () => ({ shell: { openExternal: opened } }));

it('opens pages of the web, and nothing that starts a program or carries a name and password', async () => {
  for (const url of ['https://example.com/a?b#c', 'http://127.0.0.1:8080/']) expect(isWebPage(url), url).toBe(true);
  for (const url of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,hello',
    'smb://host/share',
    'vscode://file/etc/passwd',
    'mailto:a@example.com',
    'https://github.com@evil.example/',
    'https://me:word@evil.example/',
    'gatehouse://app/index.html',
    '/etc/passwd',
    '',
  ]) {
    expect(isWebPage(url), url).toBe(false);
    expect(await openLink(url)).toBe(false);
  }
  expect(opened).not.toHaveBeenCalled();
  expect(await openLink('https://example.com/ä')).toBe(true);
  expect(opened).toHaveBeenCalledWith('https://example.com/%C3%A4');
});
