import { homedir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Config } from '#contract/vocabulary/config.js';
import type { ReadableByCommands } from '#contract/window/health.js';
import { listSeenPlaces } from './confinement/bubblewrap.js';
import type { PossibleConfinement } from './confinement/confinement-choice.js';
import { commandEnvironment } from './environment/environment.js';
import { isExecutable } from './environment/system-files.js';
import { proxyEnvironment } from './proxy/bridge.js';
import { limitArguments } from './start/supervisor.js';
import type { CommandSurroundings } from './start/supervisor-pool.js';

export interface CommandMachineParts {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hidden: () => readonly string[];
  readonly writable: () => readonly string[];
}

/** The machine as commands meet it: their environment, their limits, and what is kept from them. */
export class CommandMachine {
  readonly #parts: CommandMachineParts;

  constructor(parts: CommandMachineParts) {
    this.#parts = parts;
  }

  finds(program: string, folder: string, config: Config): boolean {
    const { PATH = '' } = this.#environmentOf(folder, config);
    return PATH.split(delimiter).some((place) => isExecutable(join(place, program)));
  }

  seen(folder: string | null, config: Config): ReadableByCommands {
    const { homes, writable, environment } = this.placesFor(folder ?? '/nonexistent', config);
    const { home_allowlist: homeAllowlist, readable } = config.tools.run_command;
    const asked = { homes, environment, writable: writable(), homeAllowlist, readable, workspace: folder };
    return { folder, ...listSeenPlaces({ ...asked, sees: 'folder' }) };
  }

  /** The places on it that a confinement is chosen by. */
  get places() {
    const { environment, hidden, writable } = this.#parts;
    return {
      homes: [...new Set([environment['HOME'] ?? homedir(), userInfo().homedir])],
      environment,
      hidden,
      writable,
    };
  }

  /** The same, with the search path that commands get in this folder. */
  placesFor(folder: string, config: Config) {
    const { PATH = '' } = this.#environmentOf(folder, config);
    return { ...this.places, environment: { ...this.#parts.environment, PATH } };
  }

  #environmentOf(folder: string, { tools }: Config): Record<string, string> {
    const rules = {
      allowlist: tools.run_command.env_allowlist,
      denylist: tools.environment.denylist,
      writable: [folder, ...this.#parts.writable()],
    };
    return commandEnvironment(this.#parts.environment, rules, this.#parts.platform === 'win32');
  }

  /** The surroundings that a command is started in. */
  surroundingsOf(folder: string, config: Config, shell: string, choice: PossibleConfinement): CommandSurroundings {
    const { run_command: settings } = config.tools;
    const bounds = { processes: settings.max_processes, memoryBytes: settings.max_memory_bytes };
    const env = {
      ...this.#environmentOf(folder, config),
      ...(choice.confinement === 'unconfined' ? {} : PRIVATE_PLACES),
      ...(choice.reach === null ? {} : proxyEnvironment(choice.reach.hosts)),
    };
    return { shell, folder, env, limits: limitArguments(settings), bounds };
  }
}

/** Confined, the home folder can't be written to: what tools keep for later goes into the command's own /tmp. */
const PRIVATE_PLACES = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm' } as const;
