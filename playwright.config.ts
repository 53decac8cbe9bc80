import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // The packaged build is made and tried for Linux.
  testIgnore: process.platform === 'linux' ? [] : ['packaged/**'],
  outputDir: 'artifacts/e2e',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  forbidOnly: true,
});
