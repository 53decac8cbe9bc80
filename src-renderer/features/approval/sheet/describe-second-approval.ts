import { counted } from '../../../ui/text/format.js';
import type { SecondQuestion } from './use-answers.js';

/** Words the second step: the calls that it would approve and that nobody chose singly, or that were not drawn. */
export function describeSecondApproval({ high, characters }: Pick<SecondQuestion, 'high' | 'characters'>): string {
  const parts = [
    ...(high.length === 0 ? [] : [`${high.length} high risk`]),
    ...(characters === 0 ? [] : [`${counted(characters, 'character')} not shown`]),
  ];
  return `Approve ${parts.join(', ')}`;
}
