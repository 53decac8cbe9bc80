import { type ForWhom, whomWords } from '#contract/vocabulary/call-words.js';
import { Visible } from '../../ui/text/visible.js';
import './for-whom.css';

/** For whom somebody asks, where they said so. */
export function ForWhomMark({ whom }: { readonly whom: ForWhom }) {
  const words = whomWords(whom);
  if (words === '') return null;
  return (
    <span className="gh-for-whom secondary">
      <Visible text={words} />
    </span>
  );
}
