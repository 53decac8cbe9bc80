import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';
import { systemClock } from '../../platform/clock.js';
import { openSystemKeyStore } from '../../keys/key-store.js';
import { Secrets } from '../../keys/secrets.js';
import { FileLogger } from '../../platform/logger.js';
import type { DataPaths } from '../../platform/data-folder/paths.js';
import { AppRedactor } from '../../platform/redaction/redactor.js';
import { ConfigStore } from '../../settings/config-store.js';
import { openUnacceptedSettings } from '../../settings/unaccepted-settings.js';
import { Border } from '../../window/border/border.js';
import { type App, compose } from '../compose.js';
import type { Shell } from '../shell.js';

/** Everything but the window: loaded once the page was asked for, since it takes longer to load than the page does. */
export interface Inside {
  readonly logger: FileLogger;
  readonly build: (shell: GivenToShell) => Promise<App>;
  readonly border: (made: App, onFault: (title: string, error: unknown) => void) => Border;
}

type GivenToShell = Omit<Shell, 'logger' | 'redactor' | 'config' | 'keyStore' | 'secrets' | 'paths' | 'built'>;

export function openInside(paths: DataPaths, built: string, workspace: string | null): Inside {
  const redactor = new AppRedactor({
    entry: pathToFileURL(join(built, 'redaction.js')),
    onFault: (error) => logger.error('Secrets could not be looked for', { error }),
  });
  const logger = new FileLogger({ directory: paths.logs, now: () => systemClock.now(), redactor });
  logger.info('Gatehouse starts', { version: app.getVersion(), pid: process.pid, workspace });
  return {
    logger,
    build: async (shell) => {
      const keyStore = await openSystemKeyStore();
      const config = new ConfigStore(
        paths.config,
        openUnacceptedSettings(paths.unacceptedSettings, (error) =>
          logger.warn('Which settings wait for a yes could not be kept', { error }),
        ),
      );
      const secrets = new Secrets(paths.secrets, keyStore);
      return compose({ ...shell, paths, built, logger, redactor, config, keyStore, secrets });
    },
    border: ({ handlers }, onFault) => new Border(handlers, (channel, error) => onFault(`${channel} failed`, error)),
  };
}
