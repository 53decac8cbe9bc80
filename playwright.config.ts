import { defineConfig } from '@playwright/test';

// Specifications run side by side, each worker on a display of its own; where there are none, one after the other.
const displays = (process.env['GATEHOUSE_TEST_DISPLAYS'] ?? '').split(' ').filter((name) => name !== '');
const own = displays[Number(process.env['TEST_PARALLEL_INDEX'] ?? NaN)];
if (own !== undefined) process.env['DISPLAY'] = own;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // The packaged build is made and tried for Linux.
  testIgnore: process.platform === 'linux' ? [] : ['packaged/**'],
  outputDir: 'artifacts/e2e',
  workers: Math.max(1, displays.length),
  retries: 0,
  timeout: 240_000,
  // How long to wait for what must come, on a machine that may be busy; nothing here measures speed.
  expect: { timeout: 60_000 },
  forbidOnly: true,
});
