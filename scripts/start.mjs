// npm start: sets up what is missing, builds what changed, and starts the app with the flags it was given.
import { spawn } from 'node:child_process';
import { appStarter } from './setup/electron-runtime.mjs';
import { provideDisplay } from './setup/display.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { buildIfNeeded } from './setup/bundles.mjs';
import { projectDir, runScript } from './setup/project.mjs';
import { provideConfinement } from './setup/system-packages.mjs';

/** A gateway without a window needs none, and looks at none. */
const NO_DISPLAY = { env: { DISPLAY: '', WAYLAND_DISPLAY: '' }, end: () => {} };

await runScript(async () => {
  await ensureReady();
  await provideConfinement();
  await buildIfNeeded();
  const display = process.argv.includes('--headless') ? NO_DISPLAY : await provideDisplay();
  try {
    return await startApp(appStarter(), display.env);
  } finally {
    display.end();
  }
});

function startApp(executable, displayEnv) {
  const child = spawn(executable, [projectDir, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...displayEnv },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolvePromise) => child.on('close', (code, signal) => resolvePromise(code ?? (signal ? 1 : 0))));
}
