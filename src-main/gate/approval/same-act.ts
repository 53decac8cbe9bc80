import type { Json } from '#contract/vocabulary/json.js';
import type { JudgedFile, Judgement, PathState } from '../../domain/call/judgement.js';
import { digestJson } from '../../platform/digest.js';

/**
 * Whether a call that was judged twice is the same act: it would do the same, to the same files, and get the same.
 * Which folders existed already is no part of that, as long as those that did are still the same ones. A file whose
 * bytes were shown is the same while its bytes are.
 */
export function isSameAct(one: Judgement, other: Judgement): boolean {
  const { files, ...rest } = one;
  const { files: otherFiles, ...otherRest } = other;
  return (
    isSameJson(rest, otherRest) &&
    files.length === otherFiles.length &&
    files.every((file, at) => isSameFile(file, otherFiles[at], one.shown))
  );
}

function isSameFile(one: JudgedFile, other: JudgedFile | undefined, shown: Judgement['shown']): boolean {
  if (other === undefined) return false;
  const { standing, ...leads } = one;
  const { standing: otherStanding, ...otherLeads } = other;
  if (!isSameJson(leads, otherLeads)) return false;
  if (standing === null || otherStanding === null) return standing === otherStanding;
  const isShown = shown !== null && Object.hasOwn(shown, one.path);
  return (isShown || standing.file === otherStanding.file) && isSamePath(standing, otherStanding);
}

/** Whether one path continues where the other ends, or as far as that one goes. */
function isSamePath(one: PathState, other: PathState): boolean {
  if (one.folder === other.folder) return one.folderIs === other.folderIs;
  const [short, long] = one.folder.length < other.folder.length ? [one, other] : [other, one];
  const way = short.above;
  const isBelow = short.folder === '' || long.folder.startsWith(`${short.folder}/`);
  return isBelow && way.every((is, at) => is === long.above[at]);
}

const isSameJson = (one: object, other: object): boolean => digestJson(one as Json) === digestJson(other as Json);
