import type { Failure } from '#contract/vocabulary/outcomes.js';

/** Of a path that leads into another folder that is open to its asker: where the work there belongs. */
export function toldWhereOpen(failure: Failure, others: readonly string[]): Failure {
  if (failure.code !== 'PathOutsideSandbox') return failure;
  const { attempted } = failure as { readonly attempted?: string };
  const found = others.find((folder) => attempted === folder || attempted?.startsWith(`${folder}/`) === true);
  if (found === undefined) return failure;
  return { ...failure, message: `${failure.message} ${found} is open, too: start the agent there.` };
}
