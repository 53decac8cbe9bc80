import Type, { type Static } from 'typebox';
import { type Frozen, keptJson } from '../files/kept-json.js';

const LoadedVersionSchema = Type.Object({
  domainId: Type.String(),
  version: Type.String(),
  versionDigest: Type.String(),
});
type LoadedVersion = Frozen<Static<typeof LoadedVersionSchema>>;

/** The taken tools by id. */
const LoadedToolsSchema = Type.Record(Type.String(), Type.Object({ version: Type.String(), digest: Type.String() }));
export type LoadedTools = Frozen<Static<typeof LoadedToolsSchema>>;

/** The package that the person approved, for ever: the folder's later content is compared with it. */
const AcceptedPackageSchema = Type.Object({
  ...LoadedVersionSchema.properties,
  /** The digest of every file: its copy is named by it. */
  digest: Type.String(),
  /** The version that was taken first of this folder, by its digest. */
  first: Type.String(),
  tools: LoadedToolsSchema,
  /** The id that each image name had; null where none was known. */
  images: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  /** The limit that the policies set to its workers' reach; null: they narrow nothing. */
  egress: Type.Union([Type.Array(Type.String()), Type.Null()]),
});
export type AcceptedPackage = Frozen<Static<typeof AcceptedPackageSchema>>;

/**
 * The version of a package that was taken last: a version is taken once, and a tool that is another one by now loses
 * its rules.
 */
const LoadedPackageSchema = Type.Object({
  ...LoadedVersionSchema.properties,
  /** The versions that were in force before it, the last of them first. */
  before: Type.Array(LoadedVersionSchema),
  tools: LoadedToolsSchema,
  /** The accepted package of each folder that one was taken from, by the folder's path. */
  folders: Type.Record(Type.String(), AcceptedPackageSchema),
});
export type LoadedPackage = Frozen<Static<typeof LoadedPackageSchema>>;

export const readLoadedPackage = (path: string): LoadedPackage | null => keptJson(path, LoadedPackageSchema).read();

const MAX_KEPT_VERSIONS = 200;

export const listVersions = ({ domainId, version, versionDigest, before }: LoadedPackage): readonly LoadedVersion[] => [
  { domainId, version, versionDigest },
  ...before.filter((each) => each.domainId !== domainId || each.version !== version).slice(0, MAX_KEPT_VERSIONS),
];

export const writeLoadedPackage = (path: string, taken: LoadedPackage): void =>
  keptJson(path, LoadedPackageSchema).write(taken);
