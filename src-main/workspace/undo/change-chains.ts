import type { TransactionManifest, ManifestFile, NodeState } from '../transaction/transaction-manifest.js';

/** The change of one call to one file. */
export interface CallChange {
  readonly record: TransactionManifest;
  readonly file: ManifestFile;
}

/** The changes of several calls to one file, one after another. */
export interface ChangeChain {
  /** The file as it was before the first of them, and as the last left it. */
  readonly file: ManifestFile;
  /** The latest first. */
  readonly records: readonly TransactionManifest[];
  /** True where one call's result is not what the next one found: something else changed the file between them. */
  readonly broken: boolean;
}

export const fileKey = ({ root, relative }: ManifestFile): string => `${root}\0${relative}`;

export function isSameContent(one: NodeState | null, other: NodeState | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === 'link' || other.kind === 'link')
    return one.kind === 'link' && other.kind === 'link' && one.target === other.target;
  return one.sha256 === other.sha256;
}

/** Whether no change is left: its permissions, where they are known, are as they were, too. */
export function isUnchanged({ before, after }: ManifestFile): boolean {
  if (!isSameContent(before, after)) return false;
  return before?.kind !== 'file' || after?.kind !== 'file' || after.mode < 0 || before.mode === after.mode;
}

/** The latest link first. */
export function chainChanges(links: readonly [CallChange, ...CallChange[]]): ChangeChain {
  const [latest, ...earlier] = links;
  return earlier.reduce<ChangeChain>(
    ({ file, records, broken }, link) => ({
      file: { ...file, before: link.file.before, ...(link.file.mayBeOthers === true ? { mayBeOthers: true } : {}) },
      records: [...records, link.record],
      broken: broken || !isSameContent(link.file.after, file.before),
    }),
    { file: latest.file, records: [latest.record], broken: false },
  );
}

/** The links as far back as each call found what the one before it had left. The latest link first. */
export function takeUnbroken(links: readonly [CallChange, ...CallChange[]]): readonly [CallChange, ...CallChange[]] {
  const [latest, ...earlier] = links;
  const linked: [CallChange, ...CallChange[]] = [latest];
  let { before } = latest.file;
  for (const link of earlier) {
    if (!isSameContent(link.file.after, before)) break;
    linked.push(link);
    ({ before } = link.file);
  }
  return linked;
}
