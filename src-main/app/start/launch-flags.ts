import { HEADLESS } from '../../process/start/without-display.js';

/** Chromium's flags for root: its own sandbox can't work there, and it refuses to start with it. */
export const rootFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);

/** The flags of a process of ours without a window. */
export const windowlessFlags = (): readonly string[] => [
  ...rootFlags(),
  ...(process.platform === 'linux' ? [HEADLESS, '--disable-gpu'] : []),
];
