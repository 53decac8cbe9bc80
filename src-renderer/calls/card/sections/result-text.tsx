import { useState } from 'react';
import { counted } from '../../../ui/text/format.js';
import { FOCUSABLE } from '../../../ui/style/focusable.js';
import { Visible } from '../../../ui/text/visible.js';

const CUT = 20_000;
const MORE = 200_000;

/** Text of any length as it is: a beginning at once, and more when asked for. */
export function ResultText({ text, label }: { readonly text: string; readonly label: string }) {
  const [limit, setLimit] = useState(CUT);
  if (text === '') return <p className="secondary">Nothing</p>;
  const shown = text.length > limit ? text.slice(0, limit) : text;
  return (
    <>
      <section className="gh-result-frame" aria-label={label}>
        <pre className="gh-result" {...FOCUSABLE}>
          <Visible text={shown} />
        </pre>
      </section>
      {shown.length < text.length ? (
        <button type="button" className="gh-link-button" onClick={() => setLimit(limit + MORE)}>
          Show more ({counted(text.length - shown.length, 'character')} left)
        </button>
      ) : null}
    </>
  );
}
