import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where this person's programs keep their settings. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The folder in which programs have folders of their own. */
export function settingsFolder({ platform, home, environment }: Surroundings): string {
  if (platform === 'win32') return environment['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return dotConfig({ platform, home, environment });
}

/** What command-line programs use on every Unix. */
export const dotConfig = ({ home, environment }: Surroundings): string => {
  const given = environment['XDG_CONFIG_HOME'];
  return given === undefined || given === '' ? join(home, '.config') : given;
};

export const isThere = (path: string): boolean => existsSync(path);

/** A program by its name; started from a menu, the app's own PATH lacks where package managers put them. */
export const findsProgram = (name: string, around: Surroundings): boolean => programIn(name, around) !== null;

/** Its path; null where there is none. */
export function programIn(name: string, { platform, home, environment }: Surroundings): string | null {
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
