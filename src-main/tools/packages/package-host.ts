import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import { forgetPackages, keepPackage, readPackage } from '../../platform/packages/package-files.js';
import { type TakenPackage, versionsOf } from '../../platform/packages/taken-package.js';
import type { DomainPackage } from './domain-package.js';
import { Generation, type GenerationParts } from './generation.js';
import { readDomainPackage } from './read-package.js';

/** What another package changes, as the person reads it. */
export interface PackageChange {
  readonly from: { readonly domainId: string; readonly version: string } | null;
  readonly to: { readonly domainId: string; readonly version: string };
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

export interface ChangedTool {
  readonly id: string;
  readonly version: string;
  /** What models call it. */
  readonly name: string;
}

interface Parts extends Omit<GenerationParts, 'log'> {
  readonly folder: string;
  /** Where copies are kept. */
  readonly copies: string;
  readonly sources: () => readonly string[];
  readonly taken: { find(): TakenPackage | null; keep(taken: TakenPackage): void };
  readonly registry: { replaceDomain(tools: readonly RegisteredTool[]): void };
  readonly logLine: (level: 'debug' | 'info' | 'warn' | 'error', what: string, facts: object) => void;
  /** Each problem is said where a person finds it. */
  readonly refused: (problems: readonly string[]) => void;
  /** Before another package is in force: rules for tools that it changes end. Gives why they can’t; then it is not taken. */
  readonly endRules: (changed: readonly ChangedTool[]) => Promise<readonly string[]>;
  /** Taken, and in force. */
  readonly took: (change: PackageChange) => void;
  readonly policiesChanged: () => void;
}

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3 } as const;

/** The package of a folder: taken whole or not at all, and the one before stays. */
export class PackageHost {
  readonly #parts: Parts;
  #now: Generation | null = null;
  #problems: readonly string[] = [];
  #lastChange: PackageChange | null = null;
  #hasBegun = false;
  #retiring: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get now(): Generation | null {
    return this.#now;
  }

  /** What is wrong in the folder as it is now. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  get lastChange(): PackageChange | null {
    return this.#lastChange;
  }

  /** Reads the folder, one time after another. False where what is there is no package that can be taken. */
  look(): Promise<boolean> {
    const looked = this.#turn.then(() => this.#look());
    this.#turn = looked.catch(() => undefined);
    return looked;
  }

  /** From now on workers may be started. */
  begin(): void {
    this.#hasBegun = true;
    this.#now?.begin();
  }

  async close(): Promise<void> {
    await this.#turn;
    const now = this.#now;
    this.#now = null;
    this.#parts.registry.replaceDomain([]);
    await now?.close();
  }

  async #look(): Promise<boolean> {
    const { folder, sources, copies } = this.#parts;
    const files = readPackage(folder);
    // Of the folder itself, or of what is in it.
    if (!files.ok)
      return this.#refuse([isAbsolute(files.problem) ? files.problem : `manifest.yaml:1: ${files.problem}`]);
    const read = readDomainPackage(files.read, sources());
    if (!read.ok) return this.#refuse(read.problems);
    const { package: offered } = read;
    const wrong = this.#otherThanBefore(offered);
    if (wrong !== null) return this.#refuse([wrong]);
    if (this.#now?.package.versionDigest === offered.versionDigest) {
      this.#problems = [];
      this.#policies(this.#now, offered);
      return true;
    }
    const kept = keepPackage(files.read, copies);
    const { logLine: _logLine, ...parts } = this.#parts;
    const next: Generation = new Generation(offered, kept, {
      ...parts,
      log: (level, what, facts) => {
        if (LEVELS[level] >= LEVELS[next.policies.logLevel]) this.#parts.logLine(level, what, facts);
      },
    });
    await next.prepare();
    const change = changeOf(this.#parts.taken.find(), offered);
    const others = next.served.tools.filter(({ id }) => change.changed.includes(id));
    const versions = new Map(offered.tools.map(({ id, version }) => [id, version]));
    const stays = await this.#parts.endRules(
      others.map(({ id, name }) => ({ id, name, version: versions.get(id) ?? '' })),
    );
    if (stays.length > 0) return this.#refuse(stays.map((why) => `manifest.yaml:1: ${why}`));
    this.#swap(next, change);
    return true;
  }

  #refuse(problems: readonly string[]): false {
    if (!isDeepStrictEqual(problems, this.#problems)) {
      this.#problems = problems;
      this.#parts.refused(problems);
      this.#parts.onChange();
    }
    return false;
  }

  /** Whoever keeps what it was told goes by the version: one version is one package. */
  #otherThanBefore({ domainId, version, versionDigest }: DomainPackage): string | null {
    const taken = this.#parts.taken.find();
    const versions = taken === null ? [] : versionsOf(taken);
    const before = versions.find((each) => each.domainId === domainId && each.version === version);
    return before === undefined || before.versionDigest === versionDigest
      ? null
      : `manifest.yaml:1: the package is another one, and ${before === versions[0] ? 'still' : 'again'} version “${version}”. Raise its version; policies.yaml alone may change without that`;
  }

  #policies(now: Generation, { policies }: DomainPackage): void {
    if (isDeepStrictEqual(policies, now.policies)) {
      this.#parts.onChange();
      return;
    }
    now.policies = policies;
    this.#parts.registry.replaceDomain(now.tools);
    this.#parts.policiesChanged();
    this.#parts.onChange();
  }

  #swap(next: Generation, change: PackageChange): void {
    const { taken, registry, copies } = this.#parts;
    const before = this.#now;
    const known = taken.find();
    this.#problems = [];
    taken.keep({ ...takenOf(next.package), before: known === null ? [] : versionsOf(known) });
    this.#now = next;
    this.#lastChange = change;
    registry.replaceDomain(next.tools);
    if (this.#hasBegun) next.begin();
    this.#parts.took(change);
    this.#parts.policiesChanged();
    this.#parts.onChange();
    const over = before === null ? Promise.resolve() : before.retire();
    this.#retiring = Promise.allSettled([this.#retiring, over]).then(() => {
      if (this.#now !== null) forgetPackages(copies, new Set([this.#now.folder]));
    });
  }
}

const takenOf = ({ domainId, version, versionDigest, tools }: DomainPackage): TakenPackage => ({
  domainId,
  version,
  versionDigest,
  tools: Object.fromEntries(tools.map((tool) => [tool.id, { version: tool.version, digest: tool.digest }])),
});

function changeOf(known: TakenPackage | null, { domainId, version, tools }: DomainPackage): PackageChange {
  const ids = new Set(tools.map(({ id }) => id));
  const before = known?.tools ?? {};
  const digestBefore = (id: string) => (Object.hasOwn(before, id) ? before[id]?.digest : undefined);
  return {
    from: known === null ? null : { domainId: known.domainId, version: known.version },
    to: { domainId, version },
    added: tools.filter(({ id }) => digestBefore(id) === undefined).map(({ id }) => id),
    changed: tools.filter(({ id, digest }) => ![undefined, digest].includes(digestBefore(id))).map(({ id }) => id),
    gone: Object.keys(before).filter((id) => !ids.has(id)),
  };
}
