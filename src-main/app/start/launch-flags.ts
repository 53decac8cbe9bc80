import { HEADLESS } from '../../process/start/without-display.js';

/** As root Chromium's own sandbox can't work, and it refuses to start with it. */
export const rootFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);

/** What a process of ours without a window is started with. */
export const windowlessFlags = (): readonly string[] => [
  ...rootFlags(),
  ...(process.platform === 'linux' ? [HEADLESS, '--disable-gpu'] : []),
];
