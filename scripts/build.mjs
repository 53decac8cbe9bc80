// Builds the three bundles into out/, unless what is there was built from exactly these sources.
import { ensureReady } from './setup/ensure.mjs';
import { buildIfNeeded } from './setup/bundles.mjs';
import { runScript } from './setup/project.mjs';

await runScript(async () => {
  await ensureReady();
  await buildIfNeeded({ force: process.argv.includes('--force') });
  return 0;
});
