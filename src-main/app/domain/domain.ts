import { resolve } from 'node:path';
import type { Config } from '#contract/vocabulary/config.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Domain } from '../../domain/ports/sources/domain.js';
import type { WorkerRunner } from '../../domain/ports/sources/worker.js';
import { keyValue } from '../../outside/key-value.js';
import { createOutside } from '../../outside/outside-client.js';
import { systemClock } from '../../platform/clock.js';
import { keepTaken, readTaken } from '../../platform/packages/taken-package.js';
import { watchFolder } from '../../platform/packages/watch-folder.js';
import { placesOf } from '../../tools/packages/domain-package.js';
import { type PackageChange, PackageHost } from '../../tools/packages/package-host.js';
import { Runs } from '../../tools/packages/runs.js';
import type { Front } from '../front.js';
import type { Shell } from '../shell.js';
import { StartRefused } from '../start/start-refused.js';
import type { RuleBook } from '../state/confirmations.js';
import { endRules } from '../sources/end-rules.js';
import type { ToolsWing } from '../tools.js';
import { domainView } from './domain-view.js';
import type { DomainView } from '#contract/window/domain.js';

export interface DomainWing {
  readonly domain: Domain;
  /** By which policies its calls wait; null without a package. */
  readonly queue: (toolId?: string) => Config['tools']['queue'] | null;
  readonly view: () => DomainView | null;
  /** The package is read, for the first time. Throws where it was named at the start and can't be taken. */
  readonly load: (policiesChanged: () => void) => Promise<void>;
  /** From now on its workers may be started. */
  readonly begin: () => void;
  readonly close: () => Promise<void>;
}

interface Wings {
  readonly front: Front;
  readonly tools: ToolsWing;
  readonly rules: RuleBook;
  readonly runner: WorkerRunner;
}

/** Its own time bounds a call, and nothing else does. */
const TIMES = { connect: 20_000, firstByte: 2 ** 31 - 1, stall: 2 ** 31 - 1 } as const;
const REFUSED = 'domain-refused';
const TAKEN = 'domain-taken';

