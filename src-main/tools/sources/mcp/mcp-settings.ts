import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NO_NETWORK, type NetworkTerms } from '#contract/vocabulary/network.js';
import type { LookUpKey } from '../../../domain/outside/key-destination.js';
import { parseSettingValue } from '../../../domain/outside/references.js';
import type { FindHeldProgram } from '../../../domain/ports/sources/held-program.js';
import type { InstalledPackage } from '../../../domain/ports/sources/packages.js';
import { type Source, type SourceOptions, SourceProblem } from '../../../domain/ports/sources/source.js';
import { resolveProcessTerms, type TermsSituation } from '../../../domain/tool/terms.js';

type McpSettings = SourceOptions['settings'];

/**
 * The identity that is accepted of a server before it is asked anything: how it is started or reached, and the names of
 * what it is given.
 */
export const buildIdentity = (
  { command, args, cwd, env, url, headers }: McpSettings,
  installed: InstalledPackage | null,
): JsonObject =>
  command === undefined
    ? { kind: 'mcp', url: url ?? '', headers: Object.keys(headers).toSorted() }
    : {
        kind: 'mcp',
        command,
        args: [...args],
        cwd: cwd ?? null,
        env: Object.keys(env).toSorted(),
        ...(installed === null ? {} : { package: describePackage(installed) }),
      };

/**
 * The program that the command's name resolves to: with another it is another server. Empty where the command is a
 * path, or none is there.
 */
export function resolveProgram(find: FindHeldProgram, made: SourceOptions, isFetched: boolean): JsonObject {
  const { command, cwd } = resolveStartCommand(made);
  if (isFetched || command.includes('/')) return {};
  const { PATH } = made.settings.env;
  const environment = PATH === undefined ? {} : { PATH };
  const program = find({ command, workingDirectory: cwd, environment });
  return program === null ? {} : { program };
}

const describePackage = ({ name, version, integrity, digest }: InstalledPackage): JsonObject => ({
  name,
  version,
  integrity,
  'with all that it needs': digest,
});

/** The names of secrets that it is given. */
export const listSecretNames = ({ env, headers, command }: McpSettings): readonly string[] =>
  Object.values(command === undefined ? headers : env).flatMap((value) => {
    const read = parseSettingValue(value);
    return read?.kind === 'reference' ? [read.name] : [];
  });

type SourceTerms = ReturnType<Source['termsFor']>;

export function createTerms(settings: McpSettings): (situation: TermsSituation) => SourceTerms {
  const secrets = listSecretNames(settings);
  if (settings.command === undefined) {
    const host = URL.parse(settings.url ?? '')?.host ?? '';
    const network: NetworkTerms = { reach: 'hosts', hosts: [host], by: 'settings' };
    return () => ({ process: null, network, paths: 'none', secrets });
  }
  const network = resolveNetworkTerms(settings);
  const paths = resolvePathTerms(settings.filesystem);
  return (situation) => ({ process: resolveProcessTerms(situation).process, network, paths, secrets });
}

function resolvePathTerms(filesystem: McpSettings['filesystem']): SourceTerms['paths'] {
  if (filesystem === 'write') return 'change';
  return filesystem === 'read' ? 'read' : 'none';
}

function resolveNetworkTerms({ network }: McpSettings): NetworkTerms {
  const hosts = network.filter((entry) => entry !== '*');
  if (hosts.length < network.length) return { reach: 'any', hosts, by: 'settings' };
  return hosts.length === 0 ? NO_NETWORK : { reach: 'hosts', hosts, by: 'settings' };
}

/** The environment with the values of its references. Throws where one is missing: nothing is started without it. */
export function resolveEnvironment({ name, settings }: SourceOptions, valueOf: LookUpKey): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [variable, written] of Object.entries(settings.env)) {
    const read = parseSettingValue(written);
    if (read === null)
      throw refusedProblem(name, `The value of ${variable} can’t be read: a reference is the last word of it.`);
    if (read.kind === 'plain') {
      given[variable] = read.value;
      continue;
    }
    const found = valueOf(read.from, name);
    if ('problem' in found)
      throw refusedProblem(name, `${variable} is to be ${read.from}. ${found.problem}. It was not started.`);
    given[variable] = `${read.prefix}${found.value}`;
  }
  return given;
}

/** The environment without references to keys. */
export const readPlainEnvironment = ({ env }: McpSettings): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([, written]) => parseSettingValue(written)?.kind === 'plain'));

export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
}

/** The command as it is started: relative paths of settings are of the data folder. */
export function resolveStartCommand({ settings, dataFolder }: SourceOptions): StartCommand {
  const { command = '', args, cwd } = settings;
  const isPath = command.includes('/') && !isAbsolute(command);
  return {
    command: isPath ? resolve(dataFolder, command) : command,
    args,
    cwd: cwd === undefined ? null : resolve(dataFolder, cwd),
  };
}

export const refusedProblem = (name: string, what: string): SourceProblem =>
  new SourceProblem('refused', `“${name}”: ${what}`);
