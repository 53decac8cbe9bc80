import type { KnownOptions } from '../options.js';
import {
  type Effect,
  effect,
  sameForNames,
  type ParsedArguments,
  hasOption,
  type Program,
  type ProgramTable,
  type StartedProgram,
} from '../program.js';

/** Options of commands that run the folder’s own scripts; what comes after `--` is the script’s. */
const RUNS_SCRIPTS: KnownOptions = { letters: 's', long: 'silent if-present', passesOn: true };
/** The name of a package in the registry, not a path, an address or a repository. */
const packageName = (operand: string): boolean => /^(?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~-]+)?$/u.test(operand);
const INSTALLS: KnownOptions = {
  letters: 'DEPO',
  long: 'save save-dev save-exact save-optional save-peer save-prod no-save no-audit no-fund ignore-scripts prefer-offline offline frozen-lockfile legacy-peer-deps silent',
  operand: packageName,
};

/** What is named is a package, which may have to be fetched. */
export const STARTS_PACKAGE: StartedProgram = { fetches: true };

export const needs = (host: string) => () => [host];
/** Needs a host unless one of the options names another: what is named in the command is meant, whatever is set. */
export const unlessGiven =
  (host: string, ...options: readonly string[]) =>
  (given: ParsedArguments): readonly string[] =>
    options.some((name) => (given.options.get(name) ?? '') !== '') ? [] : [host];
export const PUBLISHES = (words: string): Partial<Program> => ({ effects: [effect('publishes', words)] });

/** A script of the folder that says by its name that it goes out. */
export const PUBLISHING_NAME =
  /^(?:(?:pre|post)?(?:publish|deploy|release)|(?:[\w-]+[:.-])?(?:publish|deploy|release)(?:[:.-][\w:.-]+)?)$/iu;
export const publishesByScript =
  (at: number) =>
  (given: ParsedArguments): readonly Effect[] =>
    PUBLISHING_NAME.test(given.operands[at] ?? '')
      ? [effect('publishes', `runs “${given.operands[at] ?? ''}”, which publishes by its name`)]
      : [];

export const NPM_MORE =
  'script-shell:program node-options:program userconfig:program globalconfig:program prefix:folder C:folder registry:host w:value workspace:value ws!reads workspaces!reads include-workspace-root!reads loglevel:value omit:value include:value';

export const npmLike = (registry: string, program: string): ProgramTable => {
  const installs: Program = {
    nature: 'edits',
    options: INSTALLS,
    more: `${NPM_MORE} g! global! D! f! force! legacy-bundling! no-optional! production! only:value tag:value w! filter:value r! immutable!`,
    operands: ['value'],
    needs: unlessGiven(registry, 'registry'),
    tells: () => ['downloads and installs packages, whose own scripts may run'],
    findEffects: (given) =>
      hasOption(given, 'g', 'global', 'location') ? [effect('outside', 'installs for this whole machine')] : [],
  };
  const scripts = (at: number): Program => ({
    nature: 'runs',
    options: RUNS_SCRIPTS,
    more: NPM_MORE,
    operands: ['value'],
    findEffects: publishesByScript(at),
  });
  const asks: Program = {
    nature: 'edits',
    anyOption: true,
    more: 'registry:host',
    operands: ['value'],
    needs: unlessGiven(registry, 'registry'),
  };
  const publishes: Program = {
    nature: 'edits',
    more: 'registry:host tag:value access:value otp:text',
    needs: unlessGiven(`${registry} publish`, 'registry'),
    operands: ['value'],
    ...PUBLISHES(`publishes a package, or changes what is published (${program})`),
  };
  return {
    ...sameForNames('test t tst start stop restart', scripts(-1)),
    ...sameForNames('run run-script', scripts(0)),
    ...sameForNames('install i add ci isntall clean-install install-test it', installs),
    ...sameForNames('update up upgrade dedupe ddp link ln import fetch rebuild rb create init-from', {
      ...installs,
      options: {},
    }),
    ...sameForNames('uninstall remove rm r un unlink prune', {
      nature: 'edits',
      operands: ['value'],
      more: NPM_MORE,
      findEffects: (given: ParsedArguments) =>
        hasOption(given, 'g', 'global') ? [effect('outside', 'removes from this whole machine')] : [],
    } satisfies Program),
    ...sameForNames('publish unpublish deprecate dist-tag owner access team', publishes),
    ...sameForNames(
      'view info show v outdated audit search whoami ping login logout adduser token profile doctor fund star repo docs bugs home',
      asks,
    ),
    ...sameForNames('exec x', {
      nature: 'runs',
      starts: STARTS_PACKAGE,
      more: 'p:value package:value c:shell call:shell y! yes!',
      needs: needs(`${registry} exec`),
    } satisfies Program),
    ls: { nature: 'reads', options: { letters: 'la', long: 'all long json depth= prod dev' }, operands: ['value'] },
    ...sameForNames('list ll la explain why query pkg root prefix bin help version-list', {
      nature: 'reads',
      options: { letters: 'la', long: 'all json depth= long parseable' },
      operands: ['value'],
      findEffects: ({ operands: [verb] }: ParsedArguments) =>
        verb === 'set' || verb === 'delete' || verb === 'fix' ? [effect('notice', 'changes package.json')] : [],
    } satisfies Program),
    outdated: { ...asks, options: { long: 'json long all' } },
    pack: { nature: 'edits', more: 'dry-run! json! pack-destination:writes', operands: ['reads'] },
    version: {
      nature: 'edits',
      operands: ['value'],
      more: 'm:text message:text no-git-tag-version!',
      effects: [effect('notice', 'commits and tags a version')],
    },
    ...sameForNames('config set get c', {
      nature: 'edits',
      operands: ['text'],
      findEffects: ({ operands: [verb], all }: ParsedArguments) =>
        /^(?:get|list|ls)$/u.test(verb ?? '') || all.length === 0
          ? []
          : [effect('control-file', 'changes the package manager’s settings, which can make it run code')],
    } satisfies Program),
    cache: { nature: 'edits', operands: ['value'] },
    init: { nature: 'edits', operands: ['value'], needs: ({ operands }) => (operands.length > 0 ? [registry] : []) },
    dlx: { nature: 'runs', starts: STARTS_PACKAGE, needs: needs(registry) },
  };
};