/** The tools of the domain's package, and their workers. */
export function openDomain(shell: Shell, { front, tools, rules, runner }: Wings): DomainWing {
  const { config, paths, secrets, redactor, logger } = shell;
  const keys = { secret: (name: string) => secrets.get(name), variable: (name: string) => process.env[name] ?? null };
  const outside = createOutside(keys, TIMES, 'one-a-request');
  const runs = new Runs(async (value: Json) => (await redactor.jsonLater(value)).value);
  const say = (line: string): void => void process.stderr.write(`gatehouse: ${line}\n`);
  let host: PackageHost | null = null;
  let watched: ReturnType<typeof watchFolder> | null = null;
  let followed: string | null = null;
  let hasBegun = false;
  let onPolicies: () => void = () => undefined;

  const secretOf = (name: string): string | null => {
    const mapped = config.own.domain.secrets[name];
    if (mapped !== undefined) return keyValue(mapped, keys);
    return shell.domain === null ? null : (process.env[name] ?? null);
  };
  const hostOf = (folder: string): PackageHost =>
    new PackageHost({
      folder,
      copies: paths.domainCopies,
      sources: () => Object.keys(config.own.sources),
      taken: { find: () => readTaken(paths.domainTaken), keep: (taken) => keepTaken(paths.domainTaken, taken) },
      registry: tools.registry,
      runner,
      outside,
      runs,
      now: () => systemClock.now(),
      secretOf,
      logLine: (level, what, facts) => logger[level](what, { ...facts }),
      onChange: () => front.publish({ type: 'domain-changed' }),
      refused: (problems) => {
        // At the start with the flag it is said as the app ends.
        if (!isFirst || shell.domain === null) for (const problem of problems) say(problem);
        front.notices.show(refusedNotice(folder, problems, host?.now != null));
      },
      took: (change, changed) => {
        front.notices.take(REFUSED);
        if (change.from !== null && !isSame(change)) front.notices.show(takenNotice(change));
        const others = changed.map(({ id, version }) => ({ toolId: id, operation: { version } }));
        const names = new Map(host?.now?.served.tools.map(({ id, name }) => [id, name]));
        void endRules(others, rules, (id) => names.get(id) ?? null, front.problem);
        sayMissing();
      },
      policiesChanged: () => onPolicies(),
    });
  let isFirst = true;

  const sayMissing = (): void => {
    const wanted = new Set(
      host?.now?.package.tools.flatMap((tool) => (tool.worker === null ? [] : tool.secrets)) ?? [],
    );
    const missing = [...wanted].filter((name) => secretOf(name) === null);
    for (const name of missing) say(`the secret ${name} is not given: its worker runs without it.`);
  };

  const follow = async (folder: string | null): Promise<void> => {
    if (folder === followed) return;
    followed = folder;
    await Promise.all([watched?.close(), host?.close()]);
    [watched, host] = [null, null];
    front.notices.take(REFUSED);
    front.publish({ type: 'domain-changed' });
    if (folder === null) return;
    const made = hostOf(folder);
    host = made;
    const isTaken = await made.look();
    if (!isTaken && isFirst && shell.domain !== null) throw new StartRefused(made.problems);
    if (hasBegun) made.begin();
    watched = watchFolder(
      folder,
      () => void made.look().catch((error: unknown) => logger.error('The domain package could not be read', { error })),
    );
    // Changed from now on, it is seen.
    await watched.ready;
  };
  const named = (): string | null => {
    if (shell.domain !== null) return resolve(shell.domain);
    const { package: folder } = config.own.domain;
    return folder === '' ? null : resolve(paths.root, folder);
  };
  let turn: Promise<unknown> = Promise.resolve();

  return {
    domain: { served: () => host?.now?.served ?? null, runs: runs.door },
    queue: (toolId) => {
      const policies = host?.now?.policies;
      if (policies === undefined) return null;
      return {
        places: policies.global,
        per_tool: toolId === undefined ? policies.global : placesOf(toolId, policies),
        per_agent: Number.MAX_SAFE_INTEGER,
        max_waiting: policies.maxWaiting,
        max_wait_seconds: policies.maxWaitSec,
      };
    },
    view: () => (host === null ? null : domainView(host, { folder: followed ?? '', secretOf })),
    load: async (policiesChanged) => {
      onPolicies = policiesChanged;
      await follow(named());
      isFirst = false;
      config.watch(
        ({ own }) => own.domain,
        () => {
          turn = turn
            .then(() => follow(named()))
            .catch((error: unknown) => logger.error('The domain package could not be followed', { error }));
        },
      );
    },
    begin: () => {
      hasBegun = true;
      host?.begin();
    },
    close: async () => {
      await turn;
      await Promise.all([watched?.close(), host?.close()]);
      await runner.close();
      outside.close();
    },
  };
}

const isSame = ({ from, to, added, changed, gone }: PackageChange): boolean =>
  from?.domainId === to.domainId && from.version === to.version && added.length + changed.length + gone.length === 0;

const refusedNotice = (folder: string, problems: readonly string[], keeps: boolean) =>
  ({
    id: REFUSED,
    severity: 'error',
    title: 'The domain package was refused',
    text: keeps
      ? 'The one before stays in force. Mend the package, and it is read again.'
      : 'No domain is served. Mend the package, and it is read again.',
    details: [folder, ...problems].join('\n'),
    dismissible: true,
  }) as const;

function takenNotice({ from, to, added, changed, gone }: PackageChange) {
  const parts = [
    ...(added.length > 0 ? [`New: ${added.join(', ')}.`] : []),
    ...(changed.length > 0 ? [`Changed: ${changed.join(', ')}.`] : []),
    ...(gone.length > 0 ? [`Gone: ${gone.join(', ')}.`] : []),
  ];
  return {
    id: TAKEN,
    severity: 'info',
    title: `Domain ${to.domainId} ${to.version} is in force`,
    text: [`It was ${from?.domainId === to.domainId ? '' : `${from?.domainId} `}${from?.version}.`, ...parts].join(' '),
    details: null,
    dismissible: true,
  } as const;
}
