// Prints the runtime's executable, so that others can start the app: <it> <project> [flags] after `npm run build`.
import { appStarter, ensureElectronRuntime } from './setup/electron-runtime.mjs';
import { runScript } from './setup/project.mjs';

await runScript(async () => {
  await ensureElectronRuntime();
  process.stdout.write(`${appStarter()}\n`);
  return 0;
});
