import { done } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Commands } from './commands.js';
import type { Shell } from './shell.js';

/** The window's channel for what is seen of the sandbox without asking, in the folder that is shown. */
export const healthChannels = ({ config }: Shell, { runner }: Commands, shown: () => string | null) =>
  ({
    'health.seen': async () => {
      const folder = shown();
      if (folder === null || folder === '') return done(runner.seen(null, config.own));
      return done(runner.seen(folder, config.forFolder(folder).config));
    },
  }) satisfies Pick<Handlers, 'health.seen'>;
