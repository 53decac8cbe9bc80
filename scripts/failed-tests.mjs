// What failed, from the reports that the two test runners leave behind. npm test says it again at the very end: there
// it is found at once, and a log that was cut still has it.

import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectDir } from './setup/project.mjs';

const REASON_LINES = 12;

/** @returns {string[]} a paragraph for each test that failed, and for each file that could not even be loaded */
export function failedInVitest(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    const name = relative(projectDir, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && file.status === 'failed') return [paragraph(name, '', file.message)];
    return failed.map((test) => paragraph(name, test.fullName, test.failureMessages.join('\n')));
  });
}

/** @returns {string[]} a paragraph for each test that failed, or that a retry alone made pass */
export function failedInPlaywright(report) {
  const bySpec = (suite, titles) => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests
        .filter((test) => test.status === 'unexpected' || test.status === 'flaky')
        .map((test) =>
          paragraph(
            `${spec.file}:${spec.line}`,
            [...titles, spec.title].join(' › '),
            test.results.flatMap((result) => result.errors.map((error) => error.message)).join('\n'),
          ),
        ),
    ),
    ...(suite.suites ?? []).flatMap((inner) => bySpec(inner, [...titles, inner.title])),
  ];
  return [
    ...(report?.errors ?? []).map((error) => paragraph('playwright', '', error.message)),
    ...(report?.suites ?? []).flatMap((file) => bySpec(file, [])),
  ];
}

function paragraph(file, title, reason) {
  const lines = stripVTControlCharacters(reason).split('\n');
  const shown = lines.slice(0, REASON_LINES).map((line) => `    ${line}`);
  return [`✗ ${[file, title].filter(Boolean).join(' › ')}`, ...shown].join('\n').trimEnd();
}
