import type { SystemKeyStore } from '../keys/key-store.js';
import type { Secrets } from '../keys/secrets.js';
import type { StartOptions } from '../platform/flags.js';
import type { Logger } from '../platform/logger.js';
import type { DataPaths } from '../platform/data-folder/paths.js';
import type { AppRedactor } from '../platform/redaction/redactor.js';
import type { ConfigStore } from '../settings/config-store.js';
import type { AppWindow } from '../window/app-window.js';

/** The parts that index.ts makes ready before anything of ours is built: every wing is made from them. */
export interface Shell {
  /** The folder by its real name, and checked; null for the welcome screen. */
  readonly workspace: string | null;
  readonly gateway: boolean;
  /** The folder of a domain package that it was started with; null for what the settings name. */
  readonly domain: string | null;
  /** There is no window, and nobody who could be asked. */
  readonly headless: boolean;
  /** The scripted tour plays in that workspace, which is its own. */
  readonly demo: StartOptions['demo'];
  readonly paths: DataPaths;
  readonly redactor: AppRedactor;
  readonly logger: Logger;
  readonly window: AppWindow;
  /** Read once; `startWatching` follows the files from then on. */
  readonly config: ConfigStore;
  readonly secrets: Secrets;
  readonly keyStore: SystemKeyStore;
  /** The data folder as it was given: `paths.root` is where that leads. */
  readonly givenDataDir: string;
  /** A folder above it in which everybody may write; null where none is. */
  readonly openAboveData: string | null;
  /** A person sees the window, and it answers. */
  readonly shown: Promise<void>;
  readonly packaged: boolean;
  readonly chromiumSandboxOff: boolean;
  /** Where the built main process lies. */
  readonly built: string;
  /** How an agent starts `--mcp-stdio`. */
  readonly launcher: { readonly command: string; readonly args: readonly string[] };
}
