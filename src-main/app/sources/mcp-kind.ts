import { app } from 'electron';
import { homedir, userInfo } from 'node:os';
import type { MakeSource } from '../../domain/ports/sources/source.js';
import { keyValue } from '../../outside/key-value.js';
import { createOutsideFetch } from '../../outside/outside-fetch.js';
import { ownFiles } from '../../process/programs/own-files.js';
import { createPackages } from '../../process/programs/packages.js';
import { NPM } from '../../domain/reading/hosts/registries.js';
import { createMcpSource } from '../../tools/sources/mcp/mcp-source.js';
import type { KindParts } from './kind-parts.js';

export function mcpKind({ shell, commands, outside, shownFolder }: KindParts): MakeSource {
  const { config, paths, secrets } = shell;
  const keys = {
    secret: (name: string) => secrets.get(name),
    variable: (name: string) => process.env[name] ?? null,
  };
  return createMcpSource({
    appVersion: app.getVersion(),
    start: commands.programs.start,
    packages: createPackages({
      start: commands.programs.start,
      folder: paths.packages,
      registry: process.env['npm_config_registry'] ?? `https://${NPM}/`,
    }),
    folders: commands.folders,
    ownFiles: (command, args, cwd) =>
      ownFiles(command, args, cwd, {
        homes: [homedir(), userInfo().homedir],
        hidden: [paths.root, ...commands.folders()],
      }),
    valueOf: (reference) => keyValue(reference, keys),
    fetchFor: (place) => createOutsideFetch(outside, () => place),
    now: async () => ({
      confinement: await commands.runner.confinement(),
      config: config.current,
      folder: shownFolder(),
    }),
  });
}
