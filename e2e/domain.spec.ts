import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, makeFolder, projectDir, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

test('the Tools page shows the domain, its workers and policies, what is wrong, and what a new version changed', async ({
  launch,
}) => {
  const folder = makeFolder('domain');
  cpSync(join(projectDir, 'resources', 'domains', 'calculator'), folder, { recursive: true });
  const { page } = await launch({ flags: ['--domain', folder] });
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
  await expect(domain).toContainText('version 1.1.0');
  await expect(domain).toContainText('Since calculator 1.0.0. Changed, and rules for them ended: calculator.add.');
  await expectAccessible(page);
  await keepScreenshot(page, 'domain');
});
