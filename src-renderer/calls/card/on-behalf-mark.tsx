import { type OnBehalfOf, describeOnBehalfOf } from '#contract/vocabulary/call-labels.js';
import { Visible } from '../../ui/text/visible.js';
import './on-behalf-mark.css';

/** The tenant and the user that somebody asks for, where they said so. */
export function OnBehalfMark({ whom }: { readonly whom: OnBehalfOf }) {
  const words = describeOnBehalfOf(whom);
  if (words === '') return null;
  return (
    <span className="gh-for-whom secondary">
      <Visible text={words} />
    </span>
  );
}
