import type { CommandResult } from '../../../domain/ports/command-runner.js';
import { describeCarriedFiles, MAX_NAMED_FILES } from '../../../domain/text/carried-words.js';
import { type MissingAccess, explainRefusedHosts } from './explain-failure.js';

const DID = { created: 'created', modified: 'changed', deleted: 'deleted' } as const;

/** Says what the caller is told besides the command's output: what was set aside, and what it could not write to. */
export function describeResult(result: CommandResult, lacked: MissingAccess | null): string {
  const remarks = [
    ...putAsideWords(result),
    ...describeCarriedFiles(result.carried),
    ...lookWords(result),
    ...sharedWords(result),
    // Where it made it fail, that is said in its failure.
    ...(lacked === null ? refusedWords(result) : []),
  ];
  return remarks.length === 0 ? '' : `\n\n[gatehouse]\n${remarks.join('\n')}\n`;
}

function putAsideWords({ putAside }: CommandResult): readonly string[] {
  if (putAside.length === 0) return [];
  const named = putAside.slice(0, MAX_NAMED_FILES).map(({ path, change }) => `${DID[change]} ${path}`);
  const more = putAside.length > MAX_NAMED_FILES ? `, and ${putAside.length - MAX_NAMED_FILES} more` : '';
  return [
    `Put aside, since such files can make other programs run code: ${named.join(', ')}${more}. They are as they were before this command. ` +
      'Only the user can put them back. A command or an edit that names such a file asks first, and then the file stays.',
  ];
}

const sharedWords = ({ mayBeShared = [] }: CommandResult): readonly string[] =>
  mayBeShared.length === 0 ? [] : [mayBeSharedWords(mayBeShared)];

/** Package managers link the same files into all projects; which are, is known only where all of it was looked at. */
export const mayBeSharedWords = (folders: readonly string[]): string =>
  `Files in ${folders.slice(0, MAX_NAMED_FILES).join(', ')} may be shared with other projects (hard links); too many to look at each. A command can change them there as well.`;

const lookWords = ({ lookComplete }: CommandResult): readonly string[] =>
  lookComplete
    ? []
    : ['It may have left files that make other programs run code: not all of the folder could be checked.'];

const refusedWords = ({ networkUse }: CommandResult): readonly string[] =>
  networkUse === null || networkUse.refused.length === 0 ? [] : [explainRefusedHosts(networkUse.refused).words];
