import { FileText, MessageSquareText, Plug } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import type { ComposerChoice, ComposerOption } from './use-choice.js';
import '../../../ui/overlay/popup.css';

/** The options found, above the field that they are for. */
export function ChoiceList({
  choice,
  onChoose,
}: {
  readonly choice: ComposerChoice;
  readonly onChoose: (option: ComposerOption) => void;
}) {
  const { word, found, chosen, listId, loading, problems } = choice;
  const current = useRef<HTMLDivElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
    // The chosen option is another element each time.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [chosen]);
  // Many a message begins with a path.
  if (word === null || (word.mark === '/' && found.length === 0 && problems.length === 0)) return null;
  const [one, none] = word.mark === '@' ? ['file', 'Nothing has this in its name.'] : ['prompt', 'No prompt.'];
  const files = found.filter(({ kind }) => kind === 'file').length;
  const words =
    word.mark === '@' && found.length > files
      ? `${counted(files, 'file')}, ${counted(found.length - files, 'resource')}`
      : counted(found.length, one);
  return (
    <div className="gh-popup gh-files">
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select can't follow a text field's keys */}
      <div id={listId} role="listbox" aria-label={word.mark === '@' ? 'Files and resources' : 'Prompts'} tabIndex={-1}>
        {found.map((option, index) => (
          // The field has the keys; the mouse may choose here too.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={buildOptionKey(option)}
            id={`${listId}-${index}`}
            ref={index === chosen ? current : null}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className="gh-files-one"
            data-kind={option.kind}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
          >
            <OptionView option={option} />
          </div>
        ))}
      </div>
      <output className={found.length === 0 ? 'secondary gh-files-none' : 'sr-only'}>
        {found.length > 0 ? words : loading ? 'Looking…' : problems.length > 0 ? '' : none}
      </output>
      {problems.map((problem) => (
        <p key={problem} className="secondary gh-files-none">
          <Visible text={problem} />
        </p>
      ))}
    </div>
  );
}

/** An option. A source's option always shows its source's name first, whatever it calls itself. */
function OptionView({ option }: { readonly option: ComposerOption }) {
  switch (option.kind) {
    case 'file':
      return (
        <>
          <FileText aria-hidden />
          <span className="mono">
            <Visible text={option.path} />
          </span>
        </>
      );
    case 'resource': {
      const { source, name, uri, description } = option.resource;
      return (
        <>
          <Plug aria-hidden />
          <span>
            <span className="secondary">{source}: </span>
            <Visible text={name} />{' '}
            <span className="secondary gh-files-about">
              <Visible text={description === '' || description === name ? uri : `${uri} · ${description}`} />
            </span>
          </span>
        </>
      );
    }
    case 'prompt': {
      const { source, name, title, description, args } = option.prompt;
      const about = [title, description].filter((text) => text !== '' && text !== name).join(' · ');
      return (
        <>
          <MessageSquareText aria-hidden />
          <span>
            <span className="secondary">{source}: </span>
            <Visible text={name} />
            {args.length === 0 ? '' : '…'}{' '}
            <span className="secondary gh-files-about">
              <Visible text={about} />
            </span>
          </span>
        </>
      );
    }
  }
}

function buildOptionKey(option: ComposerOption): string {
  switch (option.kind) {
    case 'file':
      return `file ${option.path}`;
    case 'resource':
      return `resource ${option.resource.source} ${option.resource.uri}`;
    case 'prompt':
      return `prompt ${option.prompt.source} ${option.prompt.name}`;
  }
}
