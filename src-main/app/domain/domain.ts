import { resolve } from 'node:path';
import type { Config } from '#contract/vocabulary/config.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Domain } from '../../domain/ports/sources/domain.js';
import type { KeyDestination } from '../../domain/outside/key-destination.js';
import type { WorkerRunner } from '../../domain/ports/sources/worker.js';
import { getToolSource } from '../../domain/tool/tool-identity.js';
import { resolveKey } from '../../outside/resolve-key.js';
import { isLocalUrl } from '../../outside/origin-lookup.js';
import { createOutside } from '../../outside/outside-client.js';
import { systemClock } from '../../platform/clock.js';
import { writeLoadedPackage, readLoadedPackage } from '../../platform/packages/loaded-package.js';
import { resolveConcurrency, type PackagePolicies } from '../../tools/packages/domain-package.js';
import type { Generation } from '../../tools/packages/package-generation.js';
import type { PackageChange } from '../../tools/packages/package-acceptance.js';
import { PackageHost, type AdvanceApproval } from '../../tools/packages/package-host.js';
import type { AddressResolutions } from '../../platform/data-folder/address-resolutions.js';
import { mayToolsWrite } from '../../platform/files/writable-places.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { SettingsWing } from '../settings.js';
import type { Shell } from '../shell.js';
import { StartRefused } from '../start/start-refused.js';
import type { RuleBook } from '../state/confirmations.js';
import { endRules } from '../sources/end-rules.js';
import type { SourcesWing } from '../sources/sources.js';
import type { ReservedGroups } from '../../tools/sources/catalog/source-catalog.js';
import type { ToolsWing } from '../tools.js';
import { FollowedPackage } from './followed-package.js';
import { isSame, REFUSED, refusedNotice, takenNotice, WAITS, waitsNotice, waitsWords } from './package-notices.js';
import { packageReviewChannels } from './package-channels.js';
import { addressesOf } from './package-review.js';

export interface DomainWing {
  readonly domain: Domain;
  /** The queue limits for its calls; null without a package. */
  readonly queue: (toolId?: string) => Config['tools']['queue'] | null;
  readonly channels: Pick<Handlers, 'domain.get' | 'domain.review' | 'domain.accept'>;
  /** The package is read, for the first time. Throws where it was named at the start and can't be taken. */
  readonly load: (policiesChanged: () => void) => Promise<void>;
  /** Lets its workers start from now on. */
  readonly begin: () => void;
  /** Restarts workers whose secrets changed: those that they were given may be other ones by now. */
  readonly secretsChanged: () => void;
  readonly close: () => Promise<void>;
}

interface DomainWings {
  readonly front: Front;
  readonly tools: ToolsWing;
  readonly rules: RuleBook;
  readonly runner: WorkerRunner;
  readonly sources: Pick<SourcesWing, 'names' | 'keepFrom'>;
  readonly keys: SettingsWing['keys'];
  /** The folders that tools may write to, or could at any time before. */
  readonly written: () => readonly string[];
  /** Where names of addresses led that were accepted. */
  readonly led: AddressResolutions;
}

/** The place for which the keys of its workers are entered. */
const WORKERS: KeyDestination = { asker: 'the domain package', origin: null };

/** The timeouts of connections: a call's own time bounds it, and nothing else does. */
const TIMES = { connect: 20_000, firstByte: 2 ** 31 - 1, stall: 2 ** 31 - 1 } as const;

/** Ends the rules for tools of the package that are about to change. */
function endRulesFor(
  changed: readonly { readonly id: string; readonly name: string; readonly version: string }[],
  rules: DomainWings['rules'],
  front: DomainWings['front'],
): ReturnType<typeof endRules> {
  const known = new Map(changed.map(({ id, name }) => [id, name]));
  const accepted = changed.map(({ id, version }) => ({ toolId: id, operation: { version } }));
  return endRules(accepted, rules, (id) => known.get(id) ?? null, front.problem);
}

