// Everything that must be there before anything of ours can run. Quick when nothing is to do.
import { ensureDependencies } from './dependencies.mjs';
import { electronExecutable, ensureElectronRuntime, runtimeReady } from './electron-runtime.mjs';
import { ensureSentenceModel } from './sentence-model.mjs';
import { ensureLibraries } from './system-packages.mjs';

export async function ensureReady() {
  await ensureDependencies();
  if (!runtimeReady()) await ensureElectronRuntime();
  await ensureSentenceModel();
  const executable = electronExecutable();
  await ensureLibraries(executable);
  return executable;
}
