import { memo, useState } from 'react';
import { Button } from '../../../ui/form/button.js';
import { formatBytes } from '../../../ui/text/format.js';
import { RawBlock, BlockView } from './block-view.js';
import { type MarkdownBlocks, splitBlocks } from './blocks.js';
import { type References, readReferences } from './references.js';
import './markdown.css';

/** So much is read as Markdown; what comes after it is shown as it is written, when it is asked for. */
const MAX_MARKDOWN_LENGTH = 100_000;

export interface MarkdownProps {
  readonly text: string;
  /** More of it is coming. */
  readonly open: boolean;
}

/** A model's text, while it writes: settled blocks stay where they are. */
export const Markdown = memo(function Markdown({ text, open }: MarkdownProps) {
  const read = text.length > MAX_MARKDOWN_LENGTH ? text.slice(0, MAX_MARKDOWN_LENGTH) : text;
  const { blocks, references } = useBlocks(read);
  const isOpen = open && read.length === text.length;
  return (
    <div className="gh-md">
      {blocks.map(({ at, raw }, index) => (
        <BlockView key={at} raw={raw} open={isOpen && index === blocks.length - 1} references={references} />
      ))}
      {read.length === text.length ? null : <Rest text={text} />}
    </div>
  );
});

/** The blocks of a text that mostly grows at its end: each time only the last is read again. */
function useBlocks(text: string): KeptReading {
  const [kept] = useState(createKeeper);
  return kept(text);
}

type KeptReading = MarkdownBlocks & { readonly references: References };

function createKeeper(): (text: string) => KeptReading {
  let last: KeptReading | undefined;
  return (text) => (last = { ...splitBlocks(text, last), references: readReferences(text, last?.references) });
}

function Rest({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(0);
  const end = MAX_MARKDOWN_LENGTH + shown;
  const left = text.length - end;
  return (
    <>
      {shown === 0 ? null : <RawBlock text={text.slice(MAX_MARKDOWN_LENGTH, end)} />}
      {left <= 0 ? null : (
        <Button size="small" onClick={() => setShown(shown + MAX_MARKDOWN_LENGTH)}>
          Show more ({formatBytes(left)} left)
        </Button>
      )}
    </>
  );
}
