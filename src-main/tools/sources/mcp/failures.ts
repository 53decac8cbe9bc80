import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../../domain/tool/tool.js';

export const UNKNOWN_EFFECT = NATURE_WORDS.remote.unknownEnd;
export const MAX_QUOTED = 4000;

export const outputInvalidFailure = (source: string, what: string): ToolFailure =>
  new ToolFailure({
    code: 'OutputInvalid',
    message: `What “${source}” answered can’t be used: ${what}. ${UNKNOWN_EFFECT}`,
    eCode: 'E3308',
  });

export const serverErrorFailure = (source: string, words: string): ToolFailure =>
  executionFailure(`“${source}” says that it failed: ${words.slice(0, MAX_QUOTED)}`, 'E3304');

export const unavailableFailure = (message: string): ToolFailure =>
  new ToolFailure({ code: 'SourceUnavailable', message, eCode: 'E3306' });

export const executionFailure = (message: string, eCode?: Failure['eCode']): ToolFailure =>
  new ToolFailure({ code: 'ExecutionFailed', message, ...(eCode === undefined ? {} : { eCode }) });
