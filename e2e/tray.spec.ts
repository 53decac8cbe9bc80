import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, test } from './app.js';
import { openTrayBus } from './tray-watcher.js';

const flags = ['--gateway'];

const isVisible = ({ electron }: Gatehouse): Promise<boolean> =>
  electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);
const closeWindow = ({ electron }: Gatehouse): Promise<void> =>
  electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

test('Where the desktop has a tray, closing the window keeps agents served; once the tray is gone, it ends the app', async ({
  launch,
}) => {
  await using bus = await openTrayBus();
  await bus.showIcons();
  const app = await launch({ files: { 'a.txt': 'a\n' }, flags, env: bus.env });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  await closeWindow(app);
  await expect.poll(() => isVisible(app)).toBe(false);
  expect(await callTool(agent, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'a\n', isError: false });

  // It is asked each time: an app that nobody can find must not go on.
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.show());
  await bus.hideIcons();
  const ended = new Promise<void>((done) => void app.electron.process().once('exit', () => done()));
  await closeWindow(app).catch(() => undefined);
  await ended;
  await agent.close().catch(() => undefined);
});

test('Without a tray, closing the window ends the app, and the system refuses who calls then', async ({ launch }) => {
  const app = await launch({ files: {}, flags });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const ended = new Promise<void>((done) => void app.electron.process().once('exit', () => done()));
  await closeWindow(app).catch(() => undefined);
  await ended;
  await expect(callTool(agent, 'read_file', { path: 'a.txt' })).rejects.toThrow();
  await agent.close().catch(() => undefined);
});

test('The window’s title says how much waits for the person', async ({ launch }) => {
  const app = await launch({ files: {}, flags });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const title = () => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle());
  void callTool(agent, 'write_file', { path: 'a.txt', content: 'a\n' }).catch(() => 'the app was closed');
  await expect.poll(title).toMatch(/^\(1\) .* — Gatehouse$/);
  await app.page.getByRole('dialog', { name: 'Approve tool calls' }).getByRole('button', { name: /^Deny/ }).click();
  await expect.poll(title).toMatch(/^gatehouse-workspace-\w+ — Gatehouse$/);
  await agent.close();
});
