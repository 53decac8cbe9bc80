import { expect, test } from './app.js';

test('The page has no Node, no Electron and no way to evaluate text', async ({ gatehouse }) => {
  const found = await gatehouse.page.evaluate(async () => {
    const globals = globalThis as unknown as Record<string, unknown>;
    const tries = {
      eval: () => Reflect.apply(globals['eval'] as (code: string) => unknown, undefined, ['1 + 1']),
      function: () => Reflect.construct(globals['Function'] as new (code: string) => unknown, ['return 1']),
    };
    // The driver lifts the policy for what it evaluates itself, but not for what runs after it.
    await new Promise((later) => setTimeout(later));
    const refused = Object.entries(tries).filter(([, attempt]) => {
      try {
        attempt();
        return false;
      } catch {
        return true;
      }
    });
    return {
      refused: refused.map(([name]) => name),
      present: ['require', 'process', 'module', 'Buffer', '__dirname'].filter((name) => name in globals),
      exposed: Object.keys(globals['gatehouse'] as object).toSorted(),
    };
  });
  expect(found).toEqual({ refused: ['eval', 'function'], present: [], exposed: ['client', 'onAnswered', 'onEvents'] });
});

test('Inline scripts, handlers, styles and foreign scripts do not run', async ({ gatehouse }) => {
  const outcome = await gatehouse.page.evaluate(async () => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const globals = globalThis as unknown as Record<string, unknown>;
    const script = document.createElement('script');
    script.textContent = 'globalThis.ranInline = true';
    document.head.append(script);
    const foreign = document.createElement('script');
    foreign.src = 'https://example.com/x.js';
    document.head.append(foreign);
    const style = document.createElement('style');
    style.textContent = '#root { display: none }';
    document.head.append(style);
    const button = document.createElement('button');
    button.setAttribute('onclick', 'globalThis.ranHandler = true');
    document.body.append(button);
    button.click();
    await new Promise((done) => setTimeout(done));
    button.remove();
    const root = document.querySelector('#root');
    return {
      ran: ['ranInline', 'ranHandler'].filter((name) => name in globals),
      hidden: root !== null && getComputedStyle(root).display === 'none',
      violations: [...new Set(violations)].toSorted(),
    };
  });
  expect(outcome).toEqual({
    ran: [],
    hidden: false,
    violations: ['script-src-attr', 'script-src-elem', 'style-src-elem'],
  });
});

test('The page can’t leave, open windows, embed pages, download, or reach the network', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  await page.evaluate(() => {
    location.href = 'https://example.com/';
  });
  await page.evaluate(() => {
    location.href = 'file:///etc/passwd';
  });
  const tried = await page.evaluate(async () => {
    const opened = window.open('https://example.com/');
    const frame = document.createElement('iframe');
    frame.src = 'https://example.com/';
    const view = document.createElement('webview');
    view.setAttribute('src', 'https://example.com/');
    const link = document.createElement('a');
    link.href = 'gatehouse://app/index.html';
    link.download = 'index.html';
    document.body.append(frame, view, link);
    link.click();
    const reached = async (url: string) =>
      await fetch(url).then(
        () => true,
        () => false,
      );
    return {
      opened: opened !== null,
      network: await reached('https://example.com/'),
      file: await reached('file:///etc/passwd'),
    };
  });
  expect(tried).toEqual({ opened: false, network: false, file: false });
  expect(page.url()).toBe('gatehouse://app/index.html');
  const state = await electron.evaluate(({ BrowserWindow, webContents }) => ({
    windows: BrowserWindow.getAllWindows().length,
    contents: webContents.getAllWebContents().length,
  }));
  expect(state).toEqual({ windows: 1, contents: 1 });
});

test('Every permission is refused', async ({ gatehouse }) => {
  const states = await gatehouse.page.evaluate(async () => {
    const names = [
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'clipboard-read',
      'midi',
    ] as PermissionName[];
    const asked = names.map(async (name) => [name, (await navigator.permissions.query({ name })).state] as const);
    return Object.fromEntries(await Promise.all(asked));
  });
  expect(new Set(Object.values(states))).toEqual(new Set(['denied']));
  const capture = await gatehouse.page.evaluate(() =>
    navigator.mediaDevices.getUserMedia({ audio: true }).then(
      () => 'granted',
      () => 'refused',
    ),
  );
  expect(capture).toBe('refused');
});

test('Links lead out only to pages of the web', async ({ gatehouse }) => {
  await gatehouse.electron.evaluate(({ shell }) => {
    (globalThis as unknown as { opened: string[] }).opened = [];
    shell.openExternal = async (url: string) => void (globalThis as unknown as { opened: string[] }).opened.push(url);
  });
  const pages = ['https://github.com/', 'http://127.0.0.1:8080/'];
  const others = [
    'https://user:pw@github.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'smb://host/share',
    'not a url',
  ];
  const answers = await gatehouse.page.evaluate(
    async (all) => await Promise.all(all.map((url) => window.gatehouse.client['app.openLink']({ url }))),
    [...pages, ...others],
  );
  expect(answers.map(({ ok }) => ok)).toEqual([...pages.map(() => true), ...others.map(() => false)]);
  expect(await gatehouse.electron.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)).toEqual(
    pages,
  );
});

test('The window has the safe settings, and only our scheme serves files, none from outside its folder', async ({
  gatehouse,
}) => {
  const preferences = await gatehouse.electron.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences: () => Record<string, unknown>;
    };
    return contents.getLastWebPreferences();
  });
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
  });
  const statuses = await gatehouse.page.evaluate(async () => {
    const urls = [
      'index.html',
      '../main/index.js',
      '%2e%2e/main/index.js',
      '..%2fmain%2findex.js',
      '.hidden',
      'nothing.js',
      '',
    ];
    return await Promise.all(urls.map(async (url) => (await fetch(`gatehouse://app/${url}`)).status));
  });
  expect(statuses).toEqual([200, 404, 404, 404, 404, 404, 404]);
});
