import { isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import { digestJson } from '../../platform/digest.js';
import { namedAndRealPath } from '../../platform/files/writable-places.js';
import { forgetPackages, keepPackage, type PackageFiles, readPackage } from '../../platform/packages/package-files.js';
import { type AcceptedPackage, type LoadedPackage, listVersions } from '../../platform/packages/loaded-package.js';
import {
  findAccepted,
  comparePackages,
  listImages,
  findUnaccepted,
  type PackageAcceptanceGap,
  type OfferedPackage,
  type PackageChange,
  toTakenTools,
  pinImages,
} from './package-acceptance.js';
import { type DomainPackage, type PackagePolicies, tightenPolicies } from './domain-package.js';
import { Generation, type GenerationDeps } from './package-generation.js';
import { readDomainPackage } from './read-package.js';

export interface ChangedTool {
  readonly id: string;
  readonly version: string;
  /** The tool's name for models. */
  readonly name: string;
}

/** A package that waits for the person’s yes: nothing of it is in force, but for what it tightens. */
export interface WaitingPackage {
  /** The digest of all that would be accepted: the yes is to this. */
  readonly digest: string;
  readonly offered: OfferedPackage;
  /** Null: nothing of this folder was ever accepted. */
  readonly accepted: AcceptedPackage | null;
  /** The package that was accepted, whole; null where its copy is gone. */
  readonly before: { readonly package: DomainPackage; readonly files: PackageFiles } | null;
  readonly asks: PackageAcceptanceGap | null;
}

/** The yes that the person gave in advance. */
export interface AdvanceApproval {
  /** The digest of the files that are accepted in advance; null for none. */
  readonly digest: string | null;
  /** Whether any change is accepted, where no tool may write to the folder. */
  readonly follow: boolean;
}

interface PackageHostDeps extends Omit<GenerationDeps, 'log' | 'secretOf' | 'startFailed'> {
  readonly folder: string;
  /** Where copies are kept. */
  readonly copies: string;
  readonly sources: () => readonly string[];
  readonly taken: { find(): LoadedPackage | null; keep(taken: LoadedPackage): void };
  readonly registry: { replaceDomain(tools: readonly RegisteredTool[]): void };
  readonly standing: () => AdvanceApproval;
  /** `isFirst`: it is for the version of this folder that was taken first. */
  readonly secretOf: (name: string, isFirst: boolean) => string | null;
  readonly logLine: (level: 'debug' | 'info' | 'warn' | 'error', what: string, facts: object) => void;
  /** Reports problems where a person finds each of them. */
  readonly refused: (problems: readonly string[]) => void;
  readonly waits: (waiting: WaitingPackage) => void;
  /**
   * Ends the rules for tools that another package changes, before that package is in force. Returns why they can’t end;
   * then the package is not taken.
   */
  readonly endRules: (changed: readonly ChangedTool[]) => Promise<readonly string[]>;
  /** Called once a package is taken and in force. */
  readonly took: (change: PackageChange) => void;
  readonly policiesChanged: () => void;
}

const LOG_LEVEL_ORDER = { debug: 0, info: 1, warn: 2, error: 3 } as const;

/** The package of a folder: taken whole or not at all, with the person’s yes to what it adds or changes; the one before stays until then. */
export class PackageHost {
  readonly #parts: PackageHostDeps;
  #current: Generation | null = null;
  #problems: readonly string[] = [];
  /** The digest of the files that were refused: other files are refused anew, whatever the words. */
  #refusedDigest: string | null = null;
  #waiting: WaitingPackage | null = null;
  #lastChange: PackageChange | null = null;
  #hasBegun = false;
  #retiring: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: PackageHostDeps) {
    this.#parts = parts;
  }

  get now(): Generation | null {
    return this.#current;
  }

  /** The problems of the folder as it is now. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  get waiting(): WaitingPackage | null {
    return this.#waiting;
  }

  get lastChange(): PackageChange | null {
    return this.#lastChange;
  }

  /** Reads the folder, one time after another. False where what is there is no package that can be taken. */
  look(): Promise<boolean> {
    return this.#runInTurn(() => this.#look());
  }

  /** The person’s yes to what they were shown. Null; or why it is not taken, where that is not what waits any more `stale`. */
  accept(digest: string): Promise<'stale' | readonly string[] | null> {
    return this.#runInTurn(async () => {
      const waiting = this.#waiting;
      if (waiting?.digest !== digest) return 'stale';
      return (await this.#take(waiting.offered)) ? null : this.#problems;
    });
  }

  #runInTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Lets workers be started from now on. */
  begin(): void {
    this.#hasBegun = true;
    this.#current?.begin();
  }

  async close(): Promise<void> {
    await this.#turn;
    const now = this.#current;
    this.#current = null;
    this.#parts.registry.replaceDomain([]);
    await now?.close();
  }

  async #look(): Promise<boolean> {
    const { folder, sources, runner } = this.#parts;
    const files = readPackage(folder);
    // The problem is one of the folder itself, or of what is in it.
    if (!files.ok)
      return this.#refuse([isAbsolute(files.problem) ? files.problem : `manifest.yaml:1: ${files.problem}`]);
    const { digest } = files.read;
    const read = readDomainPackage(files.read, sources());
    if (!read.ok) return this.#refuse(read.problems, digest);
    const wrong = this.#findVersionConflict(read.package);
    if (wrong !== null) return this.#refuse([wrong], digest);
    const ids = listImages(read.package).map(async (name) => [name, await runner.imageId(name)] as const);
    const images = Object.fromEntries(await Promise.all(ids));
    const offered = { package: pinImages(read.package, images), files: files.read, images };
    const accepted = this.#findAcceptedPackage();
    const asks = accepted === null ? null : findUnaccepted(accepted, offered);
    if (!this.#isApproved(accepted, asks, offered)) return this.#setWaiting(accepted, asks, offered);
    if (this.#current === null || !isSamePackage(this.#current.package, offered.package)) return this.#take(offered);
    this.#setState(null);
    this.#applyPolicies(this.#current, offered.package.policies);
    return true;
  }

  #isApproved(
    accepted: AcceptedPackage | null,
    asks: PackageAcceptanceGap | null,
    { files, images }: OfferedPackage,
  ): boolean {
    const { digest, follow } = this.#parts.standing();
    if (follow) return true;
    const isNamed = digest === `sha256:${files.digest}`;
    if (accepted === null) return digest === null || isNamed;
    // The digest names files: what an image was is said nowhere in them.
    const isOther = (name: string): boolean => (accepted.images[name] ?? null) !== null && images[name] !== null;
    return asks === null || (isNamed && !asks.images.some(isOther));
  }

  #findAcceptedPackage(): AcceptedPackage | null {
    return findAccepted(this.#parts.taken.find(), this.#folderNames());
  }

  /** The folder by its name and by its real path: a link put there makes no new folder of it. */
  #folderNames(): readonly string[] {
    return namedAndRealPath(this.#parts.folder);
  }

  /** Keeps the accepted package serving, with what the new one tightens. */
  async #setWaiting(
    accepted: AcceptedPackage | null,
    asks: PackageAcceptanceGap | null,
    offered: OfferedPackage,
  ): Promise<true> {
    const digest = digestJson({ files: offered.files.digest, images: offered.images });
    const before = accepted === null ? null : this.#readCopy(accepted);
    if (this.#current === null && before !== null && accepted !== null) await this.#serveCopy(before, accepted);
    if (this.#current !== null)
      this.#applyPolicies(this.#current, tightenPolicies(offered.package.policies, this.#current.policies.egress));
    if (this.#waiting?.digest === digest) return true;
    const waiting = { digest, offered, accepted, before, asks };
    this.#setState(waiting);
    this.#parts.waits(waiting);
    return true;
  }

  #setState(waiting: WaitingPackage | null): void {
    this.#problems = [];
    this.#refusedDigest = null;
    this.#waiting = waiting;
    this.#parts.onChange();
  }

  /** Null where it is not there any more as it was. */
  #readCopy({ digest, images }: AcceptedPackage): WaitingPackage['before'] {
    if (digest === '') return null;
    const files = readPackage(join(this.#parts.copies, digest));
    if (!files.ok || files.read.digest !== digest) return null;
    const read = readDomainPackage(files.read, this.#parts.sources());
    return read.ok ? { package: pinImages(read.package, images), files: files.read } : null;
  }

  /** Serves the accepted package from its copy: by now the folder holds another one. */
  async #serveCopy(before: NonNullable<WaitingPackage['before']>, accepted: AcceptedPackage): Promise<void> {
    const policies = tightenPolicies(before.package.policies, accepted.egress);
    const next = this.#createGeneration({ ...before.package, policies }, before.files, accepted.first);
    await next.prepare();
    this.#activate(next, { from: next.package, to: next.package, added: [], changed: [], gone: [] });
  }

  #createGeneration(taken: DomainPackage, files: PackageFiles, first: string): Generation {
    const { logLine: _logLine, copies, secretOf, ...parts } = this.#parts;
    const isFirst = first === taken.versionDigest;
    const next: Generation = new Generation(taken, keepPackage(files, copies), {
      ...parts,
      secretOf: (name) => secretOf(name, isFirst),
      // An image may be another by now, or have come since.
      startFailed: () => {
        if (listImages(taken).length > 0) void this.look().catch(() => undefined);
      },
      log: (level, what, facts) => {
        if (LOG_LEVEL_ORDER[level] >= LOG_LEVEL_ORDER[next.policies.logLevel]) this.#parts.logLine(level, what, facts);
      },
    });
    return next;
  }

  async #take(offered: OfferedPackage): Promise<boolean> {
    const { package: taken, files, images } = offered;
    const accepted = this.#findAcceptedPackage();
    const first = accepted?.first ?? taken.versionDigest;
    const next = this.#createGeneration(taken, files, first);
    await next.prepare();
    const known = this.#parts.taken.find();
    const change = comparePackages(known, taken);
    const others = next.served.tools.filter(({ id }) => change.changed.includes(id));
    const versions = new Map(taken.tools.map(({ id, version }) => [id, version]));
    const stays = await this.#parts.endRules(
      others.map(({ id, name }) => ({ id, name, version: versions.get(id) ?? '' })),
    );
    if (stays.length > 0)
      return this.#refuse(
        stays.map((why) => `manifest.yaml:1: ${why}`),
        files.digest,
      );
    const { domainId, version, versionDigest, digest } = taken;
    const tools = toTakenTools(taken.tools);
    const { egress } = taken.policies;
    this.#recordTaken(
      { domainId, version, versionDigest, before: known === null ? [] : listVersions(known), tools },
      { domainId, version, versionDigest, digest, first, tools, images, egress },
    );
    this.#setState(null);
    this.#activate(next, change);
    return true;
  }

  /** Records in one write which package was taken, and that it was accepted. */
  #recordTaken(taken: Omit<LoadedPackage, 'folders'>, accepted: AcceptedPackage): void {
    const places = this.#folderNames();
    const others = Object.entries(this.#parts.taken.find()?.folders ?? {}).filter(([place]) => !places.includes(place));
    const folders = Object.fromEntries([...others, ...places.map((place) => [place, accepted] as const)]);
    this.#parts.taken.keep({ ...taken, folders });
  }

  #refuse(problems: readonly string[], digest: string | null = null): false {
    const isSaid = isDeepStrictEqual(problems, this.#problems) && digest === this.#refusedDigest;
    this.#waiting = null;
    if (isSaid) return false;
    this.#problems = problems;
    this.#refusedDigest = digest;
    this.#parts.refused(problems);
    this.#parts.onChange();
    return false;
  }

  /**
   * Why a package can't be taken that has a known version and other files. Clients cache by version: one version is one
   * package.
   */
  #findVersionConflict({ domainId, version, versionDigest }: DomainPackage): string | null {
    const taken = this.#parts.taken.find();
    const versions = taken === null ? [] : listVersions(taken);
    const before = versions.find((each) => each.domainId === domainId && each.version === version);
    return before === undefined || before.versionDigest === versionDigest
      ? null
      : `manifest.yaml:1: the package is another one, and ${before === versions[0] ? 'still' : 'again'} version “${version}”. Raise its version; policies.yaml alone may change without that`;
  }

  #applyPolicies(now: Generation, policies: PackagePolicies): void {
    if (isDeepStrictEqual(policies, now.policies)) return;
    const known = this.#parts.taken.find();
    const accepted = this.#findAcceptedPackage();
    // What was tightened stays so: to loosen it again is asked about.
    if (known !== null && accepted !== null) this.#recordTaken(known, { ...accepted, egress: policies.egress });
    now.policies = policies;
    this.#parts.registry.replaceDomain(now.tools);
    this.#parts.policiesChanged();
    this.#parts.onChange();
  }

  #activate(next: Generation, change: PackageChange): void {
    const { taken, registry, copies } = this.#parts;
    const before = this.#current;
    this.#current = next;
    this.#lastChange = change;
    registry.replaceDomain(next.tools);
    if (this.#hasBegun) next.begin();
    this.#parts.took(change);
    this.#parts.policiesChanged();
    this.#parts.onChange();
    const over = before === null ? Promise.resolve() : before.retire();
    this.#retiring = Promise.allSettled([this.#retiring, over]).then(() => {
      if (this.#current === null) return;
      const accepted = Object.values(taken.find()?.folders ?? {}).slice(-MAX_COPIES);
      forgetPackages(copies, new Set([this.#current.folder, ...accepted.map(({ digest }) => join(copies, digest))]));
    });
  }
}

/** How many folders (each by both its names) have a whole copy of what was accepted. */
const MAX_COPIES = 20;

const isSamePackage = (now: DomainPackage, offered: DomainPackage): boolean =>
  now.versionDigest === offered.versionDigest &&
  isDeepStrictEqual(toTakenTools(now.tools), toTakenTools(offered.tools));
