import { join } from 'node:path';
import Type from 'typebox';
import { validatorOf } from '../json-schema.js';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that say on which screen a window of this person's opens, and who else belongs to their session. */
const NAMES = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'] as const;
const value = Type.Optional(Type.String({ maxLength: 4096 }));
const Kept = Type.Object(
  {
    DISPLAY: value,
    WAYLAND_DISPLAY: value,
    XAUTHORITY: value,
    XDG_RUNTIME_DIR: value,
    DBUS_SESSION_BUS_ADDRESS: value,
  },
  { additionalProperties: false },
);
const readKept = validatorOf(Kept);

const placeIn = (dataDir: string): string => join(dataDir, 'run', 'display.json');

export const hasDisplay = (environment: Environment): boolean =>
  (environment['DISPLAY'] ?? '') !== '' || (environment['WAYLAND_DISPLAY'] ?? '') !== '';

/** Where the app's window is, for a command of ours that is started without knowing: most agents hand nothing of it on. */
export function keepDisplay(dataDir: string, environment: Environment): void {
  if (!hasDisplay(environment)) return;
  const known = NAMES.flatMap((name) => {
    const said = environment[name];
    return said === undefined ? [] : [[name, said] as const];
  });
  replaceSmallFile(placeIn(dataDir), `${JSON.stringify(Object.fromEntries(known))}\n`);
}

/** An environment in which a window can be opened: the given one where it says where, else with what the app last had. */
export function withDisplay(dataDir: string, environment: Environment): Environment {
  if (hasDisplay(environment)) return environment;
  const text = readSmallFile(placeIn(dataDir));
  if (text === null) return environment;
  try {
    const kept = readKept(JSON.parse(text));
    return kept.ok ? { ...kept.value, ...environment } : environment;
  } catch {
    return environment;
  }
}
