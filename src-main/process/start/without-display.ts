import { spawnSync } from 'node:child_process';

/** Lets a process without a window run where there is no display. */
export const HEADLESS = '--ozone-platform=headless';

/**
 * Chromium looks for a display and ends the process where there is none. Only a flag prevents that, and it has to be there
 * before the program begins: so the program is run once more, with it, until it ends. Blocks, since Chromium goes on to
 * look as soon as anything of ours waits. Gives the exit code; null where there was no need.
 */
export function runWithoutDisplay(argv: readonly string[]): number | null {
  if (!needsHeadless(argv)) return null;
  return spawnSync(process.execPath, [...argv, HEADLESS], { stdio: 'inherit' }).status ?? 1;
}

/**
 * Flags that leave out all that Chromium has for windows: no process for graphics, none to start pages from, none for
 * its own network. Without pages there is nothing that its sandbox would hold.
 */
export const WITHOUT_PAGES: readonly string[] = [
  HEADLESS,
  '--disable-gpu',
  '--in-process-gpu',
  '--no-zygote',
  '--no-sandbox',
  '--enable-features=NetworkServiceInProcess2',
];

/**
 * Starts the program again with these flags, which too have to be there before it begins: it takes its own place, with
 * its number and its pipes.
 */
export function startWithoutPages(argv: readonly string[]): void {
  const missing = WITHOUT_PAGES.filter((flag) => !argv.includes(flag));
  if (process.platform !== 'linux' || missing.length === 0) return;
  process.execve?.(process.execPath, [process.execPath, ...argv, ...missing], process.env);
}

function needsHeadless(argv: readonly string[]): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDisplay = (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
  return process.platform === 'linux' && !hasDisplay && !argv.some((arg) => arg.startsWith('--ozone-platform='));
}
