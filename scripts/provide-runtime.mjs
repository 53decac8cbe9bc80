// npm's postinstall: `npm ci` alone leaves a working tree.
import { markDependenciesInstalled } from './setup/dependencies.mjs';
import { ensureElectronRuntime } from './setup/electron-runtime.mjs';
import { ensureSentenceModel } from './setup/sentence-model.mjs';
import { runScript } from './setup/project.mjs';

await runScript(async () => {
  await Promise.all([ensureElectronRuntime(), ensureSentenceModel()]);
  markDependenciesInstalled();
});
