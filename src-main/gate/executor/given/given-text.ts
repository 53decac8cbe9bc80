import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { FailureCode } from '#contract/vocabulary/outcomes.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { type AuthorizedCall, listReadablePaths } from '../../../domain/call/call-stages.js';
import { type AttributedText, type ForeignFile, WHOLE_FOLDER } from '../../../domain/policy/given-texts.js';
import { isBelowUnlisted } from '../../../domain/sensitive/made-folders.js';
import type { GitIgnored, GivenTextLog, ReadFileContent } from '../../../domain/ports/given-text-log.js';
import { FIND_TOOLS_ID } from '../../../domain/tool/call-tool.js';
import type { AttemptOutcome } from '../attempt.js';

/** The content of a result, by how many secrets were found in it and which files it names. */
interface ResultContents {
  readonly redactions: number;
  readonly names?: readonly string[];
}

/**
 * Whether its result gives what it read or printed: what we say of a failure, and of a change that was made, are our own words.
 * Where it ran elsewhere, why it failed is told from there.
 */
export function hasText({ tool }: AuthorizedCall, ending: AttemptOutcome): boolean {
  const { nature, id } = tool.declaration;
  // What tools say of themselves was accepted with them.
  if (nature === 'files' || id === FIND_TOOLS_ID) return false;
  if (nature === 'remote' && hasRemoteWords(ending)) return true;
  return (ending.ok ? ending.output.content : (ending.output?.content ?? '')) !== '';
}

const hasRemoteWords = (ending: AttemptOutcome): boolean =>
  ending.ok ? Object.keys(ending.output.structured ?? {}).length > 0 : !OWN_WORDS.has(ending.failure.code);

const OWN_WORDS: ReadonlySet<FailureCode> = new Set([
  'Cancelled',
  'Interrupted',
  'Timeout',
  'ToolChanged',
  'CircuitOpen',
]);

/** Describes, for the taint of the model that is given a result, the text that came with it. */
export async function describeGivenText(
  call: AuthorizedCall,
  { redactions, names = [] }: ResultContents,
  workspace: string,
  { git, ...parts }: ForeignTextParts & { readonly git: GitIgnored },
): Promise<AttributedText> {
  const { tool, summary, judgement } = call;
  const { files, secrets = [], outside = [], readable = [], terms } = judgement;
  // Whether it read there is not known, so it is taken to have.
  const isLetOut = outside.length > 0 || readable.length > 0 || listReadablePaths(call).length > 0;
  const found = redactions > 0 || secrets.length > 0;
  const [file] = files;
  if (tool.declaration.nature !== 'reads' || file === undefined) {
    const origin = tool.declaration.nature === 'remote' ? 'upstream' : 'tool';
    const name = toVisibleLine(summary, MAX_NAME);
    // What a key or a sign-in opens is not for everybody.
    const isOpened = origin === 'upstream' && terms.gets.secrets.length > 0;
    return { name, origin, ofFolder: false, isPrivate: found || isLetOut || isOpened };
  }
  const isInside = file.root === workspace;
  const below = names.map((name) => (file.relative === '' ? name : `${file.relative}/${name}`));
  const ofFolder =
    isInside &&
    !below.some(isBelowUnlisted) &&
    !parts.texts.hasWrittenForeign(workspace, below) &&
    !(await holdsForeignText(workspace, file.relative, parts)) &&
    !(await git.isInOtherRepository(file.root, file.relative)) &&
    !(await git.isIgnored(file.root, file.relative)) &&
    !(await git.hasIgnoredName(file.root, below));
  const name = toVisibleLine(isInside ? file.relative || '.' : file.path, MAX_NAME);
  return { name, origin: 'file', ofFolder, isPrivate: found || !isInside };
}

/** Where it is known what of the files in a folder somebody else may have said. */
export interface ForeignTextParts {
  readonly texts: Pick<GivenTextLog, 'hasWrittenForeign' | 'isForeignContent' | 'hasForeignSize'>;
  readonly contents: ReadFileContent;
}

/** Whether a file holds what somebody else may have said: a call left that there, or it is a copy, whoever made it. */
export async function holdsForeignText(
  workspace: string,
  relative: string,
  { texts, contents }: ForeignTextParts,
): Promise<boolean> {
  // What calls left there is not known.
  if (isBelowUnlisted(`${relative}/`) || texts.hasWrittenForeign(workspace, [relative])) return true;
  const content = await contents(workspace, relative, (size) => texts.hasForeignSize(size));
  return content !== null && texts.isForeignContent(content);
}

/** What a call changed in its folder, and whether that is all of it. */
interface ChangedPaths {
  readonly changedFiles: readonly ChangedFile[];
  readonly createdFolders: readonly string[];
  readonly complete: boolean;
}

/**
 * Finds, of what a call left, what may be text of others: all of it, listed or not, where it was requested after such
 * text or could have fetched some; else what was such text before, and copies.
 */
export async function findForeignFiles(
  { asker, judgement }: Pick<AuthorizedCall, 'asker' | 'judgement'>,
  workspace: string,
  { changedFiles, ...rest }: ChangedPaths,
  { texts, contents }: { readonly texts: GivenTextLog; readonly contents: ReadFileContent },
): Promise<readonly ForeignFile[]> {
  if (asker.person) return [];
  const { nature, process, network } = judgement.terms.gets;
  const isAll =
    nature === 'remote' ||
    network.reach !== 'none' ||
    process?.held === 'unconfined' ||
    texts.listGivenTo(asker, workspace).some(({ ofFolder }) => !ofFolder);
  return listForeignFiles(workspace, { changed: changedFiles, ...rest }, { isAll, texts, contents });
}

/** Lists the foreign of changed files, with what they hold now. A deleted file may come back: what was known of it stays. */
export async function listForeignFiles(
  workspace: string,
  {
    changed,
    createdFolders,
    complete,
  }: Omit<ChangedPaths, 'changedFiles'> & { readonly changed: readonly ChangedFile[] },
  { isAll, texts, contents }: ForeignTextParts & { readonly isAll: boolean },
): Promise<readonly ForeignFile[]> {
  // What isn't listed of it may be any file.
  const found: ForeignFile[] = isAll && !complete ? [{ path: WHOLE_FOLDER, content: null }] : [];
  for (const { path, change } of changed) {
    if (change === 'deleted') continue;
    const isForeign = isAll || texts.hasWrittenForeign(workspace, [path]);
    const content = await contents(workspace, path, (size) => isForeign || texts.hasForeignSize(size));
    if (isForeign || (content !== null && texts.isForeignContent(content))) found.push({ path, content });
  }
  // What such a call calls a folder is its text, too, wherever that is listed.
  for (const folder of createdFolders)
    if (isAll || texts.hasWrittenForeign(workspace, [folder])) found.push({ path: `${folder}/`, content: null });
  return found;
}

const MAX_NAME = 120;
