import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, makeFolder, projectDir, test, writeFiles } from './app.js';
import { expectAccessible, expectByKeyboard, keepScreenshot, lookAt } from './look.js';
import { goTo } from './places.js';

test('the Tools page shows the domain, its workers and policies, what is wrong, and what a new version changed', async ({
  launch,
}) => {
  const folder = makeFolder('domain');
  cpSync(join(projectDir, 'resources', 'domains', 'calculator'), folder, { recursive: true });
  const app = await launch({ flags: ['--domain', folder] });
  const { page } = app;
  await goTo(page, 'Tools');
  const domain = page.getByRole('region', { name: 'Domain' });
  await expect(domain).toContainText('calculator');
  await expect(domain).toContainText('version 1.0.0');
  await expect(domain).toContainText('64 calls at once');
  await expect(domain.getByRole('list', { name: 'Tools of the domain' })).toContainText('Runs without asking');
  const worker = domain.locator('[data-worker="calculator"]');
  await expect(worker).toHaveAttribute('data-state', 'running');
  await expect(worker).toContainText('Held by:');
  const manifest = join(folder, 'manifest.yaml');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace("kind: 'service_worker'", "kind: 'magic'"));
  await expect(domain).toContainText('manifest.yaml:6: tools.0.kind');
  await expect(domain).toContainText('Version 1.0.0 stays in force.');
  writeFileSync(manifest, text.replace("version: '1.0.0'", "version: '1.1.0'").replace('Adds two', 'Sums two'));
  await expect(domain).toContainText('Version 1.0.0 serves until you accept it.');
  await domain.getByRole('button', { name: 'Review' }).click();
  const changes = domain.getByRole('list', { name: 'What the package changes' });
  await expect(changes.getByRole('listitem', { name: 'calculator.add' })).toContainText('Sums two');
  await expect(domain.getByRole('button', { name: 'Accept' })).toBeEnabled();
  await expectAccessible(page);
  await keepScreenshot(page, 'domain-review');
  await lookAt(app, 640, 800, 1);
  await expectByKeyboard(page, page.locator('.gh-place'));
  await domain.getByRole('button', { name: 'Accept' }).click();
  await expect(domain).toContainText('version 1.1.0');
  await expect(domain).toContainText('Since calculator 1.0.0. Changed, and rules for them ended: calculator.add.');
  await expectAccessible(page);
  await keepScreenshot(page, 'domain');
});

/** Says more than anybody reads, and then answers whatever it is asked. */
const TALKATIVE = String.raw`
use IO::Socket::INET; $| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 5) or die;
print "the first line\n", map({ "line $_ " . 'x' x 100 . "\n" } 1 .. 1000), "\e[31mready\e[0m with $ENV{GIVEN_KEY}\n";
while (my $client = $server->accept) { while (<$client>) { last if /^\r?$/ } print $client "HTTP/1.0 200 OK\r\n\r\n{}" }
`;

/** The programs of a worker, by a word among what it was started with; not what holds them. */
const programsWith = (word: string): readonly number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0]?.endsWith('perl') === true && words[1] === 'talk.pl' && words.includes(word) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

test('A worker that hangs and one that is killed are told as that, with their log, what they lack, and how often they came back', async ({
  launch,
}) => {
  const folder = makeFolder('domain');
  const word = `talks-${randomUUID()}`;
  writeFiles(folder, {
    'talk.pl': TALKATIVE,
    'manifest.yaml': JSON.stringify({
      domain_id: 'talks',
      version: '1',
      tools: [
        {
          tool_id: 'talks.on',
          kind: 'service_worker',
          requires_approval: false,
          secrets: ['GIVEN_KEY', 'MISSING_KEY'],
          worker: { command: ['perl', 'talk.pl', word], port_env: 'PORT' },
        },
      ],
    }),
    'policies.yaml': 'logging: {level: debug}\nqueue: {max_waiting: 7, max_wait_sec: 9}\n',
  });
  const { page, stderr } = await launch({ flags: ['--domain', folder], env: { GIVEN_KEY: 'sk-given-12345678' } });
  await goTo(page, 'Tools');
  const domain = page.getByRole('region', { name: 'Domain' });
  await expect(domain).toContainText('7 calls may wait, up to 9 s');
  await expect(domain).toContainText('log level debug');
  const worker = domain.locator('[data-worker="talks.on"]');
  await expect(worker).toHaveAttribute('data-state', 'running');
  await expect(worker).toContainText('Held by: sandbox (bubblewrap).');
  await expect(worker).toContainText('Gets GIVEN_KEY.');
  await expect(worker).toContainText('Runs without MISSING_KEY, which isn’t set.');
  expect(stderr()).toContain('the secret MISSING_KEY is not given');
  await worker.getByRole('button', { name: 'Log' }).click();
  const log = worker.getByRole('region', { name: 'Log of talks.on, last lines' });
  await expect(log).toContainText('ready with [redacted]');
  await expect(log).toContainText('line 1000 ');
  await expect(log).not.toContainText('the first line');
  expect((await log.innerText()).length).toBeLessThan(20_000);

  // It hangs.
  for (const pid of programsWith(word)) process.kill(pid, 'SIGSTOP');
  await expect(worker).toContainText('doesn’t answer its health check');
  for (const pid of programsWith(word)) process.kill(pid, 'SIGKILL');
  await expect(worker).toContainText('started again once');
  await expect(worker).toContainText('Running · answers its health check');
  await expect(worker).toHaveAttribute('data-state', 'running');
  await keepScreenshot(page, 'domain-worker');

  // It needs no approval, so “Ask” would change nothing.
  await domain.getByRole('button', { name: 'talks.on', exact: true }).click();
  await page.getByRole('combobox', { name: 'Policy for talks__on' }).click();
  await expect(page.getByRole('option')).toHaveText(['Allow: run without asking', 'Deny always']);
  await page.getByRole('option', { name: 'Deny always' }).click();
  await expect(page.getByRole('combobox', { name: 'Policy for talks__on' })).toContainText('Deny always');
});
