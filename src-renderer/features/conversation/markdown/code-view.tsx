import { Fragment, memo } from 'react';
import { highlightLine } from '../../../calls/diff/highlight.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { Visible } from '../../../ui/text/visible.js';
import { FOCUSABLE } from '../../../ui/style/focusable.js';

/** Longer code is drawn without colours: it is read in an editor. */
const MAX_COLOURED_LENGTH = 40_000;

const EXTENSIONS: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  console: 'sh',
  typescript: 'ts',
  javascript: 'js',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  golang: 'go',
  kotlin: 'kt',
  csharp: 'cs',
  'c++': 'cpp',
  markdown: 'md',
  powershell: 'ps1',
};

export interface CodeViewProps {
  readonly text: string;
  /** The language as the model named it. */
  readonly language: string;
  /** Whether it is still being written: colours come once it is whole. */
  readonly open: boolean;
}

export const CodeView = memo(function CodeView({ text, language, open }: CodeViewProps) {
  const name = language.trim().split(/\s/u)[0]?.slice(0, 40) ?? '';
  const extension = EXTENSIONS[name.toLowerCase()] ?? name.toLowerCase();
  return (
    <div className="gh-md-block">
      <div className="gh-md-block-head">
        <span className="secondary">
          <Visible text={name === '' ? 'Text' : name} />
        </span>
        <CopyButton text={text} label="Copy code" iconOnly />
      </div>
      <section aria-label="Code" className="gh-md-block-scroll" {...FOCUSABLE}>
        <pre>
          {open || text.length > MAX_COLOURED_LENGTH ? (
            <Visible text={text} />
          ) : (
            <Coloured text={text} file={`x.${extension}`} />
          )}
        </pre>
      </section>
    </div>
  );
});

function Coloured({ text, file }: { readonly text: string; readonly file: string }) {
  return text.split('\n').map((line, at) => (
    <Fragment key={at}>
      {at === 0 ? null : '\n'}
      {highlightLine(line, file).map((token, part) =>
        token.kind === null ? (
          <Visible key={part} text={token.text} />
        ) : (
          <span key={part} className={`gh-syntax-${token.kind}`}>
            <Visible text={token.text} />
          </span>
        ),
      )}
    </Fragment>
  ));
}
