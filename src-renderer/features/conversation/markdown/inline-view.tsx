import { Image } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { Visible } from '../../../ui/text/visible.js';
import { WebLink } from './web-link.js';

/** Marks in marks, as many as anybody reads; the rest is shown as it is written. */
const MAX_INLINE_DEPTH = 16;

/** The content of a line. A token that is not known here is shown as it is written. */
export function Inline({ tokens, depth = 0 }: { readonly tokens: readonly Token[]; readonly depth?: number }) {
  return tokens.map((token, at) => <InlineToken key={at} token={token} depth={depth} />);
}

function InlineToken({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (depth > MAX_INLINE_DEPTH) return <Visible text={token.raw} />;
  const inner = 'tokens' in token && token.tokens !== undefined ? token.tokens : null;
  const within = (): ReactNode => (inner === null ? null : <Inline tokens={inner} depth={depth + 1} />);
  switch (token.type) {
    case 'strong':
      return <strong>{within()}</strong>;
    case 'em':
      return <em>{within()}</em>;
    case 'del':
      return <del>{within()}</del>;
    case 'br':
      return <br />;
    case 'codespan':
      return (
        <code className="gh-md-code">
          <Visible text={(token as Tokens.Codespan).text} />
        </code>
      );
    case 'link':
      return <WebLink address={(token as Tokens.Link).href}>{within()}</WebLink>;
    case 'image':
      return <RemotePicture picture={token as Tokens.Image} />;
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'escape':
      return <Visible text={(token as Tokens.Escape).text} />;
    case 'text':
      return inner === null ? <PlainText text={toPlainText((token as Tokens.Text).text)} /> : within();
    default:
      return <Visible text={token.raw} />;
  }
}

const NOTE = /(\[\^[\w-]{1,40}\])/u;

/** A footnote mark: “[^1]” is raised, where it is referred to and where it is defined. */
function PlainText({ text }: { readonly text: string }) {
  if (!text.includes('[^')) return <Visible text={text} />;
  return text
    .split(NOTE)
    .map((part, at) => (at % 2 === 0 ? <Visible key={at} text={part} /> : <sup key={at}>[{part.slice(2, -1)}]</sup>));
}

/** A picture that lies elsewhere is never fetched: its words, and where it is. */
function RemotePicture({ picture }: { readonly picture: Tokens.Image }) {
  return (
    <WebLink address={picture.href}>
      <Image aria-hidden className="gh-md-picture" />
      Picture: <Visible text={picture.text === '' ? picture.href.slice(0, 80) : picture.text} />
    </WebLink>
  );
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '’', nbsp: ' ' };

/** “&lt;” as people write it in text. */
const toPlainText = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/gu, (_, name: string) => NAMED[name] ?? '');
