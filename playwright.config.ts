import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // The packaged build is made and tried for Linux.
  testIgnore: process.platform === 'linux' ? [] : ['packaged/**'],
  outputDir: 'artifacts/e2e',
  workers: 1,
  retries: 0,
  timeout: 90_000,
  // How long to wait for what must come, on a machine that may be busy; nothing here measures speed.
  expect: { timeout: 20_000 },
  forbidOnly: true,
});
