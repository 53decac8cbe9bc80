import { counted } from '../../../ui/text/format.js';
import type { AskedAgain } from './use-answers.js';

/** What the second step would approve that nobody chose by itself, or that was not drawn. */
export function approveAgainWords({ high, characters }: Pick<AskedAgain, 'high' | 'characters'>): string {
  const parts = [
    ...(high.length === 0 ? [] : [`${high.length} high risk`]),
    ...(characters === 0 ? [] : [`${counted(characters, 'character')} not shown`]),
  ];
  return `Approve ${parts.join(', ')}`;
}
