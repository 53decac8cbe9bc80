import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'artifacts/e2e',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  forbidOnly: true,
});
