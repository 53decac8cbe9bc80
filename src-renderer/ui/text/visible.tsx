import { memo } from 'react';
import { splitVisibleText } from '#contract/vocabulary/text/visible-text.js';
import './visible.css';

/** Foreign text, shown so that nothing in it can hide: see the vocabulary’s visible-text.ts. */
export const Visible = memo(function Visible({ text }: { readonly text: string }) {
  const parts = splitVisibleText(text);
  if (parts.length === 1 && parts[0]?.escape === false) return text;
  return parts.map((part, index) =>
    part.escape ? (
      <span key={index} className="gh-escape" title="A character that can’t be seen">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
});
