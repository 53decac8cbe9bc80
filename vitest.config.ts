import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Everything here runs on Electron's own Node (scripts/test.mjs starts it so), as the app does.
const shared = {
  environment: 'node',
  pool: 'forks',
  restoreMocks: true,
  testTimeout: 30_000,
  // How long to wait for what must come, on a machine that may be busy; nothing here measures speed.
  expect: { poll: { timeout: 20_000 } },
} as const;

export default defineConfig({
  test: {
    // A file each. They wait for processes, disks and time-outs two fifths of the time: with one for each core the cores would rest.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src-*/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['src-*/**/*.integration.test.ts', 'scripts/**/*.integration.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
