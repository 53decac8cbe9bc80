import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../../domain/tool/tool.js';

export const MAY_HAVE = NATURE_WORDS.remote.unknownEnd;
export const MOST_SAID = 4000;

export const outputInvalid = (source: string, what: string): ToolFailure =>
  new ToolFailure({
    code: 'OutputInvalid',
    message: `What “${source}” answered can’t be used: ${what}. ${MAY_HAVE}`,
    eCode: 'E3308',
  });

export const saidNo = (source: string, words: string): ToolFailure =>
  failed(`“${source}” says that it failed: ${words.slice(0, MOST_SAID)}`, 'E3304');

export const unavailable = (message: string): ToolFailure =>
  new ToolFailure({ code: 'SourceUnavailable', message, eCode: 'E3306' });

export const failed = (message: string, eCode?: Failure['eCode']): ToolFailure =>
  new ToolFailure({ code: 'ExecutionFailed', message, ...(eCode === undefined ? {} : { eCode }) });
