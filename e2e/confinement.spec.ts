import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, test } from './app.js';
import {
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  denyAll,
  expectStates,
  runBatch,
  sheet,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { withoutBubblewrap } from './without-bubblewrap.js';

const settings = (runCommand: string): string =>
  `${COMMANDS_ALLOWED}[[tools.approval.confirmed]]\ntool = "run_command"\ncommand = "perl look.pl"\nforeign = true\n[tools.run_command]\n${runCommand}\n`;

/** Says what of the person's desktop and of this computer it could connect to. */
const looking = (display: string, port: string): string => `use Socket;
for my $name ("\\0/tmp/.X11-unix/X${display}", "/tmp/.X11-unix/X${display}") {
  socket(my $s, PF_UNIX, SOCK_STREAM, 0);
  print connect($s, sockaddr_un($name)) ? "the screen\\n" : "no screen\\n";
}
socket(my $s, PF_INET, SOCK_STREAM, 0);
print connect($s, sockaddr_in(${port}, INADDR_LOOPBACK)) ? "a server\\n" : "no server\\n";
`;

test('A command that may use the network does not get at the screen, and so approves nothing; unconfined it would', async ({
  launch,
}) => {
  const display = /^:(\d+)/u.exec(process.env['DISPLAY'] ?? '')?.[1] ?? '0';
  const app = await launch({ files: {}, flags: ['--gateway'], config: settings('network = true') });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  writeFileSync(join(app.workspace, 'look.pl'), looking(display, new URL(gateway.url).port));
  const waiting = await connectAgent(gateway, 'waiting');
  const attacker = await connectAgent(gateway, 'attacker');
  const undecided = callTool(waiting, 'write_file', { path: 'approved.txt', content: 'x' });
  await expect(sheet(app.page)).toContainText('approved.txt');

  const confined = await callTool(attacker, 'run_command', { command: 'perl look.pl' });
  expect(confined).toMatchObject({ text: 'no screen\nno screen\nno server\n', structured: { confinement: 'network' } });
  const { approvals } = await ask<{ approvals: readonly { client: string }[] }>(gateway, '/v1/approvals');
  expect(approvals).toMatchObject([{ client: 'waiting 1.2' }]);
  expect(existsSync(join(app.workspace, 'approved.txt'))).toBe(false);

  writeFileSync(join(app.dataDir, 'config.toml'), settings('confinement = "off"'));
  // Behind the sheet, which is modal.
  const status = app.page.getByRole('contentinfo', { name: 'Status', includeHidden: true });
  await expect(status).toContainText('Unconfined');
  const open = await callTool(attacker, 'run_command', { command: 'perl look.pl' });
  expect(open.text).toBe('the screen\nthe screen\na server\n');

  await denyAll(app.page);
  expect(await undecided).toMatchObject({ isError: true, code: 'DeniedByPerson' });
  await waiting.close();
  await attacker.close();
});

test('Without bubblewrap the window says before the first command that commands are not confined, and what to install', async ({
  launch,
}) => {
  const folder = makeFolder('launcher');
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, launcher: withoutBubblewrap(folder) });
  const { page } = app;
  const notice = page.getByText(/bubblewrap is not installed\. Install the package “bubblewrap”/);
  await expect(notice.first()).toBeVisible();
  await expect(page.getByText('Commands can’t be sandboxed')).toBeVisible();
  await expect(page.getByText(/Until then, commands you approve can do whatever you can/)).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'without-bubblewrap');
  await runBatch(page, [command('touch ran')]);
  await expect(sheet(page)).toContainText('Unconfined: bubblewrap is not installed');
  await expect(sheet(page)).toContainText('It can do whatever you can.');

  if (process.getuid?.() === 0) {
    // Now it is installed: what stands on the sheet follows, and so does the notice.
    execFileSync('nsenter', ['-t', String(app.pid), '-m', 'umount', realpathSync('/usr/bin/bwrap')]);
    await expect(sheet(page)).toContainText('Sandboxed', { timeout: 60_000 });
    await approveAll(page);
    await expectStates(page, ['completed']);
    await expect(calls(page).getByText('confined', { exact: true })).toBeVisible();
    await expect(page.getByText('Commands can’t be sandboxed')).toHaveCount(0);
  }
  rmSync(folder, { recursive: true });
});
