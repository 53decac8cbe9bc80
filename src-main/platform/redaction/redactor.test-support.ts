import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppRedactor } from './redactor.js';

/** The real one, its thread run from source. */
export function openTestRedactor(): AppRedactor {
  return new AppRedactor({
    entry: pathToFileURL(resolve('src-main/platform/redaction/redaction-thread.test-support.ts')),
    onFault: (error) => {
      throw error;
    },
  });
}