/** The tools of the domain's package, and their workers. */
export function openDomain(shell: Shell, wings: DomainWings): DomainWing {
  const { config, paths, redactor, logger } = shell;
  const { front, tools, rules, runner, sources, keys, written, led } = wings;
  const outside = createOutside({ secret: () => null, variable: () => null }, TIMES, 'one-a-request', undefined, led);
  const withoutSecrets = async (value: Json): Promise<Json> => (await redactor.jsonLater(value)).value;
  let isStarting = true;
  let onPolicies: () => void = () => undefined;
  /** The missing things, as they were last reported. */
  let said: readonly string[] = [];
  const changed = (): void => {
    sources.keepFrom(groupsOf(now()));
    if ((followed.host?.waiting ?? null) === null) front.notices.take(WAITS);
    front.publish({ type: 'domain-changed' });
  };
  const followed = new FollowedPackage({
    hostOf: (folder) =>
      new PackageHost({
        folder,
        copies: paths.domainCopies,
        sources: sources.names,
        taken: {
          find: () => readLoadedPackage(paths.domainTaken),
          keep: (taken) => writeLoadedPackage(paths.domainTaken, taken),
        },
        registry: tools.registry,
        runner,
        outside,
        withoutSecrets,
        now: () => systemClock.now(),
        secretOf: secretsOf(shell, keys),
        logLine: (level, what, facts) => logger[level](what, { ...facts }),
        onChange: changed,
        standing: () => standingYes(shell, folder, written()),
        waits: (waiting) => {
          const keeps = now() !== null;
          say([waitsWords(folder, waiting, keeps)]);
          front.notices.take(REFUSED);
          front.notices.show(waitsNotice(folder, waiting, keeps));
        },
        refused: (problems) => {
          // At the start with the flag it is said as the app ends.
          if (!isStarting || shell.domain === null) say(problems);
          front.notices.show(refusedNotice(folder, problems, now() !== null));
        },
        endRules: (others) => endRulesFor(others, rules, front),
        took: (change) => {
          tell(change, front);
          void learnWhereItLeads(now(), led);
          said = missingOf(now());
          sayMissing(said);
        },
        policiesChanged: () => onPolicies(),
      }),
    onChange: () => {
      front.notices.take(REFUSED);
      front.notices.take(WAITS);
      changed();
    },
    onFault: (error) => logger.error('The domain package could not be read', { error }),
  });
  const now = (): Generation | null => followed.host?.now ?? null;
  const secretsChanged = (): void => {
    now()?.renewWorkers();
    const missing = missingOf(now());
    sayMissing(missing.filter((name) => !said.includes(name)));
    said = missing;
    changed();
  };
  return {
    domain: { served: () => now()?.served ?? null },
    queue: (toolId) => queueOf(now()?.policies ?? null, toolId),
    channels: packageReviewChannels(followed, led),
    load: async (policiesChanged) => {
      onPolicies = policiesChanged;
      const problems = await followed.follow(named(shell));
      if (problems.length > 0 && shell.domain !== null) throw new StartRefused(problems);
      isStarting = false;
      config.watch(
        ({ own }) => own.domain,
        () =>
          void followed
            .follow(named(shell))
            .then(() => {
              // What the person says yes to in advance may be another.
              followed.look();
              secretsChanged();
            })
            .catch(() => undefined),
      );
      // A source that had a name of the package’s may be gone.
      config.watch(
        ({ own }) => Object.keys(own.sources),
        () => followed.look(),
      );
    },
    begin: () => followed.begin(),
    secretsChanged,
    close: async () => {
      await followed.close();
      outside.close();
    },
  };
}

function groupsOf(now: Generation | null): ReservedGroups | null {
  if (now === null) return null;
  const { domainId, tools } = now.package;
  return { domainId, groups: new Set(tools.map(({ id }) => getToolSource(id).toLowerCase())) };
}

/**
 * Resolves the secrets of workers: what the person mapped; otherwise, where they named the package at the start, what
 * the gateway itself has by that name.
 */
function secretsOf({ config, domain }: Shell, keys: SettingsWing['keys']) {
  return (name: string, isFirst: boolean): string | null => {
    const mapped = config.own.domain.secrets[name];
    if (mapped !== undefined) {
      const found = resolveKey(mapped, WORKERS, keys);
      return 'value' in found ? found.value : null;
    }
    // What came later may have been written by anybody: it has what was mapped.
    return domain === null || !isFirst ? null : (process.env[name] ?? null);
  };
}

/**
 * The person's approval in advance. Following a package approves whatever comes; where tools may write to its folder,
 * that is no approval of the person’s.
 */
function standingYes({ config, workspace }: Shell, folder: string, written: readonly string[]): AdvanceApproval {
  const { digest, follow } = config.own.domain;
  // A folder that is about to be opened is not among those written to yet.
  const folders = workspace === null ? written : [...written, workspace];
  return { digest: digest === '' ? null : digest, follow: follow && !mayToolsWrite(folder, folders) };
}

function say(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`gatehouse: ${line}\n`);
}

/** The package folder by the flag, otherwise by the settings; null for none. */
function named({ domain, config, paths }: Shell): string | null {
  if (domain !== null) return resolve(domain);
  const { package: folder } = config.own.domain;
  return folder === '' ? null : resolve(paths.root, folder);
}

function queueOf(policies: PackagePolicies | null, toolId: string | undefined): Config['tools']['queue'] | null {
  if (policies === null) return null;
  return {
    places: policies.global,
    per_tool: toolId === undefined ? policies.global : resolveConcurrency(toolId, policies),
    per_agent: Number.MAX_SAFE_INTEGER,
    max_waiting: policies.maxWaiting,
    max_wait_seconds: policies.maxWaitSec,
  };
}

/** Tells what differs, now that a package is in force. */
function tell(change: PackageChange, front: Front): void {
  front.notices.take(REFUSED);
  front.notices.take(WAITS);
  if (change.from !== null && !isSame(change)) front.notices.show(takenNotice(change));
}

/**
 * Notes where the package's addresses lead when it is taken: a name that leads to this computer only later is refused.
 */
async function learnWhereItLeads(now: Generation | null, led: AddressResolutions): Promise<void> {
  for (const [origin, url] of addressesOf(now?.package.tools ?? []))
    if (led.wasLocal(origin) === null) led.learn(origin, await isLocalUrl(url));
}

function missingOf(now: Generation | null): readonly string[] {
  const wanted = new Set(now?.package.tools.flatMap((tool) => (tool.worker === null ? [] : tool.secrets)));
  return [...wanted].filter((name) => now?.secretOf(name) === null);
}

const sayMissing = (names: readonly string[]): void =>
  say(names.map((name) => `the secret ${name} is not given: its worker runs without it.`));
