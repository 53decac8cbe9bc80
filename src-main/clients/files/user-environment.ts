import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The platform, home and environment, which say where this person's programs keep their settings. */
export interface UserEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The folder in which programs have folders of their own. */
export function getSettingsFolder({ platform, home, environment }: UserEnvironment): string {
  if (platform === 'win32') return environment['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return getConfigFolder({ platform, home, environment });
}

/** The folder in which command-line programs keep settings on every Unix. */
export const getConfigFolder = ({ home, environment }: UserEnvironment): string => {
  const given = environment['XDG_CONFIG_HOME'];
  return given === undefined || given === '' ? join(home, '.config') : given;
};

export const pathExists = (path: string): boolean => existsSync(path);

/**
 * Whether there is a program of this name. When the app was started from a menu, its own PATH lacks the folders where
 * package managers put programs.
 */
export const hasProgram = (name: string, around: UserEnvironment): boolean => findProgram(name, around) !== null;

/** The path of a program; null where there is none. */
export function findProgram(name: string, { platform, home, environment }: UserEnvironment): string | null {
  const folders = [
    ...(environment['PATH'] ?? '').split(delimiter),
    ...['.local/bin', '.npm-global/bin', '.bun/bin', '.opencode/bin', '.cargo/bin'].map((each) => join(home, each)),
    ...(platform === 'darwin' ? ['/opt/homebrew/bin', '/usr/local/bin'] : []),
  ].filter((folder) => folder !== '');
  const endings = platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
