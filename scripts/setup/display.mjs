// Displays to show windows on: the person's own, or virtual ones (Xvfb) that end with us.
import { spawn } from 'node:child_process';
import { ensureVirtualDisplay } from './system-packages.mjs';
import { SetupProblem } from './project.mjs';

export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY) || Boolean(process.env.WAYLAND_DISPLAY);

/** Gives the environment to start windows in, and a function that ends what was started for it. */
export async function provideDisplay() {
  if (hasDisplay()) return { env: {}, end: () => {} };
  await ensureVirtualDisplay();
  const { display, end } = await startXvfb();
  return { env: { DISPLAY: display }, end };
}

/**
 * For specifications that run side by side, a virtual display each: focus, pointer and clipboard are one to a display.
 * They never disturb the person's own.
 */
export async function provideDisplays(count) {
  if (process.platform !== 'linux') return { names: [], end: () => {} };
  await ensureVirtualDisplay();
  const started = await Promise.all(Array.from({ length: count }, () => startXvfb()));
  return { names: started.map(({ display }) => display), end: () => started.forEach(({ end }) => end()) };
}

function startXvfb() {
  return new Promise((resolvePromise, reject) => {
    // -displayfd lets the server choose a free number and say which, so two runs never fight over one.
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp', '-noreset'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const end = () => server.kill('SIGTERM');
    server.on('error', () => reject(new SetupProblem('There is no display, and Xvfb could not be started.')));
    server.on('exit', (code) => reject(new SetupProblem(`There is no display, and Xvfb ended with code ${code}.`)));
    let announced = '';
    server.stdio[3].on('data', (chunk) => {
      announced += chunk;
      if (!announced.includes('\n')) return;
      server.unref();
      server.stdio[3].unref?.();
      process.on('exit', end);
      resolvePromise({ display: `:${announced.trim()}`, end });
    });
  });
}
