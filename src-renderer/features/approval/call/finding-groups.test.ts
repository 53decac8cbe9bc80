import { expect, it } from 'vitest';
import { countDangers, groupFindings } from './finding-groups.js';

const at = (start: number, severity: 'notice' | 'danger', explanation: string) =>
  ({ start, end: start + 1, severity, explanation }) as const;

it('says the dangers first and counts them, and what is said twice once, with both places', () => {
  const findings = [
    at(0, 'notice', 'writes a file'),
    at(5, 'danger', 'deletes files'),
    at(9, 'notice', 'writes a file'),
    at(12, 'danger', 'deletes files'),
    at(20, 'danger', 'sends data'),
  ];
  expect(groupFindings(findings)).toEqual([
    { severity: 'danger', explanation: 'deletes files', places: [1, 3] },
    { severity: 'danger', explanation: 'sends data', places: [4] },
    { severity: 'notice', explanation: 'writes a file', places: [0, 2] },
  ]);
  expect(countDangers(findings)).toBe(3);
});
