import { app } from 'electron';
import type { MakeSource } from '../../domain/ports/sources/source.js';
import { createOutsideFetch } from '../../outside/outside-fetch.js';
import { createSignInReturn } from '../../outside/sign-in-return.js';
import { systemClock } from '../../platform/clock.js';
import { readDocument } from '../../outside/read-document.js';
import { createPackages } from '../../process/programs/packages.js';
import { NPM, PYPI } from '../../domain/commands/reading/hosts/registries.js';
import { createMcpSource } from '../../tools/sources/mcp/mcp-source.js';
import type { KindParts } from './kind-parts.js';
import { signInKeeper } from './sign-in-keeper.js';

export function mcpKind({
  shell,
  commands,
  outside,
  shownFolder,
  knowSecrets,
  valueOf,
  questions,
  homeOf,
}: KindParts): MakeSource {
  const { config, paths, secrets } = shell;
  return createMcpSource({
    appVersion: app.getVersion(),
    start: commands.programs.start,
    find: commands.programs.find,
    packages: createPackages({
      start: commands.programs.start,
      folder: paths.packages,
      registry: process.env['npm_config_registry'] ?? `https://${NPM}/`,
      pythonIndex: process.env['UV_INDEX_URL'] ?? process.env['PIP_INDEX_URL'] ?? `https://${PYPI[0]}/simple/`,
      read: (url, accept, signal) => readDocument(outside, url, accept, signal),
    }),
    code: commands.code,
    homeOf,
    valueOf,
    fetchFor: (placeOf) => createOutsideFetch(outside, placeOf),
    questions,
    clock: systemClock,
    signIns: { keeper: signInKeeper(secrets, knowSecrets), openReturn: createSignInReturn() },
    now: async () => ({
      confinement: await commands.runner.confinement(),
      config: config.current,
      folder: shownFolder(),
    }),
  });
}
