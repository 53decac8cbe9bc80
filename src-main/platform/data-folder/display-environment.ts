import { join } from 'node:path';
import Type from 'typebox';
import { keptJson } from '../files/kept-json.js';

type DisplayEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables that say on which screen a window of this person's opens, and who else belongs to their session. */
const DISPLAY_VARIABLES = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
] as const;
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

const displayFile = (dataDir: string) => keptJson(join(dataDir, 'run', 'display.json'), Kept);

export const hasDisplay = (environment: DisplayEnvironment): boolean =>
  (environment['DISPLAY'] ?? '') !== '' || (environment['WAYLAND_DISPLAY'] ?? '') !== '';

/** Where the app's window is, for a command of ours that is started without knowing: most agents hand nothing of it on. */
export function keepDisplay(dataDir: string, environment: DisplayEnvironment): void {
  if (!hasDisplay(environment)) return;
  const known = DISPLAY_VARIABLES.flatMap((name) => {
    const said = environment[name];
    return said === undefined ? [] : [[name, said] as const];
  });
  displayFile(dataDir).write(Object.fromEntries(known));
}

/** An environment in which a window can be opened: the given one where it says where, else with what the app last had. */
export function withDisplay(dataDir: string, environment: DisplayEnvironment): DisplayEnvironment {
  return hasDisplay(environment) ? environment : { ...displayFile(dataDir).read(), ...environment };
}
