import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../domain/tool/tool.js';

/** A tool that can't even be planned is an error for its caller, and never a prompt. */
export function planningFailure(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return { code: 'BadArgs', message: 'The tool could not make sense of these arguments.' };
}
