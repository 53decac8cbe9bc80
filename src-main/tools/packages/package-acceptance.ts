import type { Json } from '#contract/vocabulary/json.js';
import { digestJson } from '../../platform/digest.js';
import type { PackageFiles } from '../../platform/packages/package-files.js';
import type { AcceptedPackage, LoadedPackage, LoadedTools } from '../../platform/packages/loaded-package.js';
import { type DomainPackage, findLoosenedHosts, type PackagedTool, type PackagedWorker } from './domain-package.js';

/** A package as it is in its folder now, with the images that it names. */
export interface OfferedPackage {
  readonly package: DomainPackage;
  readonly files: PackageFiles;
  readonly images: AcceptedPackage['images'];
}

/** The changes that another package brings, as the person reads them. */
export interface PackageChange {
  readonly from: { readonly domainId: string; readonly version: string } | null;
  readonly to: { readonly domainId: string; readonly version: string };
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** The parts of a package that nobody accepted. */
export interface PackageAcceptanceGap extends Pick<PackageChange, 'added' | 'changed'> {
  /** Names of images that mean other images by now. */
  readonly images: readonly string[];
  /** Hosts that the policies let be reached beyond those of before. */
  readonly loosened: readonly string[];
}

/** Pins the images that a package names: a tool whose worker is another image under the same name is another tool. */
export function pinImages(read: DomainPackage, images: AcceptedPackage['images']): DomainPackage {
  const idOf = (name: string): string | null => (Object.hasOwn(images, name) ? (images[name] ?? null) : null);
  const pinned = (tool: PackagedTool): PackagedTool => {
    const { worker } = tool;
    if (worker?.runs.kind === 'image') {
      const id = idOf(worker.runs.image);
      if (id === null) return tool;
      return { ...tool, worker: { ...worker, runs: { ...worker.runs, id } }, digest: digestWithImages(tool, id) };
    }
    if (worker?.runs.kind !== 'build') return tool;
    const bases = Object.fromEntries(Object.keys(worker.runs.bases).map((name) => [name, idOf(name)]));
    const known = Object.fromEntries(Object.entries(bases).filter(([, id]) => id !== null));
    if (Object.keys(known).length === 0) return tool;
    return { ...tool, worker: { ...worker, runs: { ...worker.runs, bases } }, digest: digestWithImages(tool, known) };
  };
  return { ...read, tools: read.tools.map(pinned) };
}

const digestWithImages = (tool: PackagedTool, image: Json): string => digestJson({ tool: tool.digest, image });

/** Names of those that its workers run as, or are built on. */
export const listImages = ({ tools }: DomainPackage): readonly string[] => [
  ...new Set(tools.flatMap(({ worker }) => (worker === null ? [] : listWorkerImages(worker.runs)))),
];

const listWorkerImages = (runs: PackagedWorker['runs']): readonly string[] =>
  runs.kind === 'image' ? [runs.image] : runs.kind === 'build' ? Object.keys(runs.bases) : [];

export const toTakenTools = (tools: readonly PackagedTool[]): LoadedTools =>
  Object.fromEntries(tools.map(({ id, version, digest }) => [id, { version, digest }]));

/** Null where all of it was accepted, or only takes away. */
export function findUnaccepted(
  accepted: AcceptedPackage,
  { package: offered, images }: OfferedPackage,
): PackageAcceptanceGap | null {
  const { added, changed } = compareTools(accepted.tools, offered);
  const others = Object.entries(images).filter(
    ([name, id]) => Object.hasOwn(accepted.images, name) && accepted.images[name] !== id,
  );
  const wider = findLoosenedHosts(offered.policies.egress, accepted.egress);
  if (added.length + changed.length + others.length + wider.length === 0) return null;
  return { added, changed, images: others.map(([name]) => name), loosened: wider };
}

export const comparePackages = (known: LoadedPackage | null, offered: DomainPackage): PackageChange => ({
  from: known === null ? null : { domainId: known.domainId, version: known.version },
  to: { domainId: offered.domainId, version: offered.version },
  ...compareTools(known?.tools ?? {}, offered),
});

function compareTools(
  before: LoadedTools,
  { tools }: DomainPackage,
): Pick<PackageChange, 'added' | 'changed' | 'gone'> {
  const ids = new Set(tools.map(({ id }) => id));
  const digestBefore = (id: string) => (Object.hasOwn(before, id) ? before[id]?.digest : undefined);
  return {
    added: tools.filter(({ id }) => digestBefore(id) === undefined).map(({ id }) => id),
    changed: tools.filter(({ id, digest }) => ![undefined, digest].includes(digestBefore(id))).map(({ id }) => id),
    gone: Object.keys(before).filter((id) => !ids.has(id)),
  };
}

/**
 * The acceptance of a folder; null where nothing of it ever was accepted, so that the person’s naming it is their yes.
 */
export function findAccepted(known: LoadedPackage | null, folders: readonly string[]): AcceptedPackage | null {
  const found = folders.find((folder) => known !== null && Object.hasOwn(known.folders, folder));
  return found === undefined ? null : (known?.folders[found] ?? null);
}
