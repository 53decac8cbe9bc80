import type { Failure } from '#contract/vocabulary/outcomes.js';

/**
 * Adds to a failure about a path outside the sandbox where the work belongs, if another folder that the asker may use
 * holds that path.
 */
export function addOpenFolderHint(failure: Failure, others: readonly string[]): Failure {
  if (failure.code !== 'PathOutsideSandbox') return failure;
  const { attempted } = failure as { readonly attempted?: string };
  const found = others.find((folder) => attempted === folder || attempted?.startsWith(`${folder}/`) === true);
  if (found === undefined) return failure;
  return { ...failure, message: `${failure.message} ${found} is open, too: start the agent there.` };
}
